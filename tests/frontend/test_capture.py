# SPDX-License-Identifier: BSD-3-Clause
"""Does a captured trace hold exactly what the program did to memory and files?"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from array import array
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hmsim.capture import CaptureError, CaptureSummary, capture
from hmsim.emulation import PLUGIN
from hmsim.traces import read_pieces

SOURCES = Path(__file__).resolve().parents[2] / "workloads" / "capture"
FILL, WRITE_BACK, NON_TEMPORAL, ESCAPE = range(4)
ADD, BEGIN, END = range(3)

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
needs_qemu = pytest.mark.skipif(
    shutil.which("qemu-x86_64") is None or not PLUGIN.is_file() or shutil.which("gcc") is None,
    reason="needs qemu-user, gcc and the built plug-in",
)

PROGRAM = r"""
#define _GNU_SOURCE
#include <immintrin.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile char *memory;
static void marker(void) { __asm__ volatile("xchg %bx,%bx"); }
static void *pages(size_t bytes) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void read_lines(size_t lines, size_t stride) {
    for (size_t i = 0; i < lines; i++) (void)memory[i * stride];
}
static void write_lines(size_t lines) {
    for (size_t i = 0; i < lines; i++) memory[i * 64] = 1;
}
static pthread_barrier_t all_started;  // else a late thread takes over the index of one that ended
static void *reader(void *start) {
    volatile char *mine = start;
    pthread_barrier_wait(&all_started);
    for (size_t i = 0; i < 65536; i++) (void)mine[i * 64];
    return NULL;
}
__attribute__((target("avx"))) static void stream_avx(char *to, size_t n) {
    for (size_t i = 0; i < n; i++) {
        _mm256_stream_si256((__m256i *)(to + i * 64), _mm256_set1_epi8(1));
        _mm256_stream_ps((float *)(to + i * 64 + 32), _mm256_set1_ps(1));
    }
}
int main(int argc, char **argv) {
    const char *what = argv[1];
    size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (!strcmp(what, "read") || !strcmp(what, "write") || !strcmp(what, "stride")) {
        memory = pages(n * 4096);
        marker();
        if (*what == 'r') read_lines(n, 64);
        else if (*what == 'w') write_lines(n);
        else read_lines(n, 4096);
        marker();
    } else if (!strcmp(what, "nt")) {
        char *to = pages(n * 64);
        marker();
        for (size_t i = 0; i < n * 4; i++)
            _mm_stream_si128((__m128i *)to + i, _mm_set1_epi8(1));
        marker();
    } else if (!strcmp(what, "nt_avx")) {
        char *to = pages(n * 64);
        marker();
        stream_avx(to, n);
        marker();
    } else if (!strcmp(what, "nt_half")) {
        char *to = pages(n * 64);
        marker();
        for (size_t i = 0; i < n; i++) _mm_stream_si64((long long *)(to + i * 64), 1);
        marker();
    } else if (!strcmp(what, "files")) {
        static char buffer[1 << 21];
        int in = open(argv[2], O_RDONLY), out = open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0600);
        struct iovec parts[2] = {{buffer, 512}, {buffer, 1024}};
        off_t offset = 4096;
        long done = read(in, buffer, 1000);
        done += pread(in, buffer, 100, 512 * 9 + 500);
        done += write(out, buffer, 4096);
        done += pwrite(out, buffer, 512, 1 << 20);
        done += readv(in, parts, 2);
        done += sendfile(out, in, &offset, 8192);
        done += read(in, buffer, 1 << 21);
        int log = open(argv[3], O_WRONLY | O_APPEND);
        done += write(log, buffer, 10);
        printf("%ld\n", done);
    } else if (!strcmp(what, "threads")) {
        pthread_t threads[12];
        pthread_barrier_init(&all_started, NULL, n);
        for (size_t i = 0; i < n; i++) {
            memory = pages(1 << 22);
            pthread_create(&threads[i], NULL, reader, (void *)memory);
        }
        for (size_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
    } else if (!strcmp(what, "fork")) {
        memory = pages(1 << 24);
        if (fork() == 0) { read_lines(1 << 18, 64); exit(7); }
        int status;
        wait(&status);
        return WEXITSTATUS(status) == 7 ? 0 : 1;
    } else if (!strcmp(what, "exit")) {
        return (int)n;
    } else if (!strcmp(what, "abort")) {
        abort();
    } else if (!strcmp(what, "exec")) {
        execl(argv[2], argv[2], NULL);
    } else if (!strcmp(what, "sleep")) {
        sleep(60);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("program")
    source = folder / "program.c"
    source.write_text(PROGRAM)
    binary = folder / "program"
    subprocess.run(["gcc", "-O2", "-pthread", "-o", binary, source], check=True)
    return str(binary)


@dataclass
class Trace:
    """A decoded trace: (kind, line, vCPU, instruction count of the vCPU) of each access."""

    header: bytes
    accesses: list[tuple[int, int, int, int]] = field(default_factory=list)
    instructions: int = 0
    regions: list[int] = field(default_factory=list)  # number of accesses before each marker

    def lines(self, kind: int) -> list[int]:
        return [line for what, line, _, _ in self.accesses if what == kind]


def decode(path: Path) -> Trace:
    content = b"".join(read_pieces(path))
    trace = Trace(content[:64])
    records = array("Q", content[64:])
    assert int.from_bytes(content[16:24], "little") == len(records)
    counts = [0] * 8
    for record in records:
        line, kind = record & (1 << 40) - 1, record >> 40 & 3
        vcpu, high = record >> 42 & 7, record >> 45
        if kind == ESCAPE:
            assert high in (ADD, BEGIN, END)
            if high == ADD:
                counts[vcpu] += line
            else:
                trace.regions.append(len(trace.accesses))
        else:
            counts[vcpu] += high
            trace.accesses.append((kind, line, vcpu, counts[vcpu]))
    trace.instructions = sum(counts)
    return trace


def run(
    folder: Path, *command: str, name: str = "t.hmsim.zst", **options: object
) -> tuple[CaptureSummary, Trace]:
    options.setdefault("timeout", 120)
    options.setdefault("stdout", subprocess.DEVNULL)
    summary = capture(command, folder / name, **options)  # type: ignore[arg-type]
    return summary, decode(folder / name)


def has_run(lines: list[int], length: int) -> bool:
    """Whether so many successive lines appear in order, others in between allowed."""
    best: dict[int, int] = {}
    for line in lines:
        best[line] = best.get(line - 1, 0) + 1
    return max(best.values(), default=0) >= length


class Levels:
    """The cache hierarchy once more, by ordered dictionaries (oldest line first)."""

    def __init__(self, sizes: list[int], ways: list[int]) -> None:
        self.sets = [size // 64 // way for size, way in zip(sizes, ways)]
        self.ways = ways
        self.levels: list[dict[int, OrderedDict[int, bool]]] = [{}, {}, {}]
        self.log: list[tuple[int, int]] = []

    def set_of(self, level: int, line: int) -> OrderedDict[int, bool]:
        return self.levels[level].setdefault(line % self.sets[level], OrderedDict())

    def put(self, level: int, line: int, dirty: bool) -> None:
        """Make the line the newest of its set; a dirty victim goes down one level."""
        lines = self.set_of(level, line)
        dirty |= lines.pop(line, False)
        victim = None
        if len(lines) == self.ways[level]:
            victim = lines.popitem(last=False)
        lines[line] = dirty
        if victim and victim[1]:
            if level == 2:
                self.log.append((WRITE_BACK, victim[0]))
            else:
                self.put(level + 1, victim[0], True)

    def access(self, line: int, store: bool) -> None:
        hit = next((k for k in range(3) if line in self.set_of(k, line)), 3)
        if hit == 3:
            self.log.append((FILL, line))
        for level in reversed(range(min(hit, 2) + 1)):
            self.put(level, line, store and level == 0)

    def evict(self, line: int) -> None:
        """A non-temporal store comes."""
        dirty = [self.set_of(k, line).pop(line, False) for k in range(3)]
        if any(dirty):
            self.log.append((WRITE_BACK, line))


DRIVER = r"""
#include <stdio.h>
#include "cache.h"
static void shared_lock(void) {}
static void shared_unlock(void) {}
static void emit(unsigned vcpu, enum record_kind kind, uint64_t line) {
    (void)vcpu;
    printf("%d %lu\n", kind, (unsigned long)line);
}
int main(void) {
    struct cache l3;
    struct hierarchy caches = {.l3 = &l3};
    if (!cache_make(&caches.l1, 2048, 4) || !cache_make(&caches.l2, 8192, 8)) return 1;
    if (!cache_make(&l3, 32768, 16)) return 1;
    unsigned long line;
    int kind;
    while (scanf("%lu %d", &line, &kind) == 2)
        if (kind == 2) hierarchy_evict(&caches, line);
        else hierarchy_access(&caches, line, kind);
    return 0;
}
"""


@needs_gcc
def test_caches_equal_an_independent_model(tmp_path: Path) -> None:
    (tmp_path / "driver.c").write_text(DRIVER)
    binary = tmp_path / "driver"
    subprocess.run(["gcc", "-O1", f"-I{SOURCES}", "-o", binary, tmp_path / "driver.c"], check=True)
    state, stream = 12345, []
    for _ in range(200_000):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        span = (64, 400, 1500)[(state >> 33) % 3]
        what = state >> 40 & 15
        stream.append(((state >> 45) % span, 2 if what == 15 else int(what > 9)))
    model = Levels([2048, 8192, 32768], [4, 8, 16])
    for line, kind in stream:
        model.evict(line) if kind == 2 else model.access(line, kind == 1)
    text = "".join(f"{line} {kind}\n" for line, kind in stream)
    done = subprocess.run([binary], input=text, capture_output=True, text=True, check=True)
    found = [tuple(map(int, row.split())) for row in done.stdout.splitlines()]
    assert found == model.log
    assert len(found) > 50_000


@needs_qemu
def test_header_and_totals(tmp_path: Path, program: str) -> None:
    summary, trace = run(tmp_path, program, "read", "1000", l1="16KiB", l3="4MiB")
    assert trace.header[:16] == b"HMSIMTRC" + bytes([1, 0, 64, 0, 6, 1, 1, 0])
    assert int.from_bytes(trace.header[16:24], "little") == summary.records
    assert int.from_bytes(trace.header[24:32], "little") == summary.instructions
    assert trace.header[32:40] == bytes([16, 0, 0, 8, 0, 16, 0, 0])
    assert trace.header[40:] == b"program".ljust(24, b"\0")
    assert trace.instructions == summary.instructions == summary.total_instructions
    assert len(trace.lines(FILL)) == summary.fills
    assert summary.mpki == pytest.approx(1000 * summary.fills / summary.instructions)


@needs_qemu
def test_a_stream_beyond_the_caches_misses_once_a_line(tmp_path: Path, program: str) -> None:
    lines = 32 << 20 >> 6
    summary, trace = run(tmp_path, program, "read", str(lines), roi=True)
    fills = trace.lines(FILL)
    assert has_run(fills, lines)  # every line, in order
    assert lines <= len(fills) <= lines + 8  # and the stack's
    assert not set(fills) & set(trace.lines(WRITE_BACK))  # only what was dirty before
    # A loop of 4 instructions a line or so, and deltas that add up.
    assert 3 * lines < summary.instructions < 6 * lines
    assert trace.regions == [0, len(trace.accesses)]


@needs_qemu
def test_dirty_lines_come_back_except_those_still_cached(tmp_path: Path, program: str) -> None:
    lines = 32 << 20 >> 6
    _, trace = run(tmp_path, program, "write", str(lines), roi=True)
    fills = trace.lines(FILL)
    filled = set(fills)
    back = [line for line in trace.lines(WRITE_BACK) if line in filled]
    shared, private = 8 << 20 >> 6, (2 << 20 >> 6) + (32 << 10 >> 6)
    assert lines <= len(fills) <= lines + 8
    assert lines - shared - private <= len(back) <= lines - shared + 8
    assert has_run(back, lines - shared - private)
    # A write-back stands behind the fill that caused it, at the same instruction.
    for before, after in zip(trace.accesses[-1000:], trace.accesses[-999:]):
        assert after[0] == FILL or before[3] == after[3]


@needs_qemu
def test_pages_are_numbered_by_first_appearance(tmp_path: Path, program: str) -> None:
    pages = 20_000
    summary, trace = run(tmp_path, program, "stride", str(pages), roi=True)
    # One line of each page: page numbers rise by one, 64 lines apart.
    numbers = [line // 64 for line in trace.lines(FILL)]
    assert has_run(numbers, pages)
    assert summary.pages > pages


@needs_qemu
@pytest.mark.parametrize("what", ["nt", "nt_avx", "nt_half"])
def test_non_temporal_stores_make_one_record_a_line(
    tmp_path: Path, program: str, what: str
) -> None:
    lines = 50_000
    summary, trace = run(tmp_path, program, what, str(lines), roi=True)
    # A half-written line leaves when the next one is begun, the last one with the region's end.
    least = lines - 1 if what == "nt_half" else lines
    assert least <= summary.nt_writes <= lines
    assert has_run(trace.lines(NON_TEMPORAL), least)
    assert len(trace.lines(FILL)) < 10  # they read nothing
    assert summary.write_backs == 0


@needs_qemu
def test_two_captures_are_identical(tmp_path: Path, program: str) -> None:
    for name in ("a.hmsim.zst", "b.hmsim.zst"):
        run(tmp_path, program, "write", "300000", name=name)
    assert (tmp_path / "a.hmsim.zst").read_bytes() == (tmp_path / "b.hmsim.zst").read_bytes()


@needs_qemu
def test_skip_and_limit_cut_a_window(tmp_path: Path, program: str) -> None:
    _, whole = run(tmp_path, program, "write", "300000")
    summary, part = run(
        tmp_path, program, "write", "300000", name="p.hmsim", skip=400_000, limit=200_000
    )
    assert summary.limited
    assert abs(summary.instructions - 200_000) < 300
    assert 600_000 <= summary.total_instructions < 600_300
    assert part.instructions == summary.instructions
    start = summary.total_instructions - summary.instructions
    assert 400_000 <= start < 400_300
    moved = [(kind, line, vcpu, at + start) for kind, line, vcpu, at in part.accesses]
    window = [row for row in whole.accesses if start < row[3] <= summary.total_instructions]
    assert moved == window
    assert moved


@needs_qemu
def test_threads_have_vcpus_of_their_own(tmp_path: Path, program: str) -> None:
    summary, trace = run(tmp_path, program, "threads", "4")
    assert summary.vcpus == 5
    assert trace.header[13] == 5
    for vcpu in range(1, 5):
        fills = sum(1 for kind, _, who, _ in trace.accesses if kind == FILL and who == vcpu)
        assert 65_536 <= fills < 66_500
    assert trace.instructions == summary.instructions


@needs_qemu
def test_more_threads_than_vcpus_share_them(tmp_path: Path, program: str) -> None:
    summary, trace = run(tmp_path, program, "threads", "12")
    assert summary.vcpus == 8
    assert 12 * 65_536 <= summary.fills < 12 * 66_500
    assert trace.instructions == summary.instructions


@needs_qemu
def test_children_are_not_followed(tmp_path: Path, program: str) -> None:
    summary, _ = run(tmp_path, program, "fork")
    assert summary.fills < 1 << 17  # the child alone touches 2 to the 18 lines
    assert summary.exit_status == 0


@needs_qemu
def test_file_accesses_are_recorded_by_sector(tmp_path: Path, program: str) -> None:
    size = (1 << 20) + 5000
    source, result, blocks = tmp_path / "in.dat", tmp_path / "out.dat", tmp_path / "b.mqsim"
    source.write_bytes(os.urandom(size))
    summary = capture(
        [program, "files", str(source), str(result)],
        None,
        blocks=blocks,
        files="*.dat",
        stdout=subprocess.DEVNULL,
        timeout=120,
    )
    rows = [tuple(map(int, row.split())) for row in blocks.read_text().splitlines()]
    # in.dat takes extents 0 and 1 (its size), out.dat extent 2, its second MiB extent 3.
    out, more = 2 * 2048, 3 * 2048
    left = size - 2536  # behind the position after read (1000) and readv (1536)
    expected = [
        (0, 2, 1),  # read 1000 at 0
        (9, 2, 1),  # pread 100 at 5108: over a sector boundary
        (out, 8, 0),  # write 4096
        (more, 1, 0),  # pwrite 512 at 1 MiB
        (1, 4, 1),  # readv 1536 at 1000
        (8, 16, 1),  # sendfile 8192 from 4096 ...
        (out + 8, 16, 0),  # ... to 4096
        (4, 2044, 1),  # read the rest from 2536: up to the extent's end ...
        (2048, -(-5000 // 512), 1),  # ... and behind it
        (more + 1, 1, 0),  # append 10 at 1 MiB + 512
    ]
    assert [row[2:] for row in rows] == expected
    assert all(row[1] == 0 for row in rows)
    arrivals = [row[0] for row in rows]
    assert arrivals == sorted(arrivals)
    assert arrivals[-1] <= summary.total_instructions
    assert (summary.block_reads, summary.block_writes) == (6, 4)
    assert summary.block_read_bytes == 1000 + 100 + 1536 + 8192 + left
    assert summary.block_write_bytes == 4096 + 512 + 8192 + 10
    assert summary.block_extents == 4


@needs_qemu
def test_programs_and_pseudo_files_are_no_data(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("b\na\n")
    blocks = tmp_path / "b.mqsim.zst"
    capture(["cat", str(tmp_path / "in"), "/proc/self/stat", "/bin/true"], None, blocks=blocks,
            stdout=subprocess.DEVNULL, timeout=60)  # fmt: skip
    rows = b"".join(read_pieces(blocks)).splitlines()
    assert rows[-1].split()[3:] == [b"1", b"1"]  # a sector of the text, read
    assert len(rows) <= 3  # besides it only what the C library itself reads


@needs_qemu
def test_sort_is_right_under_capture(tmp_path: Path) -> None:
    state, numbers = 1, []
    for _ in range(60_000):
        state = state * 69069 % 2**32
        numbers.append(f"{state:010d}")
    text = tmp_path / "text"
    text.write_text("\n".join(numbers) + "\n")
    command = ["sort", "--parallel=1", "-S", "64K", "-T", str(tmp_path), str(text)]
    with open(tmp_path / "sorted", "wb") as output:
        summary = capture(command, tmp_path / "t.zst", blocks=tmp_path / "b.zst", stdout=output,
                          timeout=120)  # fmt: skip
    assert (tmp_path / "sorted").read_text().split() == sorted(numbers)
    size = text.stat().st_size
    assert summary.block_read_bytes >= 2 * size  # the input, and temporary files
    assert summary.block_write_bytes >= 2 * size


@needs_qemu
def test_a_script_runs_by_its_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\nexit $1\n")
    script.chmod(0o755)
    summary, _ = run(tmp_path, str(script), "0")
    assert summary.exit_status == 0
    summary, _ = run(tmp_path, str(script), "3", name="3.zst", check=False)
    assert summary.exit_status == 3


def refused(folder: Path, message: str, *command: str, **options: object) -> None:
    """Check that one line of this text is the answer, and that nothing stays behind."""
    before = sorted(folder.iterdir())
    options.setdefault("timeout", 60)
    with pytest.raises(CaptureError, match=message) as error:
        capture(command, folder / "no.zst", blocks=folder / "no.txt", **options)  # type: ignore
    assert "\n" not in str(error.value)
    assert sorted(folder.iterdir()) == before


@needs_qemu
def test_refusals_name_the_reason_and_leave_nothing(tmp_path: Path, program: str) -> None:
    refused(tmp_path, "exit status 5", program, "exit", "5")
    refused(tmp_path, "signal 6", program, "abort")
    refused(tmp_path, "replaced itself", program, "exec", "/bin/true")
    refused(tmp_path, "not done after 1 s", program, "sleep", timeout=1)
    refused(tmp_path, "no such program", "./nothing-of-this-name")
    refused(tmp_path, "no program is named")
    refused(tmp_path, "'32KB' is no size", program, "exit", "0", l1="32KB")
    refused(tmp_path, "power-of-two", program, "exit", "0", l3="9MiB")
    refused(tmp_path, "limit: 0 instructions", program, "exit", "0", limit=0)
    text = tmp_path / "text"
    text.write_text("no program\n")
    refused(tmp_path, "cannot be executed", str(text))
    text.chmod(0o755)
    refused(tmp_path, "not an x86-64 program", str(text))
    text.write_text("#!/bin/nothing-of-this-name\n")
    refused(tmp_path, "nothing-of-this-name: no such program", str(text))


@needs_qemu
def test_an_existing_file_is_kept_without_force(tmp_path: Path, program: str) -> None:
    out = tmp_path / "t.zst"
    out.write_text("precious")
    with pytest.raises(ValueError, match="exists"):
        capture([program, "exit", "0"], out, timeout=60)
    assert out.read_text() == "precious"
    capture([program, "exit", "0"], out, force=True, timeout=60)
    assert decode(out).instructions > 0


def test_without_qemu_it_says_how_to_install_it(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=re.escape("apt-get install qemu-user")):
        capture(["/bin/true"], tmp_path / "t.zst", qemu="qemu-of-no-such-name")
    assert not list(tmp_path.iterdir())
