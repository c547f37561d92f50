# SPDX-License-Identifier: BSD-3-Clause
"""Captures the memory and file traffic of a real program under QEMU's user mode.

The plug-in in ``workloads/capture`` filters the program's loads and stores through caches and
records its file reads and writes; this module starts it and writes the trace files
(``docs/trace-format.md``). Limits:

- Only data accesses of user code count: no instruction fetches, no accesses by the kernel (``read``
  into a buffer), no ``clflush`` or ``clwb``, no I/O through ``mmap``.
- Only the program itself is followed, with all its threads, not the processes that it starts,
  unless ``follow`` says so; their memory traffic never is.
- There is no page cache: a file read twice is recorded twice.
- Each round of a ``rep`` string instruction counts as an instruction.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Optional, Union, cast

from hmsim.capture.emulation import (
    BROKE_OFF,
    CaptureError,
    check_name_of,
    find_emulator,
    kill_group,
    pack_text,
    plugin_option,
    read_totals,
    window_options,
)
from hmsim.capture.settings import ProgramSettings
from hmsim.common.directories import new_file, open_regular, scratch_directory
from hmsim.traces.file import RENUMBERED_PAGES, check_name
from hmsim.traces.record_pipe import RecordPipe

# Without erms and fsrm the C library copies by vector instructions, not by `rep movsb`, of which
# QEMU reports every byte.
CPU = "max,-erms,-fsrm"
EMULATOR = "qemu-x86_64"
USUAL = ProgramSettings()
BLOCK_FORMATS = ["mqsim", "blkparse"]
PATH = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class CaptureSummary:
    """Counts of a capture within its window and regions."""

    instructions: int
    total_instructions: int  # of the whole run, recorded or not
    records: int  # of the trace, escapes included
    fills: int  # last-level-cache misses: reads of a 64-byte line
    write_backs: int  # lines
    nt_writes: int  # lines or parts of them written by non-temporal stores
    pages: int  # distinct 4 KB pages touched
    vcpus: int  # threads, 8 at most
    block_reads: int  # requests
    block_writes: int
    block_read_bytes: int
    block_write_bytes: int
    block_flushes: int  # fsync and its like; only blkparse's format holds them
    block_extents: int  # MiB that the files take on the device
    exit_status: int  # of the program; 0 when the limit ended it
    limited: bool  # whether the limit ended the program
    seconds: float  # host time of the run

    @property
    def mpki(self) -> float:
        """Misses (fills) per thousand instructions; 0 without instructions."""
        return 1000 * self.fills / max(self.instructions, 1)

    @property
    def wpki(self) -> float:
        """Lines written, back or non-temporally, per thousand instructions."""
        return 1000 * (self.write_backs + self.nt_writes) / max(self.instructions, 1)


def capture(
    command: Sequence[str],
    out: Optional[PATH],
    settings: ProgramSettings = USUAL,
    *,
    blocks: Optional[PATH] = None,
    check: bool = True,
    force: bool = False,
    stdout: Optional[Union[int, IO[bytes]]] = None,
) -> CaptureSummary:
    """Run ``command`` and write its traces; each appears whole or not at all.

    Args:
        command: the program and its arguments.
        out: memory trace in hmsim's format (zstd inside), or None.
        settings: what is recorded, and through which caches.
        blocks: block trace, or None; a name in .zst, .gz or .xz compresses.
        check: refuse a program whose exit status is not 0.
        force: replace existing files.
        stdout: where the program's output goes, as in `subprocess.Popen`.

    Raises:
        CaptureError: the program cannot be captured.
        InputError: a file exists without ``force``, or cannot be written.
    """
    if out is None and blocks is None:
        raise CaptureError("nothing to capture: a memory trace or a block trace is required")
    check_name_of("block format", settings.block_format, BLOCK_FORMATS)
    window = (settings.skip, settings.limit)
    if settings.follow and (out is not None or window != (None, None) or settings.roi):
        raise CaptureError(
            "follow: needs a block trace of a whole run, without a memory trace, "
            "skip, limit and regions"
        )
    if out is not None:
        check_name(out)
    caches = settings.caches
    options = {**caches.options(), **window_options(*window), "regions": int(settings.roi)}
    program = _program(command)
    emulator = find_emulator(EMULATOR, "qemu-user")

    with contextlib.ExitStack() as stack:
        trace_file = None if out is None else stack.enter_context(new_file(out, force))
        block_file = None if blocks is None else stack.enter_context(new_file(blocks, force))
        place = Path(cast(PATH, blocks if out is None else out)).absolute().parent
        spool = stack.enter_context(scratch_directory(place))
        outputs = {"summary": str(spool / "summary")}
        if trace_file:
            outputs["trace"] = str(spool / "trace")
            pipe = stack.enter_context(RecordPipe(spool / "trace", trace_file, settings.level))
        if block_file:
            outputs["blocks"] = str(spool / "blocks")
            outputs["blkparse"] = str(int(settings.block_format == "blkparse"))
            if settings.files is not None:
                outputs["files"] = settings.files
        if settings.follow:
            outputs["follow"] = str(spool / "traced")
        (spool / "blocks").touch()
        plugin = plugin_option({**outputs, **options})
        summary = _run(
            [emulator, "-cpu", CPU, "-seed", "1", "-plugin", plugin, *program],
            command[0],
            spool / "summary",
            settings.timeout,
            check,
            settings.follow,
            stdout,
        )
        if trace_file:
            label = os.fsencode(os.path.basename(command[0]))
            pipe.finish(RENUMBERED_PAGES, summary.vcpus, caches.kib, label, summary.records)
        if block_file:
            pack_text(spool / "blocks", block_file, Path(cast(PATH, blocks)).suffix, settings.level)
    return summary


def _program(command: Sequence[str]) -> list[str]:
    """Return the command with the program's path; a script's interpreter is put before it."""
    if not command:
        raise CaptureError("a program is required")
    words = list(command)
    for _ in range(4):  # as many scripts as Linux resolves
        path = shutil.which(words[0])
        if path is None:
            reason = "cannot be executed" if os.path.exists(words[0]) else "no such program"
            raise CaptureError(f"{words[0]}: {reason}")
        words[0] = path
        with open_regular(path) as file:
            start = file.read(256)
        if not start.startswith(b"#!"):
            # ELF, 64 bit, little endian; machine 62: x86-64.
            if start[:6] != b"\x7fELF\x02\x01" or start[18:20] != b"\x3e\x00":
                raise CaptureError(f"{path}: is not an x86-64 program")
            return words
        line = os.fsdecode(start[2:].partition(b"\n")[0]).strip()
        interpreter = line.split(None, 1)
        if not interpreter:
            raise CaptureError(f"{path}: its first line must name an interpreter")
        if os.path.basename(interpreter[0]) == "env":
            interpreter = [word for word in line.split()[1:] if word != "-S"]
        words = [*interpreter, *words]
    raise CaptureError(f"{command[0]}: too many nested script interpreters")


def _run(
    command: Sequence[str],
    name: str,
    summary: Path,
    timeout: Optional[float],
    check: bool,
    follow: bool,
    stdout: Optional[Union[int, IO[bytes]]],
) -> CaptureSummary:
    """Run QEMU in a separate process group, which ends after the timeout.

    If its processes are followed, those that outlive the program are ended as well.
    """
    started = time.monotonic()
    try:
        process = subprocess.Popen(command, stdout=stdout, start_new_session=True)
    except OSError as error:
        raise CaptureError(f"{name}: cannot be started: {error.strerror}") from error
    try:
        status = process.wait(timeout)
    except subprocess.TimeoutExpired:
        raise CaptureError(f"{name}: did not end within {timeout:g} s; nothing was kept") from None
    finally:
        if follow or process.poll() is None:
            kill_group(process.pid)
            process.wait()
    seconds = time.monotonic() - started
    text = summary.read_text(errors="replace") if summary.exists() else ""
    if status == BROKE_OFF and text and not text.startswith("{"):
        raise CaptureError(f"{name}: {text.strip()}")
    if status < 0:
        raise CaptureError(f"{name}: killed by signal {-status} ({signal.strsignal(-status)})")
    if not text:
        raise CaptureError(
            f"{name}: ended without totals (exit status {status}): QEMU could not run "
            "it, or it replaced itself by another program; name that program instead"
        )
    if check and status != 0:
        raise CaptureError(f"{name}: exit status {status}; nothing was kept")
    totals = read_totals(text, CaptureSummary)
    if totals["limited"]:
        kill_group(process.pid)
    return CaptureSummary(**totals, exit_status=status, seconds=seconds)
