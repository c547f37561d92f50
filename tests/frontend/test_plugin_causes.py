# SPDX-License-Identifier: BSD-3-Clause
"""Does the capture plug-in derive the right causes from guest messages and memory accesses?

The test compiles the plug-in's source with a simple machine in the place of QEMU.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hmsim.traces import escapes
from test_causes import escape, introduced

SOURCES = Path(__file__).resolve().parents[2] / "workloads" / "capture"
NVDIMM = 1 << 39
MESSAGES = (
    *("RUNNING", "RUN", "WAKE", "ALARM", "BIO", "BIO_END", "THREAD", "NEW_THREAD"),
    "WRITTEN",
)

# A vCPU's virtual addresses are QEMU's: DRAM from 0, the NVDIMM from 1 GiB. A word of a script is
# a letter, the vCPU and the letter's arguments.
MACHINE = r"""
#include "hmsim_capture.c"
struct qemu_plugin_hwaddr { uint64_t at; };
struct qemu_plugin_hwaddr* qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address) {
  static struct qemu_plugin_hwaddr place;
  place.at = address;
  return &place;
}
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr* place) { return false; }
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr* place) { return place->at; }
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info) { return info; }
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info) { return 3; }
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block) { return 0; }
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* b, size_t i) {
  return NULL;
}
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn* insn) { return NULL; }
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn* insn) { return 0; }
#define NOTHING(name, ...) void name(__VA_ARGS__) {}
NOTHING(qemu_plugin_register_vcpu_init_cb, qemu_plugin_id_t i,
        void (*c)(qemu_plugin_id_t, unsigned))
NOTHING(qemu_plugin_register_vcpu_tb_trans_cb, qemu_plugin_id_t i,
        void (*c)(qemu_plugin_id_t, struct qemu_plugin_tb*))
NOTHING(qemu_plugin_register_vcpu_syscall_cb, qemu_plugin_id_t i,
        void (*c)(qemu_plugin_id_t, unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                  uint64_t, uint64_t, uint64_t, uint64_t))
NOTHING(qemu_plugin_register_vcpu_syscall_ret_cb, qemu_plugin_id_t i,
        void (*c)(qemu_plugin_id_t, unsigned, int64_t, int64_t))
NOTHING(qemu_plugin_register_atexit_cb, qemu_plugin_id_t i, void (*c)(qemu_plugin_id_t, void*),
        void* d)
NOTHING(qemu_plugin_register_vcpu_tb_exec_cb, struct qemu_plugin_tb* b, void (*c)(unsigned, void*),
        int f, void* d)
NOTHING(qemu_plugin_register_vcpu_insn_exec_cb, struct qemu_plugin_insn* i,
        void (*c)(unsigned, void*), int f, void* d)
NOTHING(qemu_plugin_register_vcpu_mem_cb, struct qemu_plugin_insn* i,
        void (*c)(unsigned, qemu_plugin_meminfo_t, uint64_t, void*), int f, int a, void* d)

int main(int argc, char** argv) {
  qemu_info_t info = {.target_name = "x86_64", .system_emulation = true};
  char letter;
  unsigned v;
  unsigned long long n;
  info.system.max_vcpus = 2;
  qemu_plugin_install(0, &info, argc - 1, argv + 1);
  on_vcpu(0, 0);
  on_vcpu(0, 1);
  machine.ready = true;
  machine.nvdimm = 1 << 30;
  while (scanf(" %c %u %llu", &letter, &v, &n) == 3) {
    if (letter == 'i') on_causal_block(v, (void*)n);
    if (letter == 'l') on_causal_access(v, 0, n, NULL);
    if (letter == 's') on_causal_access(v, 1, n, NULL);
    if (letter == 'n') on_causal_access(v, 1, n, (void*)1);
    if (letter == 'f') on_store_fence(v, NULL);
    if (letter == 'r') on_marker(v, NULL);
    if (letter == '(') on_message_begin(v, 0, 1000, (void*)(n << 1));
    if (letter == 'w') on_message_word(v, 0, 1000 + n, NULL);
    if (letter == ')') on_message_end(v, 0, 1000, (void*)(n << 1));
  }
  on_end(0, NULL);
}
"""

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("machine")
    (folder / "machine.c").write_text(MACHINE)
    command = ["gcc", "-std=gnu11", "-O1", f"-I{SOURCES}", "-o", "machine", "machine.c"]
    subprocess.run(command, check=True, cwd=folder)
    return folder / "machine"


def message(vcpu: int, running: int, name: str, *words: int) -> str:
    """Return a message in a separate block of 9 instructions, two before and three after it."""
    content = [running, MESSAGES.index(name), *words]
    inside = " ".join(f"w {vcpu} {word}" for word in content)
    return f"i {vcpu} 9 ( {vcpu} 6 {inside} ) {vcpu} 3"


def thread(vcpu: int, running: int, kind: str, number: int, name: str) -> str:
    return message(vcpu, running, kind, number, 0, number, *name.encode())


BEGIN = " ".join(
    (
        thread(0, 7, "THREAD", 7, "sh"),
        thread(0, 7, "THREAD", 8, "other"),
        message(0, 7, "RUNNING"),
        message(1, 0, "RUNNING"),
        "i 0 1 r 0 0",
    )
)
BEGUN = [
    escape(escapes.REGION_BEGIN),
    *introduced(7, "sh", process=7),
    escape(escapes.RUN, 7),
    escape(escapes.RUN, 0, vcpu=1),
]


def start(machine: Path, script: str) -> subprocess.CompletedProcess[str]:
    folder = machine.parent
    (folder / "trace").write_bytes(b"")
    options = ["trace=trace", "summary=summary", "causes=1", "regions=1"]
    command = [machine, *options, f"dram={1 << 30}", f"nvdimm={1 << 30}"]
    return subprocess.run(
        command, input=script, text=True, cwd=folder, check=False, capture_output=True
    )


def run(machine: Path, script: str) -> list[int]:
    """Return the records between those of the region's begin and its end."""
    done = start(machine, f"{BEGIN} {script} r 0 0")
    assert done.returncode == 0, (machine.parent / "summary").read_text()
    content = (machine.parent / "trace").read_bytes()
    words = list(struct.unpack(f"<{len(content) // 8}Q", content))
    assert words[: len(BEGUN)] == BEGUN
    assert words[-1] == escape(escapes.REGION_END)
    return words[len(BEGUN) : -1]


def added(count: int, vcpu: int = 0) -> int:
    return escape(escapes.ADD, count, vcpu)


def test_messages_cost_no_instructions(machine: Path) -> None:
    # The message's block adds two instructions before the message and three after it.
    tell = message(0, 7, "WAKE", 8)
    found = run(machine, f"i 0 5 {tell} i 0 4")
    assert found == [
        added(5 + 2),
        *introduced(8, "other", process=8),
        escape(escapes.WAKE, 8),
        added(3 + 4),
    ]


def test_a_message_may_span_blocks_and_hides_its_accesses(machine: Path) -> None:
    inside = f"w 0 7 i 0 50 l 0 {1 << 20} w 0 {MESSAGES.index('BIO_END')} i 0 20 ) 0 4"
    assert run(machine, f"i 0 9 ( 0 0 {inside}") == [added(8), escape(escapes.BIO_END), added(4)]


def test_an_empty_message_is_ignored(machine: Path) -> None:
    assert run(machine, "i 0 9 ( 0 6 ) 0 3 i 0 1") == [added(2 + 3 + 1)]


def test_threads_are_introduced_when_first_named(machine: Path) -> None:
    script = " ".join(
        (
            message(0, 7, "RUN", 8, escapes.WAITS),
            message(0, 8, "ALARM", 7, 0x5678, 0x34),
            thread(0, 8, "THREAD", 8, "renamed"),
            message(0, 8, "RUN", 7, escapes.ENDED),
            thread(0, 7, "NEW_THREAD", 8, "fresh"),
            message(0, 7, "WAKE", 8),
        )
    )
    assert run(machine, script) == [
        added(2),
        *introduced(8, "other", process=8),
        escape(escapes.RUN, 8 | escapes.WAITS << 16),
        added(5),
        escape(escapes.ALARM, 7 | 0x345678 << 16),
        added(5),
        *introduced(8, "renamed", process=8)[1:],
        added(5),
        escape(escapes.RUN, 7 | escapes.ENDED << 16),
        added(10),
        *introduced(8, "fresh", process=8),
        escape(escapes.WAKE, 8),
        added(3),
    ]


def test_a_wake_before_a_thread_has_left_keeps_it_from_waiting(machine: Path) -> None:
    script = " ".join(
        (
            message(1, 0, "RUN", 8, escapes.GOES_ON),
            message(0, 7, "WAKE", 8),
            message(1, 8, "RUN", 0, escapes.WAITS),
        )
    )
    runs = [word for word in run(machine, script) if word >> 45 in (escapes.RUN, escapes.WAKE)]
    assert runs == [
        escape(escapes.RUN, 8, vcpu=1),
        escape(escapes.WAKE, 8),
        escape(escapes.RUN, 0 | escapes.GOES_ON << 16, vcpu=1),
    ]


NV_PAGE = (1 << 30) + 3 * 4096
PAGE = 1 << 20  # an address, of DRAM
READ_BIO = message(0, 7, "BIO", 1, 1 << 3)
BIO_END = message(0, 7, "BIO_END")


def uses(words: list[int]) -> list[tuple[int, int]]:
    """Return the vCPU and the page of each USE record."""
    return [
        (word >> 42 & 7, word & (1 << 40) - 1)
        for word in words
        if word >> 40 & 3 == escapes.ESCAPE and word >> 45 == escapes.USE
    ]


COPY = f"{READ_BIO} l 0 {NV_PAGE} s 0 {PAGE} l 0 {NV_PAGE + 8} s 0 {PAGE + 8} {BIO_END}"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (f"{COPY} i 0 3 l 0 {PAGE + 8} l 0 {PAGE}", [(0, 3)]),
        (f"{COPY} l 1 {PAGE + 512} l 0 {PAGE}", [(1, 3)]),
        (f"{COPY} s 0 {PAGE + 8} l 0 {PAGE}", []),  # overwritten
        (f"l 0 {NV_PAGE} s 0 {PAGE} {BIO_END} l 0 {PAGE}", []),  # no bio
        (f"{READ_BIO} l 0 {NV_PAGE} s 0 {PAGE + 64} {BIO_END} l 0 {PAGE}", []),  # no copy
        (f"{READ_BIO} l 0 {NV_PAGE} l 0 64 s 0 {PAGE} {BIO_END} l 0 {PAGE}", []),
        (f"{READ_BIO} l 0 {NV_PAGE} s 0 {PAGE} l 0 {PAGE} {BIO_END}", []),  # within the bio
    ],
)
def test_the_first_load_of_a_page_that_was_read_is_a_use(
    machine: Path, script: str, expected: list[tuple[int, int]]
) -> None:
    assert uses(run(machine, script)) == expected


def test_a_use_precedes_its_line(machine: Path) -> None:
    found = run(machine, f"{COPY} i 0 3 l 0 {PAGE + 256}")
    assert found[-3:] == [added(3 + 3), escape(escapes.USE, 3), (PAGE + 256) // 64]


def test_a_fence_follows_the_writes_that_it_waits_for(machine: Path) -> None:
    line = NVDIMM | 3 * 64 | 2 << 40
    script = f"f 0 0 i 0 3 n 0 {NV_PAGE} i 0 4 f 0 0 i 0 5 f 0 0 n 0 {NV_PAGE} f 1 0 f 0 0"
    assert run(machine, script) == [
        line | 7 << 45,
        escape(escapes.FENCE),
        line | 5 << 45,
        escape(escapes.FENCE),
    ]


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("r 0 0", "vCPU 0"),
        (f"{BEGIN} {message(0, 7, 'WAKE', 9)}", "thread 9"),
        ("w 0 1", "a word"),
        (") 0 1", "an end"),
        ("( 0 1 ( 0 1", "within a message"),
        ("( 0 1 w 0 65536", "a word"),
        (message(0, 7, "RUN", 8), "3 words"),
        (f"( 0 1 {'w 0 1 ' * 21}", "a word"),
        ("( 0 1 w 0 7 w 0 8 ) 0 1", "2 words"),
    ],
)
def test_invalid_messages_end_the_capture(machine: Path, script: str, what: str) -> None:
    done = start(machine, script)
    assert done.returncode == 121
    summary = (machine.parent / "summary").read_text()
    assert summary.startswith("causes: ") and what in summary
    assert len(summary.splitlines()) == 1


def test_the_latest_writes_before_the_region_come_first(machine: Path) -> None:
    pages = 1 << 18  # of the machine's NVDIMM
    reported = " ".join(
        (
            message(0, 7, "WRITTEN", 10, 0, 5),
            message(0, 7, "WRITTEN", 12, 0, 1),
            message(0, 7, "WRITTEN", 0, 2, 5000),
            message(0, 7, "WRITTEN", (pages - 1) & 0xFFFF, (pages - 1) >> 16, 1),
            # One line was written on the way to the region, and two were read.
            *(f"n 0 {NV_PAGE + at}" for at in range(0, 64, 8)),
            f"l 0 {NV_PAGE + 40 * 4096} l 0 {NV_PAGE + 41 * 4096}",
        )
    )
    done = start(machine, BEGIN.replace("i 0 1 r", f"{reported} i 0 1 r") + f" n 0 {NV_PAGE} r 0 0")
    assert done.returncode == 0, (machine.parent / "summary").read_text()
    content = (machine.parent / "trace").read_bytes()
    words = struct.unpack(f"<{len(content) // 8}Q", content)
    runs = ((10, 2), (13, 2), (12, 1), (2 << 16, 4096), ((2 << 16) + 4096, 904), (pages - 1, 1))
    expected = [
        escape(escapes.WRITTEN, first | length - 1 << 28) for first, length in (*runs, (3, 1))
    ]
    assert list(words[1 : 1 + len(expected)]) == expected
    assert [word >> 45 for word in words].count(escapes.WRITTEN) == len(expected)


def test_a_page_that_the_machine_does_not_have_is_rejected(machine: Path) -> None:
    done = start(machine, message(0, 7, "WRITTEN", 0xFFFF, 3, 2))
    assert done.returncode != 0
    assert "page 262144 " in (machine.parent / "summary").read_text()
