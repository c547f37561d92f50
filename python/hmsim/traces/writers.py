# SPDX-License-Identifier: BSD-3-Clause
"""Writers of trace formats, which turn accesses into the bytes of a file."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hmsim.traces.escapes import DELTA_SHIFT, ESCAPE, LINE_BITS, VCPU_SHIFT
from hmsim.traces.reader import compressed
from hmsim.traces.records import FILL, FORMATS, LARGEST_DELTA, LINE, WRITE_BACK, Access

PAGE = 4096  # bytes
SECTOR = 512  # bytes
ESCAPE_STEP = (1 << LINE_BITS) - 1  # instructions that one escape record can add


class Counter:
    """Counts of a trace's accesses during conversion."""

    accesses = 0  # lines or requests read
    dropped = 0  # of them, without a place in the new format


def each_line(counter: Counter, accesses: Iterable[Access]) -> Iterator[Access]:
    """Yield an access for each line touched."""
    for access in accesses:
        end = access.address + access.size
        for address in range(access.address - access.address % LINE, end, LINE):
            counter.accesses += 1
            yield access._replace(address=address, size=LINE)


def whole(counter: Counter, accesses: Iterable[Access]) -> Iterator[Access]:
    """Yield the accesses unchanged."""
    for access in accesses:
        counter.accesses += 1
        yield access


def requests(counter: Counter, accesses: Iterable[Access]) -> Iterator[Access]:
    """Yield successive lines of a page, all read or all written, as one request: the first's."""
    request: Access | None = None
    for access in whole(counter, accesses):
        if request is not None:
            end = request.address + request.size
            if access.address == end and end % PAGE and access.write == request.write:
                request = request._replace(size=request.size + access.size)
                continue
            yield request
        request = access._replace(source=0)
    if request is not None:
        yield request


def to_ramulator(accesses: Iterable[Access], counter: Counter) -> Iterator[bytes]:
    """Yield a line for each read; a write-back joins the read before it, or a later one."""
    before = 0
    waiting: deque[int] = deque()  # write-backs
    read: Access | None = None

    def line(access: Access) -> bytes:
        bubbles = max(access.time - before - 1, 0)
        write_back = f" {waiting.popleft()}" if waiting else ""
        return f"{bubbles} {access.address}{write_back}\n".encode()

    for access in accesses:
        if access.write:
            waiting.append(access.address)
            continue
        if read is not None:
            yield line(read)
            before = read.time
        read = access
    if read is not None:
        yield line(read)
    counter.dropped = len(waiting)


def to_ramulator_rw(accesses: Iterable[Access], _counter: Counter) -> Iterator[bytes]:
    """Yield a line for each access."""
    for access in accesses:
        yield f"{access.address:#x} {'W' if access.write else 'R'}\n".encode()


def to_dramsim3(accesses: Iterable[Access], _counter: Counter) -> Iterator[bytes]:
    """Yield a line for each access."""
    for access in accesses:
        kind = "WRITE" if access.write else "READ"
        yield f"{access.address:#x} {kind} {access.time}\n".encode()


def to_hmsim_rw(accesses: Iterable[Access], _counter: Counter) -> Iterator[bytes]:
    """Yield the format's magic letters, then a record of 16 bytes for each access."""
    yield b"HMSIM_RW"
    for access in accesses:
        yield struct.pack("<QQ", access.time, access.address | access.write)


def to_mqsim(accesses: Iterable[Access], _counter: Counter) -> Iterator[bytes]:
    """Yield a line for each request, whole sectors around its bytes."""
    for access in accesses:
        sector = access.address // SECTOR
        sectors = -(-(access.address + access.size) // SECTOR) - sector
        kind = 0 if access.write else 1
        yield f"{access.time} {access.source} {sector} {sectors} {kind}\n".encode()


def to_hmsim(accesses: Iterable[Access], _counter: Counter) -> Iterator[bytes]:
    """Yield records; pages have numbers in order of first access: addresses may have 64 bits."""
    before = 0
    pages: dict[int, int] = {}
    for access in accesses:
        page = pages.setdefault(access.address // PAGE, len(pages))
        line = page * (PAGE // LINE) + access.address % PAGE // LINE
        kind = WRITE_BACK if access.write else FILL
        yield record(line, kind, access.source, access.time - before)
        before = access.time


def record(line: int, kind: int, vcpu: int, instructions: int) -> bytes:
    """Return a record of hmsim's format, after escapes when the distance is too long for it."""
    escapes, rest = passed(vcpu, instructions, LARGEST_DELTA)
    word = rest << DELTA_SHIFT | vcpu << VCPU_SHIFT | kind << LINE_BITS | line
    return escapes + word.to_bytes(8, "little")


def passed(vcpu: int, instructions: int, most: int = 0) -> tuple[bytes, int]:
    """Return escapes that add instructions until at most ``most`` are left, and the rest."""
    escapes = b""
    while instructions > most:
        step = min(instructions, ESCAPE_STEP)
        instructions -= step
        escapes += (ESCAPE << LINE_BITS | vcpu << VCPU_SHIFT | step).to_bytes(8, "little")
    return escapes, instructions


class Writer(NamedTuple):
    """Writer of a format, and its possible sources: formats with times that it can express."""

    cut: Callable[[Counter, Iterable[Access]], Iterator[Access]]  # how accesses are taken apart
    write: Callable[[Iterable[Access], Counter], Iterator[bytes]]
    kinds: tuple[str, ...]  # of the formats that can become this one, but for itself
    formats: tuple[str, ...] = ()  # that can, too


# Formats of memory requests at cycles.
CYCLES = tuple(
    each.name for each in FORMATS.values() if each.kind == "accesses" and each.unit == "cycles"
)

WRITERS = {
    "ramulator": Writer(each_line, to_ramulator, ("misses",)),
    "ramulator_rw": Writer(
        *(each_line, to_ramulator_rw, ("misses", "accesses", "blocks"), ("ramulator_rw",))
    ),
    "dramsim3": Writer(each_line, to_dramsim3, ("misses", "blocks"), CYCLES),
    "hmsim_rw": Writer(each_line, to_hmsim_rw, ("misses", "blocks"), CYCLES),
    "mqsim": Writer(requests, to_mqsim, ("blocks",), ("hmsim", "mqsim")),
    "hmsim": Writer(each_line, to_hmsim, ("misses",), ("hmsim",)),
}


def write_text(pieces: Iterable[bytes], path: Path, suffix: str) -> None:
    """Write a text, compressed as the suffix says."""
    with compressed(path, suffix) as file:
        for piece in pieces:
            file.write(piece)
