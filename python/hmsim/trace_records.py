# SPDX-License-Identifier: BSD-3-Clause
"""Records of trace files in Python: enough to summarise and convert; runs read traces in C++."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import NamedTuple, Union

from hmsim._core import InputError, TraceRecords, nearest_name
from hmsim.traces import TraceReader, read_pieces

AnyPath = Union[str, "os.PathLike[str]"]
LONGEST_LINE = 4096  # bytes
BATCH = 10_000  # accesses read at a time
MSR_COMMAS = 6  # in a line
BLKPARSE_FIELDS = 6  # in a line, at least
LINE = 64  # bytes

# hmsim's own format, docs/trace-format.md
MAGIC = b"HMSIMTRC"
HEADER = struct.Struct("<8sHHBBHQQHHI24s")
VERSION = 1
RENUMBERED_PAGES, TWO_MEMORIES = 1, 2  # header flags
NVDIMM = 1 << 39  # in a line number, of two memories
LINE_BITS = 40
VCPU_SHIFT, DELTA_SHIFT = 42, 45
LARGEST_DELTA = (1 << 19) - 1
FILL, WRITE_BACK, NT_WRITE, ESCAPE = range(4)


class Access(NamedTuple):
    """One access; ``time`` is in the format's own unit and counts from the trace's start."""

    time: int
    address: int  # bytes
    write: bool
    size: int  # bytes
    source: int  # vCPU or device


def _text(path: AnyPath, name: str) -> Iterator[Access]:
    """Yield the accesses of a text format, read as runs read them."""
    records = TraceRecords(name, os.fspath(path), TraceReader(path).read)
    while batch := records.read(BATCH):
        yield from map(Access._make, batch)


def _words(path: AnyPath) -> Iterator[int]:
    """Yield the records of a trace in hmsim's format as numbers."""
    rest = b""
    promised = None
    count = 0
    for piece in read_pieces(path):
        rest += piece
        if promised is None:
            if len(rest) < HEADER.size:
                continue
            magic, version, size, shift, _, _, promised, *_ = HEADER.unpack_from(rest)
            if (magic, version, size, shift) != (MAGIC, VERSION, HEADER.size, 6):
                raise InputError(f"{os.fspath(path)}: not a version {VERSION} trace of hmsim")
            rest = rest[size:]
        whole = len(rest) // 8 * 8
        for (word,) in struct.iter_unpack("<Q", rest[:whole]):
            count += 1
            yield word
        rest = rest[whole:]
    if rest or promised is None or promised not in (0, count):  # 0: unknown
        raise InputError(f"{os.fspath(path)}: damaged: its length is not what its header says")


def has_two_memories(path: AnyPath) -> bool:
    """Tell whether lines of a trace in hmsim's format are of DRAM and of an NVDIMM."""
    start = b""
    for piece in read_pieces(path):
        start += piece
        if len(start) >= HEADER.size:
            return bool(HEADER.unpack_from(start)[5] & TWO_MEMORIES)
    return False


def _hmsim(path: AnyPath) -> Iterator[Access]:
    times = [0] * 8
    for word in _words(path):
        kind = word >> LINE_BITS & 3
        vcpu = word >> VCPU_SHIFT & 7
        low = word & ((1 << LINE_BITS) - 1)
        high = word >> DELTA_SHIFT
        if kind != ESCAPE:
            times[vcpu] += high
            yield Access(times[vcpu], low * LINE, kind != FILL, LINE, vcpu)
        elif high == 0:
            times[vcpu] += low


FORMATS = {
    "ramulator": "instructions",
    "ramulator_rw": "",
    "dramsim3": "cycles",
    "mqsim": "ns",
    "blkparse": "ns",
    "fio": "ns",
    "msr": "ns",
    "hmsim": "instructions",
}  # a format's name and the unit of its times, '' for none


def read(path: AnyPath, name: str) -> Iterator[Access]:
    """Yield the accesses of a trace in the format ``name``. Raises InputError."""
    return _hmsim(path) if name == "hmsim" else _text(path, name)


def find_format(path: AnyPath, name: str | None) -> str:
    """Return a format's name: the one given, or told by the first line.

    Raises InputError when the name is unknown or the content resembles no format.
    """
    if name is not None:
        if name not in FORMATS:
            near = nearest_name(name, list(FORMATS))
            hint = f"; did you mean '{near}'?" if near else f"; known: {', '.join(FORMATS)}"
            raise InputError(f"format '{name}' is unknown{hint}")
        return name
    start = b""
    for piece in read_pieces(path):
        start += piece
        if len(start) >= LONGEST_LINE:
            break
    if start.startswith(MAGIC):
        return "hmsim"
    fields = start.lstrip().partition(b"\n")[0].split()
    numbers = [field for field in fields if field.isdigit() or field[:2] == b"0x"]
    if fields[:2] == [b"fio", b"version"]:
        return "fio"
    if len(fields) == 1 and fields[0].count(b",") == MSR_COMMAS:
        return "msr"
    if len(fields) >= BLKPARSE_FIELDS and fields[0].replace(b",", b"", 1).isdigit():
        return "blkparse"
    if len(fields) == 5 and len(numbers) == 5:
        return "mqsim"
    if 2 <= len(fields) <= 3 and len(numbers) == len(fields):
        return "ramulator"
    if len(fields) == 2 and fields[1] in (b"R", b"W"):
        return "ramulator_rw"
    if len(fields) == 3 and fields[1] in (b"READ", b"WRITE"):
        return "dramsim3"
    raise InputError(
        f"{os.fspath(path)}: its first line is of no known format ({', '.join(FORMATS)})"
    )
