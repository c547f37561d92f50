# SPDX-License-Identifier: BSD-3-Clause
"""Records of trace files in Python: enough to summarise and convert; runs read traces in C++."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Union

from hmsim._core import InputError, nearest_name
from hmsim.traces import read_pieces

AnyPath = Union[str, "os.PathLike[str]"]
LONGEST_LINE = 4096  # bytes
SECTOR = 512  # bytes
MOST_SECTORS = 1 << 21  # of a request: 1 GiB
LINE = 64  # bytes

# hmsim's own format, docs/trace-format.md
MAGIC = b"HMSIMTRC"
HEADER = struct.Struct("<8sHHBBHQQHHI24s")
VERSION = 1
RENUMBERED_PAGES = 1  # header flag
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


class Format(NamedTuple):
    """A trace format: the unit of its times ('' for none) and its reader."""

    unit: str
    read: Callable[[AnyPath], Iterator[Access]]
    example: str


def _lines(path: AnyPath, example: str) -> Iterator[tuple[int, list[bytes]]]:
    """Yield (line number, fields) of the lines that are not empty."""
    number = 0
    rest = b""
    for piece in read_pieces(path):
        lines = (rest + piece).split(b"\n")
        rest = lines.pop()
        if len(rest) > LONGEST_LINE:
            raise _wrong(path, number + 1, rest, example)
        for line in lines:
            number += 1
            fields = line.split()
            if fields:
                yield number, fields
    if rest.split():
        yield number + 1, rest.split()


def _wrong(path: AnyPath, number: int, line: bytes, example: str) -> InputError:
    shown = line[:60].decode("ascii", "replace")
    return InputError(f"{os.fspath(path)}:{number}: expected '{example}', found '{shown}'")


def _integer(text: bytes) -> int:
    """Return an unsigned 64-bit number, decimal or 0x. Raises ValueError."""
    if text[:2] in (b"0x", b"0X"):
        value = int(text[2:], 16) if text[2:].isalnum() else -1
    else:
        value = int(text) if text.isdigit() else -1
    if not 0 <= value < 1 << 64:
        raise ValueError
    return value


def _table(
    path: AnyPath, example: str, parse: Callable[[list[bytes]], Iterable[Access]]
) -> Iterator[Access]:
    for number, fields in _lines(path, example):
        try:
            found = parse(fields)
        except (ValueError, IndexError, KeyError):
            raise _wrong(path, number, b" ".join(fields), example) from None
        yield from found


def _ramulator(path: AnyPath) -> Iterator[Access]:
    time = 0

    def parse(fields: list[bytes]) -> Iterable[Access]:
        nonlocal time
        numbers = [_integer(field) for field in fields]
        if not 2 <= len(numbers) <= 3:
            raise ValueError
        time += numbers[0] + 1
        accesses = zip(numbers[1:], (False, True))
        return [Access(time, address, write, LINE, 0) for address, write in accesses]

    return _table(path, FORMATS["ramulator"].example, parse)


def _ramulator_rw(path: AnyPath) -> Iterator[Access]:
    kinds = {b"R": False, b"W": True}

    def parse(fields: list[bytes]) -> Iterable[Access]:
        address, kind = fields
        return [Access(0, _integer(address), kinds[kind], LINE, 0)]

    return _table(path, FORMATS["ramulator_rw"].example, parse)


def _dramsim3(path: AnyPath) -> Iterator[Access]:
    kinds = {b"READ": False, b"WRITE": True}

    def parse(fields: list[bytes]) -> Iterable[Access]:
        address, kind, cycle = fields
        return [Access(_integer(cycle), _integer(address), kinds[kind], LINE, 0)]

    return _table(path, FORMATS["dramsim3"].example, parse)


def _mqsim(path: AnyPath) -> Iterator[Access]:
    kinds = {b"0": True, b"1": False}

    def parse(fields: list[bytes]) -> Iterable[Access]:
        time, device, sector, sectors = (_integer(field) for field in fields[:4])
        (kind,) = fields[4:]
        if not 1 <= sectors <= MOST_SECTORS:
            raise ValueError
        return [Access(time, sector * SECTOR, kinds[kind], sectors * SECTOR, device)]

    return _table(path, FORMATS["mqsim"].example, parse)


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
    "ramulator": Format("instructions", _ramulator, "BUBBLES READ_ADDRESS [WRITE_ADDRESS]"),
    "ramulator_rw": Format("", _ramulator_rw, "ADDRESS R|W"),
    "dramsim3": Format("cycles", _dramsim3, "ADDRESS READ|WRITE CYCLE"),
    "mqsim": Format("ns", _mqsim, "TIME_NS DEVICE SECTOR SECTORS 0|1"),
    "hmsim": Format("instructions", _hmsim, "hmsim binary"),
}


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
