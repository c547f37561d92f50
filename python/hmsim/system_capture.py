# SPDX-License-Identifier: BSD-3-Clause
"""Captures what a job does to DRAM and to an emulated NVDIMM in a whole machine under QEMU.

The guest (`hmsim.guest`) boots, makes its files on the NVDIMM (ext4 on /dev/pmem0), drops its page
cache and runs the job; the plug-in in ``workloads/capture`` filters every load and store, the
kernel's too, through caches and records what leaves them (``docs/full-system-capture.md``). It
learns where DRAM and NVDIMM lie at every boot and refuses to go on when it miscounts a known load.
"""

from __future__ import annotations

import collections
import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Optional, Union

from hmsim import guest as guests
from hmsim.directories import new_file
from hmsim.emulation import (
    BROKE_OFF,
    TWO_MEMORIES,
    Caches,
    CaptureError,
    find_emulator,
    kill_group,
    pack,
    plugin_option,
    read_totals,
    size_in_bytes,
    trace_header,
    window_options,
)
from hmsim.guest_tools import find_tool, need_tools, run_tool

# Its string instructions copy by words, not by bytes, of which QEMU would report every one.
CPU = "qemu64"
VCPUS = 8  # at most, in a trace
RECORD = 8  # bytes
CONSOLE_LINES = 40  # kept of what the guest prints ...
SHOWN_LINES = 8  # ... and shown when something goes wrong
SAYS = "hmsim-guest: "  # begins lines of the guest's first program
KERNEL_COMMAND = (
    "console=ttyS0 quiet loglevel=4 panic=-1 nokaslr norandmaps mitigations=off hmsim_job={job}"
)
# An ext4 file system that is the same each time, and has no work left for later.
FILE_SYSTEM = (
    *("-q", "-F", "-t", "ext4", "-b", "4096", "-U", "686d7369-6d00-4000-8000-000000000001", "-E"),
    "hash_seed=686d7369-6d00-4000-8000-000000000002,lazy_itable_init=0,lazy_journal_init=0",
)
PATH = Union[str, "os.PathLike[str]"]
Report = Callable[[str, Optional[float]], None]


@dataclass(frozen=True)
class SystemCaptureSummary:
    """What a capture recorded within the job's region of interest and the window in it."""

    instructions: int
    total_instructions: int  # since power-on
    records: int  # of the trace, escapes included
    fills: int  # last-level-cache misses: reads of a 64-byte line
    write_backs: int  # lines
    nt_writes: int  # lines or parts of them written by non-temporal stores
    nvdimm_fills: int  # those of them that go to the NVDIMM; the others go to DRAM
    nvdimm_write_backs: int
    nvdimm_nt_writes: int
    flushes: int  # clflush, clflushopt and clwb executed; the caches know nothing of them
    pages: int  # distinct 4 KB pages touched
    elsewhere: int  # accesses to devices and firmware since calibration
    vcpus: int
    limited: bool  # whether a limit ended the capture before the job's end
    seconds: float  # host time of the run


def capture_system(
    job: str,
    out: PATH,
    *,
    icount: bool = False,
    limit: Optional[int] = None,
    skip: Optional[int] = None,
    size_limit: Optional[str] = None,
    l1: str = "32KiB",
    l2: str = "2MiB",
    l3: str = "8MiB",
    ways: tuple[int, int, int] = (4, 4, 4),
    memory: str = "1GiB",
    nvdimm: str = "256MiB",
    vcpus: int = 1,
    qemu: str = "qemu-system-x86_64",
    timeout: float = 600,
    force: bool = False,
    level: int = 10,
    report: Report = lambda name, fraction: None,
) -> SystemCaptureSummary:
    """Boot the small guest, run a job in it, and write its trace: whole or not at all.

    - ``out``: trace in hmsim's binary format; a name in .zst, .gz or .xz compresses.
    - ``icount``: the guest's time is its instructions, so that traces are the same bit for bit.
    - ``skip``, ``limit``: recorded are the instructions of all vCPUs from ``skip`` behind the begin
      of the job's first region of interest up to ``skip`` + ``limit``, where the machine ends.
    - ``size_limit``: the uncompressed trace ends the machine at this size.
    - ``l1``, ``l2``, ``l3``, ``ways``: data caches as in `hmsim.capture.capture`.
    - ``memory``, ``nvdimm``: bytes of DRAM (3GiB at most) and of the NVDIMM; ``vcpus``: 8 at most.
    - ``timeout``: seconds of host time for the whole run.

    Raises CaptureError, and InputError when a file exists without ``force`` or cannot be written.
    """
    guests.check_job(job)
    caches = Caches(l1, l2, l3, ways)
    dram_bytes, nvdimm_bytes = size_in_bytes("memory", memory), size_in_bytes("nvdimm", nvdimm)
    if not 128 << 20 <= dram_bytes <= 3 << 30:
        raise CaptureError("memory: must be 128MiB to 3GiB")
    if nvdimm_bytes < 64 << 20 or nvdimm_bytes % (2 << 20):
        raise CaptureError("nvdimm: must be 64MiB or more, in units of 2MiB")
    if not 1 <= vcpus <= VCPUS:
        raise CaptureError(f"vcpus: must be 1 to {VCPUS}")
    options: dict[str, object] = {**caches.options(), **window_options(skip, limit), "regions": 1}
    options |= {"dram": dram_bytes, "nvdimm": nvdimm_bytes}
    if size_limit is not None:
        options["records"] = max(size_in_bytes("size limit", size_limit) // RECORD, 1)
    emulator = find_emulator(qemu, "qemu-system-x86")
    need_tools(["mke2fs"])
    guest = guests.find_small()

    with new_file(out, force) as trace_file, contextlib.ExitStack() as stack:
        place = Path(out).absolute().parent
        spool = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".hmsim.", dir=place)))
        backing = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hmsim.")), "nvdimm")
        (spool / "trace").touch()
        _format(backing, nvdimm_bytes)
        outputs = {"summary": spool / "summary", "trace": spool / "trace"}
        command = [
            *(emulator, "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"),
            *("-serial", "stdio", "-accel", "tcg,thread=single", "-cpu", CPU, "-seed", "1"),
            *("-machine", "pc,nvdimm=on", "-smp", str(vcpus)),
            *("-m", f"{dram_bytes >> 20}M,slots=2,maxmem={(dram_bytes + nvdimm_bytes) >> 20}M"),
            *(
                "-object",
                f"memory-backend-file,id=nvdimm,share=on,mem-path={backing},size={nvdimm_bytes}",
            ),
            *("-device", "nvdimm,id=nvdimm0,memdev=nvdimm"),
            *("-kernel", str(guest.bzimage), "-initrd", str(guest.initramfs)),
            *("-append", KERNEL_COMMAND.format(job=job)),
            *("-plugin", plugin_option({**outputs, **options})),
        ]
        if icount:
            command += ["-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm"]
        summary = _run(command, job, spool / "summary", timeout, report)
        header = trace_header(
            TWO_MEMORIES, summary.vcpus, summary.records, summary.instructions, caches, job
        )
        pack(spool / "trace", header, trace_file, Path(out).suffix, level)
    return summary


def _format(path: Path, size: int) -> None:
    """Make a file that holds an empty file system."""
    with path.open("wb") as file:
        file.truncate(size)
    program = find_tool("mke2fs")
    assert program
    command = [program, *FILE_SYSTEM, str(path)]
    run_tool("the NVDIMM's file system", command, path.parent, {"E2FSPROGS_FAKE_TIME": "1"})


def _run(
    command: Sequence[str], job: str, summary: Path, timeout: float, report: Report
) -> SystemCaptureSummary:
    """Run the machine; report what its first program says."""
    started = time.monotonic()
    late = threading.Event()
    console: collections.deque[str] = collections.deque(maxlen=CONSOLE_LINES)
    status: Optional[int] = None  # of the job, once the guest said it
    with _machine(command, timeout, late) as process:
        assert process.stdout
        step = "boot"
        report(step, None)
        for raw in process.stdout:
            line = raw.decode(errors="replace").rstrip()
            console.append(line)
            if line.startswith(SAYS):
                report(step, 1)
                step = line[len(SAYS) :]
                report(step, None)
                name, _, value = step.partition(" ")
                if name == "status" and value.isdigit():
                    status = int(value)
        report(step, 1)
        ended = process.wait()
    shown = "\n".join(["", "the console's last lines:", *list(console)[-SHOWN_LINES:]])
    if late.is_set():
        raise CaptureError(f"{job}: not done after {timeout:g} s; nothing was kept{shown}")
    text = summary.read_text(errors="replace") if summary.exists() else ""
    if ended == BROKE_OFF and text and not text.startswith("{"):
        raise CaptureError(f"{job}: {text.strip()}")
    if ended:
        how = f"signal {-ended} ({signal.strsignal(-ended)})" if ended < 0 else f"status {ended}"
        raise CaptureError(f"{job}: QEMU ended with {how}{shown}")
    totals = read_totals(text, SystemCaptureSummary) if text else {}
    if not totals or not (totals["limited"] or status is not None):
        raise CaptureError(f"{job}: the guest ended before its job did{shown}")
    if status:
        raise CaptureError(f"{job}: failed in the guest with status {status}{shown}")
    if not totals["instructions"]:
        raise CaptureError(f"{job}: marked no region of interest{shown}")
    return SystemCaptureSummary(**totals, seconds=time.monotonic() - started)


@contextlib.contextmanager
def _machine(
    command: Sequence[str], timeout: float, late: threading.Event
) -> Iterator[subprocess.Popen[bytes]]:
    """Start QEMU, ended at the latest with the block, or when the time is over (then ``late``)."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise CaptureError(f"{command[0]}: cannot be started: {error.strerror}") from error

    def end() -> None:
        late.set()
        kill_group(process.pid)

    timer = threading.Timer(timeout, end)
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        if process.poll() is None:
            kill_group(process.pid)
        process.wait()
        stdout: Optional[IO[bytes]] = process.stdout
        if stdout:
            stdout.close()
