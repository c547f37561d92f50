# SPDX-License-Identifier: BSD-3-Clause
"""Does a captured trace hold exactly what the program did to memory and files?"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from captured import FILL, NON_TEMPORAL, WRITE_BACK, decode, has_run, needs_qemu, run
from hmsim.capture import CaptureError, ProgramSettings, capture
from hmsim.capture.emulation import Caches
from hmsim.traces.file import RENUMBERED_PAGES
from hmsim.traces.info import info
from hmsim.traces.reader import read_pieces
from messages import naming

MINUTE = ProgramSettings(timeout=60)


@needs_qemu
def test_header_and_totals_match_the_records(tmp_path: Path, program: str) -> None:
    summary, trace = run(tmp_path, program, "read", "1000", caches=Caches("16KiB", l3="4MiB"))
    header = trace.header
    assert (header.vcpus, header.flags) == (1, RENUMBERED_PAGES)
    assert (header.records, header.instructions) == (summary.records, summary.instructions)
    assert (header.l1, header.l2, header.l3) == (16, 2048, 4096)
    assert header.label == b"program".ljust(24, b"\0")
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
    # The loop has about 4 instructions per line; this shows that the deltas add up.
    assert 3 * lines < summary.instructions < 6 * lines
    assert trace.regions == [0, len(trace.accesses)]


@needs_qemu
def test_dirty_lines_are_written_back_unless_still_cached(tmp_path: Path, program: str) -> None:
    lines = 32 << 20 >> 6
    _, trace = run(tmp_path, program, "write", str(lines), roi=True)
    fills = trace.lines(FILL)
    filled = set(fills)
    back = [line for line in trace.lines(WRITE_BACK) if line in filled]
    shared, private = 8 << 20 >> 6, (2 << 20 >> 6) + (32 << 10 >> 6)
    assert lines <= len(fills) <= lines + 8
    assert lines - shared - private <= len(back) <= lines - shared + 8
    assert has_run(back, lines - shared - private)
    # A write-back follows the fill that caused it, at the same instruction.
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
    # A half-written line leaves when the next line is begun. The last one leaves at the region's
    # end.
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
def test_threads_have_separate_vcpus(tmp_path: Path, program: str) -> None:
    summary, trace = run(tmp_path, program, "threads", "4")
    assert summary.vcpus == 5
    assert trace.header.vcpus == 5
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
        ProgramSettings(files="*.dat", timeout=120),
        blocks=blocks,
        stdout=subprocess.DEVNULL,
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
def test_syncs_are_flushes_of_wanted_files(tmp_path: Path, program: str) -> None:
    mine, other = tmp_path / "a.dat", tmp_path / "b.other"
    other.write_text("x")
    kinds: dict[str, str] = {}
    for block_format in ("blkparse", "mqsim"):
        blocks = tmp_path / f"b.{block_format}"
        command = [program, "syncs", str(mine), str(other)]
        settings = ProgramSettings(block_format, files="*.dat", timeout=60)
        summary = capture(command, None, settings, blocks=blocks)
        assert (summary.block_reads, summary.block_writes, summary.block_flushes) == (1, 4, 5)
        kinds[block_format] = blocks.read_text()
    # Only the order of the fields matters: times vary, and device, CPU, sequence and process are
    # constant.
    reported = [line.split()[5:10] for line in kinds["blkparse"].splitlines()]
    assert [" ".join(words) for words in reported] == [
        *("Q FN 0 + 0", "Q W 0 + 8", "Q FN 0 + 0", "Q W 8 + 8", "Q W 16 + 8", "Q FN 0 + 0"),
        *("Q R 8 + 8", "Q WFS 16 + 1", "Q FN 0 + 0", "Q FN 0 + 0"),
    ]
    assert [line.split()[2:] for line in kinds["mqsim"].splitlines()] == [
        *(["0", "8", "0"], ["8", "8", "0"], ["16", "8", "0"], ["8", "8", "1"], ["16", "1", "0"])
    ]
    assert info(tmp_path / "b.blkparse")["format"] == "blkparse"
    with pytest.raises(CaptureError, match=naming("'blkpars'", "'blkparse'?")):
        capture(command, None, ProgramSettings("blkpars"), blocks=tmp_path / "c")


@needs_qemu
def test_programs_and_pseudo_files_are_not_recorded(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("b\na\n")
    blocks = tmp_path / "b.mqsim.zst"
    command = ["cat", str(tmp_path / "in"), "/proc/self/stat", "/bin/true"]
    capture(command, None, MINUTE, blocks=blocks, stdout=subprocess.DEVNULL)
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
        blocks = tmp_path / "b.zst"
        summary = capture(command, tmp_path / "t.zst", MINUTE, blocks=blocks, stdout=output)
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


def refused(folder: Path, message: str, *command: str, **options: Any) -> None:
    """Check that a capture fails with this message in one line, and leaves no files."""
    before = sorted(folder.iterdir())
    options.setdefault("timeout", 60)
    with pytest.raises(CaptureError, match=message) as error:
        capture(command, folder / "no.zst", ProgramSettings(**options), blocks=folder / "no.txt")
    assert "\n" not in str(error.value)
    assert sorted(folder.iterdir()) == before


@needs_qemu
def test_rejections_name_the_reason_and_leave_nothing(tmp_path: Path, program: str) -> None:
    refused(tmp_path, "exit status 5", program, "exit", "5")
    refused(tmp_path, "signal 6", program, "abort")
    refused(tmp_path, "replaced itself", program, "exec", "/bin/true")
    refused(tmp_path, " 1 s", program, "sleep", timeout=1)
    refused(tmp_path, "nothing-of-this-name: ", "./nothing-of-this-name")
    refused(tmp_path, "a program is required")
    refused(tmp_path, "'32KB'", program, "exit", "0", caches=Caches("32KB"))
    refused(tmp_path, "power-of-two", program, "exit", "0", caches=Caches(l3="9MiB"))
    refused(tmp_path, "limit: must be at least", program, "exit", "0", limit=0)
    text = tmp_path / "text"
    text.write_text("no program\n")
    refused(tmp_path, "executed", str(text))
    text.chmod(0o755)
    refused(tmp_path, "not an x86-64 program", str(text))
    text.write_text("#!/bin/nothing-of-this-name\n")
    refused(tmp_path, "nothing-of-this-name: ", str(text))


@needs_qemu
def test_an_existing_file_is_kept_without_force(tmp_path: Path, program: str) -> None:
    out = tmp_path / "t.zst"
    out.write_text("precious")
    with pytest.raises(ValueError, match="exists"):
        capture([program, "exit", "0"], out, MINUTE)
    assert out.read_text() == "precious"
    capture([program, "exit", "0"], out, MINUTE, force=True)
    assert decode(out).instructions > 0


def test_without_qemu_the_error_explains_its_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CaptureError, match=re.escape("apt-get install qemu-user")):
        capture(["/bin/true"], tmp_path / "t.zst")
    assert not list(tmp_path.iterdir())
