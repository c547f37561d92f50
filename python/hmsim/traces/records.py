# SPDX-License-Identifier: BSD-3-Clause
"""Records of trace files in Python: enough to summarise and convert; runs read traces in C++."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Optional, Union

from hmsim._core import InputError, TraceRecords, guessed_columns, trace_formats
from hmsim.common.hints import hint
from hmsim.traces.file import MAGIC, START, TraceFile, is_trace_file
from hmsim.traces.reader import expected_size, open_trace, read_pieces

AnyPath = Union[str, "os.PathLike[str]"]
Reporter = Callable[[Optional[float]], None]  # of the share that is done, None when unknown
LONGEST_LINE = 4096  # bytes
LONGEST_SHOWN = 80  # characters of a line in a message
BATCH = 10_000  # accesses read at a time
LINE = 64  # bytes

# Records of hmsim's own format, docs/trace-format.md
NVDIMM = 1 << 39  # in a line number, of two memories
LARGEST_DELTA = (1 << 19) - 1
FILL, WRITE_BACK, NT_WRITE = range(3)


class Access(NamedTuple):
    """One access; ``time`` is in the format's own unit and counts from the trace's start."""

    time: int
    address: int  # bytes
    write: bool
    size: int  # bytes
    source: int  # vCPU or device


class Watched:
    """Bytes of a trace by offset, and the share of them that was read."""

    def __init__(self, path: AnyPath) -> None:
        """Open a trace. Raises InputError."""
        self._reader = open_trace(path)
        self._size = expected_size(path)
        self._place = 0

    def read(self, offset: int) -> bytes:
        """Return some bytes from ``offset`` on, nothing at the end. Raises InputError."""
        self._place = offset
        return self._reader.read(offset)

    @property
    def share(self) -> float | None:
        """Share of the trace before the last bytes read; None: unknown."""
        return min(self._place / self._size, 1) if self._size else None


class Reading:
    """The accesses of a trace in the format ``name``, as runs read it, and counts of other records.

    ``options`` are keys of an agent that runs such a trace: ``columns.time``, ``levels``,
    ``on_bad_record``.
    """

    def __init__(self, path: AnyPath, name: str, options: Mapping[str, str] | None = None) -> None:
        """Open the trace. Raises InputError."""
        self._watched = Watched(path)
        pairs = [(key, str(value)) for key, value in (options or {}).items()]
        self.records = TraceRecords(name, os.fspath(path), self._watched.read, pairs)

    @property
    def share(self) -> float | None:
        """Share of the trace that was read; None: unknown."""
        return self._watched.share

    def accesses(self, report: Reporter | None = None, most: int | None = None) -> Iterator[Access]:
        """Yield the accesses, ``most`` at most. Reads nothing after them. Raises InputError."""
        left = sys.maxsize if most is None else most
        while left > 0 and (batch := self.records.read(min(BATCH, left))):
            left -= len(batch)
            yield from map(Access._make, batch)
            if report:
                report(self.share)


def read(path: AnyPath, name: str, report: Reporter | None = None) -> Iterator[Access]:
    """Yield the accesses of a trace in the format ``name``, as runs read it. Raises InputError."""
    return Reading(path, name).accesses(report)


def has_two_memories(path: AnyPath) -> bool:
    """Return whether a trace has lines of DRAM and of an NVDIMM."""
    return is_trace_file(path) and TraceFile(path).header.two_memories


FORMATS = {each.name: each for each in trace_formats()}


def find_format(path: AnyPath, name: str | None) -> str:
    """Return a format's name: the given one, or the one detected from the first line.

    Raises InputError when the name is unknown, or the file is empty or resembles no format.
    """
    if name is not None and name not in FORMATS:
        raise InputError(f"unknown format '{name}'; {hint(name, FORMATS)}")
    start = b""
    for piece in read_pieces(path):
        start += piece
        if len(start) >= LONGEST_LINE:
            break
    if not start:
        raise InputError(f"{os.fspath(path)}: is empty")
    if name is not None:
        return name
    if start.startswith(START) and not is_trace_file(path):
        raise InputError(
            f"{os.fspath(path)}: hmsim's format must not be compressed again; it is "
            "already compressed"
        )
    if start.startswith(MAGIC):
        raise InputError(f"{os.fspath(path)}: version 1 of hmsim's format is no longer supported")
    found = next((each.name for each in FORMATS.values() if each.looks_like(start)), None)
    if found is None:
        raise InputError(
            f"{os.fspath(path)}: {_unknown(path, start)}; known formats: {', '.join(FORMATS)}"
        )
    return found


def _unknown(path: AnyPath, start: bytes) -> str:
    """Return the error of a trace whose start matches no format, and how to read it."""
    if b"\0" in start:
        oracle = "oraclegeneral" in os.path.basename(path).lower()
        hint = "use --format oraclegeneral for libCacheSim's" if oracle else "state its --format"
        return f"its bytes are not text, and not ChampSim's instructions: {hint}"
    lines = [line.strip() for line in start.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    lines = [line for line in lines if line and not line.startswith(b"#")][:2]
    line = lines[0] if lines else b""
    guess, header = guessed_columns(line), ""
    if not guess and len(lines) == 2:
        guess, header = guessed_columns(lines[1]), ",header=1"
    hint = f"'{guess}{header}' would read it" if guess else "format csv reads other columns"
    return f"the first line matches no format that can be detected, got '{_shown(line)}'; {hint}"


def _shown(line: bytes) -> str:
    """Return a line as printable text of bounded length."""
    text = "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in line[:LONGEST_SHOWN])
    return text + ("..." if len(line) > LONGEST_SHOWN else "")
