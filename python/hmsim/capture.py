# SPDX-License-Identifier: BSD-3-Clause
"""Captures the memory and file traffic of a real program under QEMU's user mode.

The plug-in in ``workloads/capture`` filters the program's loads and stores through caches and
records its file reads and writes; this module starts it and writes the trace files
(``docs/trace-format.md``). Limits:

- Only data accesses of user code count: no instruction fetches, no accesses by the kernel (``read``
  into a buffer), no ``clflush`` or ``clwb``, no I/O through ``mmap``.
- Only the program itself is followed, with all its threads, not the processes that it starts.
- There is no page cache: a file read twice is recorded twice.
- Each round of a ``rep`` string instruction counts as an instruction.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Optional, Union, cast

from hmsim._core import InputError
from hmsim.directories import new_file
from hmsim.traces import compressed

PLUGIN = Path(__file__).resolve().parent / "_capture" / "hmsim_capture.so"
# Without erms and fsrm the C library copies by vector instructions, not by `rep movsb`, of which
# QEMU reports every byte.
CPU = "max,-erms,-fsrm"
BROKE_OFF = 121  # exit status of the plug-in's own failures
HEADER = struct.Struct("<8sHHBBHQQHHI24s")
RENUMBERED_PAGES = 1  # header flag
PATH = Union[str, "os.PathLike[str]"]


class CaptureError(InputError):
    """The program cannot be captured; the message is meant for the user."""


@dataclass(frozen=True)
class CaptureSummary:
    """What a capture recorded, within its window and regions."""

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
    *,
    blocks: Optional[PATH] = None,
    limit: Optional[int] = None,
    skip: Optional[int] = None,
    roi: bool = False,
    l1: str = "32KiB",
    l2: str = "2MiB",
    l3: str = "8MiB",
    ways: tuple[int, int, int] = (4, 4, 4),
    files: Optional[str] = None,
    qemu: str = "qemu-x86_64",
    timeout: Optional[float] = None,
    check: bool = True,
    force: bool = False,
    level: int = 10,
    stdout: Optional[Union[int, IO[bytes]]] = None,
) -> CaptureSummary:
    """Run ``command`` and write its traces; each appears whole or not at all.

    - ``out``: memory trace in hmsim's binary format, or None; a name in .zst, .gz or .xz
      compresses (zstd and gzip at ``level``).
    - ``blocks``: block trace in MQSim's text format, or None, likewise. ``files`` is a pattern
      (``*``, ``?``, ``[]``; ``*`` matches ``/`` too) of full paths to record; default: all regular
      files but programs and shared libraries. Never recorded: /proc, /sys, /dev.
    - ``skip``, ``limit``: recorded are the program's instructions from ``skip`` on, up to
      ``skip`` + ``limit``, where the program is ended; both edges are rounded up to a block.
      Caches are warm: they work from the program's start.
    - ``roi``: records only between the 1st and 2nd, 3rd and 4th, ... ``xchg %bx,%bx``.
    - ``l1``, ``l2``, ``l3``, ``ways``: data caches, LRU, 64-byte lines; L1 and L2 are private to a
      thread, L3 is shared.
    - ``timeout``: seconds of host time. ``check``: refuse a program whose exit status is not 0.
    - ``stdout``: where the program's output goes, as in `subprocess.Popen`.

    Raises CaptureError, and InputError when a file exists without ``force`` or cannot be written.
    """
    if out is None and blocks is None:
        raise CaptureError("nothing to capture: neither a memory trace nor a block trace is named")
    sizes = [_kib(name, text) for name, text in (("l1", l1), ("l2", l2), ("l3", l3))]
    if sizes[0] >= 1 << 16 or sizes[1] >= 1 << 16 or sizes[2] >= 1 << 32:
        raise CaptureError("l1 and l2 must be smaller than 64MiB, l3 smaller than 4TiB")
    for name, count, least in (("skip", skip, 0), ("limit", limit, 1)):
        if count is not None and not least <= count < 1 << 62:
            raise CaptureError(f"{name}: {count} instructions: must be {least} or more")
    program = _program(command)
    options = {f"l{k}": sizes[k - 1] for k in (1, 2, 3)}
    options |= {f"l{k}_ways": ways[k - 1] for k in (1, 2, 3)}
    options |= {"skip": skip or 0, "limit": limit or 0, "regions": int(roi)}
    emulator = _emulator(qemu)

    with contextlib.ExitStack() as stack:
        trace_file = None if out is None else stack.enter_context(new_file(out, force))
        block_file = None if blocks is None else stack.enter_context(new_file(blocks, force))
        place = Path(cast(PATH, blocks if out is None else out)).absolute().parent
        spool = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".hmsim.", dir=place)))
        arguments = [f"file={PLUGIN}", f"summary={spool / 'summary'}"]
        if trace_file:
            arguments.append(f"trace={spool / 'trace'}")
        if block_file:
            arguments.append(f"blocks={spool / 'blocks'}")
            if files is not None:
                arguments.append(f"files={files}")
        arguments += [f"{name}={value}" for name, value in options.items()]
        for name in ("trace", "blocks"):
            (spool / name).touch()
        plugin = ",".join(text.replace(",", ",,") for text in arguments)
        summary = _run(
            [emulator, "-cpu", CPU, "-seed", "1", "-plugin", plugin, *program],
            command[0],
            spool / "summary",
            timeout,
            check,
            stdout,
        )
        if trace_file:
            label = os.fsencode(os.path.basename(command[0]))[: 24 - 1]
            header = HEADER.pack(
                *(b"HMSIMTRC", 1, HEADER.size, 6, summary.vcpus, RENUMBERED_PAGES),
                *(summary.records, summary.instructions, *sizes, label),
            )
            _pack(spool / "trace", header, trace_file, Path(cast(PATH, out)).suffix, level)
        if block_file:
            _pack(spool / "blocks", b"", block_file, Path(cast(PATH, blocks)).suffix, level)
    return summary


def _kib(name: str, text: str) -> int:
    """Return a size such as ``32KiB`` in KiB."""
    match = re.fullmatch(r"(\d+)\s*(KiB|MiB|GiB)", text.strip())
    if not match:
        raise CaptureError(f"{name}: '{text}' is no size; write it as 32KiB or 2MiB")
    return int(match[1]) << {"KiB": 0, "MiB": 10, "GiB": 20}[match[2]]


def _emulator(qemu: str) -> str:
    path = shutil.which(qemu)
    if path is None:
        raise CaptureError(f"{qemu} is not installed; on Debian: apt-get install qemu-user")
    if not PLUGIN.is_file():
        raise CaptureError(f"{PLUGIN} is not built; run 'scons capture'")
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    version = re.search(r"version (\d+)", done.stdout)
    if not version or not 6 <= int(version[1]) <= 8:
        found = done.stdout.strip().partition("\n")[0]
        raise CaptureError(f"{path}: QEMU 6 to 8 is needed (plug-in interface 1), not '{found}'")
    return path


def _program(command: Sequence[str]) -> list[str]:
    """Return the command with the program's path; a script's interpreter is put before it."""
    if not command:
        raise CaptureError("no program is named")
    words = list(command)
    for _ in range(4):  # as many scripts as Linux resolves
        path = shutil.which(words[0])
        if path is None:
            reason = "cannot be executed" if os.path.exists(words[0]) else "no such program"
            raise CaptureError(f"{words[0]}: {reason}")
        words[0] = path
        try:
            with open(path, "rb") as file:
                start = file.read(256)
        except OSError as error:
            raise CaptureError(f"{path}: {error.strerror}") from error
        if not start.startswith(b"#!"):
            # ELF, 64 bit, little endian; machine 62: x86-64.
            if start[:6] != b"\x7fELF\x02\x01" or start[18:20] != b"\x3e\x00":
                raise CaptureError(f"{path}: not an x86-64 program")
            return words
        line = os.fsdecode(start[2:].partition(b"\n")[0]).strip()
        interpreter = line.split(None, 1)
        if not interpreter:
            raise CaptureError(f"{path}: its first line names no interpreter")
        if os.path.basename(interpreter[0]) == "env":
            interpreter = [word for word in line.split()[1:] if word != "-S"]
        words = [*interpreter, *words]
    raise CaptureError(f"{command[0]}: too many scripts interpret each other")


def _run(
    command: Sequence[str],
    name: str,
    summary: Path,
    timeout: Optional[float],
    check: bool,
    stdout: Optional[Union[int, IO[bytes]]],
) -> CaptureSummary:
    """Run QEMU in a process group of its own, which ends with the timeout or the limit."""
    started = time.monotonic()
    try:
        process = subprocess.Popen(command, stdout=stdout, start_new_session=True)
    except OSError as error:
        raise CaptureError(f"{name}: cannot be started: {error.strerror}") from error
    try:
        status = process.wait(timeout)
    except subprocess.TimeoutExpired:
        raise CaptureError(f"{name}: not done after {timeout:g} s; nothing was kept") from None
    finally:
        if process.poll() is None:
            _kill_group(process.pid)
            process.wait()
    seconds = time.monotonic() - started
    text = summary.read_text(errors="replace") if summary.exists() else ""
    if status == BROKE_OFF and text and not text.startswith("{"):
        raise CaptureError(f"{name}: {text.strip()}")
    if status < 0:
        raise CaptureError(f"{name}: killed by signal {-status} ({signal.strsignal(-status)})")
    if not text:
        raise CaptureError(
            f"{name}: no totals at its end (exit status {status}): QEMU could not run it, or it "
            "replaced itself by another program, which should be named instead"
        )
    totals = json.loads(text)
    if check and status != 0:
        raise CaptureError(f"{name}: exit status {status}; nothing was kept")
    totals["limited"] = bool(totals["limited"])
    if totals["limited"]:
        _kill_group(process.pid)
    return CaptureSummary(**totals, exit_status=status, seconds=seconds)


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _pack(source: Path, header: bytes, target: Path, suffix: str, level: int) -> None:
    """Write header and source to a file, compressed as the suffix says."""
    size = len(header) + source.stat().st_size
    with open(source, "rb") as content, compressed(target, suffix, level, size) as packed:
        packed.write(header)
        shutil.copyfileobj(content, packed, 1 << 20)
