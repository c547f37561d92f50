# SPDX-License-Identifier: BSD-3-Clause
"""Captures what a job does to DRAM and to an emulated NVDIMM in a whole machine under QEMU.

The guest (`hmsim.guest`) boots, makes its files on the NVDIMM (ext4 on /dev/pmem0), drops its page
cache and runs the job; the plug-in in ``workloads/capture`` filters every load and store, the
kernel's too, through caches and records what leaves them (``docs/capture.md``). At
every boot it learns the addresses of DRAM and NVDIMM, and stops if it miscounts a known load.
"""

from __future__ import annotations

import collections
import contextlib
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from hmsim._core import InputError, parse_time
from hmsim.capture import guest as guests
from hmsim.capture.emulation import (
    BROKE_OFF,
    Caches,
    CaptureError,
    check_name_of,
    find_emulator,
    kill_group,
    plugin_option,
    read_totals,
    size_in_bytes,
    window_options,
)
from hmsim.capture.guest_image import job_names
from hmsim.capture.guest_tools import need_tools
from hmsim.capture.machine import (
    EMULATOR,
    PROCESSORS,
    UNCACHED,
    Machine,
    check_machine,
    format_nvdimm,
    running,
)
from hmsim.capture.monitor import MonitorError
from hmsim.capture.settings import SystemSettings
from hmsim.capture.snapshot import Beginning, beginning
from hmsim.common.directories import new_file, scratch_directory
from hmsim.traces.file import CAUSES, TWO_MEMORIES, check_name
from hmsim.traces.record_pipe import RecordPipe

USUAL = SystemSettings()
CACHES = Caches()
LEVEL = 10  # of zstd
RECORD = 8  # bytes
DELAYED = "pmbd-"  # drivers that can be slow
MICROSECOND = 1_000_000  # ps
LONGEST_DELAY = 10_000_000 * MICROSECOND
CONSOLE_LINES = 40  # kept of what the guest prints ...
SHOWN_LINES = 8  # ... and shown when something goes wrong
SAYS = "hmsim-guest: "  # begins lines of the guest's first program
PAUSED = "snapshot"  # it says so before it pauses the machine
TIMES = ("begin", "end")  # of the region; it says its microseconds
PATH = Union[str, "os.PathLike[str]"]
Report = Callable[[str, Optional[float]], None]


@dataclass(frozen=True)
class SystemCaptureSummary:
    """Counts of a capture within the job's region of interest and the window in it."""

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
    guest_us: Optional[int]  # the guest's time in the region; None: its end did not come
    seconds: float  # host time of the run


def capture_system(
    job: str,
    out: PATH,
    settings: SystemSettings = USUAL,
    *,
    snapshot: Optional[PATH] = None,
    force: bool = False,
    report: Report = lambda name, fraction: None,
) -> SystemCaptureSummary:
    """Boot a guest that has a job, run it, and write its trace: whole or not at all.

    Args:
        job: a name that `hmsim guest build` lists.
        out: trace in hmsim's format (zstd inside).
        settings: the machine, and what is recorded.
        snapshot: a folder with the machine's state when the job is about to run: the capture
            begins there instead of at power-on, or makes the folder if it does not exist.
        force: replace an existing file.
        report: called with each step, and its share that is done.

    Raises:
        CaptureError: the job cannot be captured.
        InputError: a file exists without ``force``, or cannot be written.
    """
    guests.check_job(job)
    check_name(out)
    machine = _machine(job, settings)
    window = window_options(settings.skip, settings.limit)
    options: dict[str, object] = {**CACHES.options(), **window, "regions": 1}
    if settings.size_limit is not None:
        options["records"] = max(size_in_bytes("size limit", settings.size_limit) // RECORD, 1)
    options |= {"dram": machine.dram, "nvdimm": machine.nvdimm, "causes": int(machine.causes)}
    options |= {"uncached": int(machine.driver == UNCACHED)}
    emulator = find_emulator(EMULATOR, "qemu-system-x86")
    need_tools(["mke2fs"])
    flags = TWO_MEMORIES | (CAUSES if machine.causes else 0)

    with new_file(out, force) as trace_file, contextlib.ExitStack() as stack:
        place = Path(out).absolute().parent
        spool = stack.enter_context(scratch_directory(place))
        scratch = stack.enter_context(scratch_directory(tempfile.gettempdir()))
        begin = stack.enter_context(beginning(snapshot, machine, scratch))
        pipe = stack.enter_context(RecordPipe(spool / "trace", trace_file, LEVEL))
        format_nvdimm(scratch / "nvdimm", machine.nvdimm)
        outputs = {"summary": spool / "summary", "trace": spool / "trace"}
        plugin = plugin_option({**outputs, **options})
        command = machine.command(emulator, scratch / "nvdimm", plugin, begin.kernel_option)
        command += begin.options
        summary = _run(command, job, spool / "summary", settings.timeout, report, begin)
        pipe.finish(flags, summary.vcpus, CACHES.kib, job.encode(), summary.records)
    return summary


def _machine(job: str, settings: SystemSettings) -> Machine:
    """Return the machine of a job. Raises CaptureError."""
    memory = settings.memory or ("1GiB" if job in job_names(small=True) else "2GiB")
    dram, nvdimm = size_in_bytes("memory", memory), size_in_bytes("nvdimm", settings.nvdimm)
    check_machine(settings.driver, dram, nvdimm, settings.vcpus, settings.scale)
    check_name_of("processor", settings.processor, list(PROCESSORS))
    delay = _delay(settings.delay, settings.driver)
    return Machine(
        guest=guests.find_guest(job),
        job=job,
        driver=settings.driver,
        dram=dram,
        nvdimm=nvdimm,
        vcpus=settings.vcpus,
        icount=settings.icount,
        scale=settings.scale,
        causes=settings.causes,
        delay=delay,
        processor=settings.processor,
    )


def _delay(text: Optional[str], driver: str) -> int:
    """Return a driver's delay in microseconds; 0 without ``text``.

    Raises CaptureError if the delay is invalid or the driver has no delay.
    """
    if text is None:
        return 0
    if not driver.startswith(DELAYED):
        raise CaptureError(f"delay: not supported with {driver}; use one of the drivers {DELAYED}*")
    try:
        ticks = parse_time(text)
    except InputError as error:
        raise CaptureError(f"delay: {error}") from error
    if ticks % MICROSECOND or not 0 < ticks <= LONGEST_DELAY:
        raise CaptureError(
            f"delay: must be between 1us and 10s in whole microseconds, got '{text}'"
        )
    return ticks // MICROSECOND


def _run(
    command: Sequence[str],
    job: str,
    summary: Path,
    timeout: float,
    report: Report,
    begin: Beginning,
) -> SystemCaptureSummary:
    """Run the machine until it ends, and report each step that its first program prints.

    Raises CaptureError if the machine, the job in it or the capture fails.
    """
    started = time.monotonic()
    late = threading.Event()
    console: collections.deque[str] = collections.deque(maxlen=CONSOLE_LINES)
    status: Optional[int] = None  # of the job, once the guest said it
    times: dict[str, int] = {}  # of the region's begin and end, once the guest said it
    refusal = ""
    with running(command, timeout, late) as process:
        assert process.stdout
        step = "boot"
        report(step, None)
        try:
            begin.started()
            for raw in process.stdout:
                line = raw.decode(errors="replace").rstrip()
                console.append(line)
                if not line.startswith(SAYS):
                    continue
                name, _, value = line[len(SAYS) :].partition(" ")
                if name in TIMES and value.isdigit():
                    times.setdefault(name, int(value))
                    continue
                report(step, 1)
                step = line[len(SAYS) :]
                report(step, None)
                if step == PAUSED:
                    begin.paused()
                if name == "status" and value.isdigit():
                    status = int(value)
            ended = process.wait()
        except MonitorError as error:
            refusal = str(error)
            kill_group(process.pid)
            console.extend(raw.decode(errors="replace").rstrip() for raw in process.stdout)
            ended = process.wait()
        report(step, 1)
    shown = "".join(f"\nconsole: {line}" for line in list(console)[-SHOWN_LINES:])
    if late.is_set():
        raise CaptureError(f"{job}: did not end within {timeout:g} s; nothing was kept{shown}")
    if refusal:
        raise CaptureError(f"{job}: {refusal}{shown}")
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
    took = times["end"] - times["begin"] if len(times) == len(TIMES) else None
    return SystemCaptureSummary(**totals, guest_us=took, seconds=time.monotonic() - started)
