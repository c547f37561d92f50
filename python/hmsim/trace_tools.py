# SPDX-License-Identifier: BSD-3-Clause
"""Summaries and conversions of trace files."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from hmsim._core import InputError
from hmsim.directories import new_file
from hmsim.trace_file import RENUMBERED_PAGES, TraceWriter, check_name
from hmsim.trace_records import (
    DELTA_SHIFT,
    ESCAPE,
    FILL,
    FORMATS,
    LARGEST_DELTA,
    LINE,
    LINE_BITS,
    NVDIMM,
    VCPU_SHIFT,
    WRITE_BACK,
    Access,
    AnyPath,
    find_format,
    has_two_memories,
    read,
)
from hmsim.traces import compressed

PAGE = 4096  # bytes
SECTOR = 512  # bytes
ESCAPE_STEP = (1 << LINE_BITS) - 1  # instructions that one escape record can add
CHUNK = 10_000  # accesses between two reports
BLOCK_FORMATS = ("mqsim", "blkparse", "fio", "msr")
# What can become what: a format's times must mean something in the other one.
SOURCES = {
    "ramulator": ("hmsim",),
    "hmsim": ("ramulator",),
    "ramulator_rw": ("ramulator", "hmsim", "dramsim3", *BLOCK_FORMATS),
    "dramsim3": ("ramulator", "hmsim", *BLOCK_FORMATS),
    "mqsim": BLOCK_FORMATS,
}
Reporter = Callable[[], None]


def info(path: AnyPath, name: str | None = None, report: Reporter | None = None) -> dict[str, Any]:
    """Return a summary of a trace.

    Args:
        path: the file, compressed or not.
        name: its format; told by its first line when None.
        report: called now and then.

    Returns:
        ``format``; ``records`` (reads and writes), ``reads``, ``writes``; ``read_bytes``,
        ``write_bytes``, ``footprint_bytes`` (distinct 4 KB pages), ``sources``; ``duration`` and
        ``unit`` where the format has times; ``nvdimm_reads`` and ``nvdimm_writes``, those of them
        that go there, of a trace of two memories; ``read_mpki`` and ``write_mpki`` (per thousand
        instructions) or ``requests_per_second``.

    Raises:
        InputError: the file is damaged, not of the format, or holds no record.
    """
    found = find_format(path, name)
    pages: set[int] = set()
    sources: set[int] = set()
    counts = [0, 0]
    nvdimm = [0, 0]
    sizes = [0, 0]
    last = 0
    for access in _reporting(read(path, found), report):
        counts[access.write] += 1
        sizes[access.write] += access.size
        nvdimm[access.write] += access.address >= NVDIMM * LINE
        first = access.address // PAGE
        last_page = (access.address + access.size - 1) // PAGE
        pages.update(range(first, last_page + 1))
        sources.add(access.source)
        last = max(last, access.time)
    if not sources:
        raise InputError(f"{os.fspath(path)}: holds no record")
    summary: dict[str, Any] = {
        "format": found,
        "records": sum(counts),
        "reads": counts[0],
        "writes": counts[1],
        "read_bytes": sizes[0],
        "write_bytes": sizes[1],
        "footprint_bytes": len(pages) * PAGE,
        "sources": len(sources),
    }
    if found == "hmsim" and has_two_memories(path):
        summary.update(nvdimm_reads=nvdimm[0], nvdimm_writes=nvdimm[1])
    unit = FORMATS[found]
    if unit and last:
        summary.update(duration=last, unit=unit)
    if unit == "instructions" and last:
        summary.update(read_mpki=1000 * counts[0] / last, write_mpki=1000 * counts[1] / last)
    if unit == "ns" and last:
        summary.update(requests_per_second=1e9 * sum(counts) / last)
    return summary


def convert(
    source: AnyPath,
    target: AnyPath,
    to: str,
    name: str | None = None,
    force: bool = False,
    report: Reporter | None = None,
) -> dict[str, Any]:
    """Write a trace in another format; the file appears whole or not at all.

    Block requests become the lines that they touch; times are taken over one to one (instructions
    or nanoseconds as cycles). ``hmsim`` numbers the 4 KB pages by first access; its lines have
    40 bits. In ``ramulator`` a line holds one write-back at most: further ones
    go to later lines.

    Args:
        source: a trace, compressed or not.
        target: the file to write; a name in .gz, .xz or .zst compresses.
        to: ``ramulator``, ``ramulator_rw``, ``dramsim3``, ``mqsim`` or ``hmsim``.
        name: the format of ``source``; told by its first line when None.
        force: replace an existing file.
        report: called now and then.

    Returns:
        ``from``, ``to``, ``accesses`` and, if any, ``dropped`` (accesses that found no place).

    Raises:
        InputError: a file or a conversion is at fault.
    """
    found = find_format(source, name)
    if to not in SOURCES:
        raise InputError(f"cannot convert to '{to}'; possible: {', '.join(SOURCES)}")
    if found not in SOURCES[to]:
        raise InputError(f"cannot convert {found} to {to}; from: {', '.join(SOURCES[to])}")
    if found == "hmsim" and has_two_memories(source):
        raise InputError(
            f"{os.fspath(source)}: its lines are of two memories, as of no other format"
        )
    if os.path.exists(target) and os.path.samefile(source, target):
        raise InputError(f"{os.fspath(target)}: is the trace to convert")
    if to == "hmsim":
        check_name(target)
    counter = _Counter()
    with new_file(target, force) as scratch:
        accesses = _reporting(read(source, found), report)
        writers: dict[str, Callable[..., Iterator[bytes]]] = {
            "ramulator": _to_ramulator,
            "ramulator_rw": _to_ramulator_rw,
            "dramsim3": _to_dramsim3,
            "mqsim": _to_mqsim,
            "hmsim": _to_hmsim,
        }
        cut = _whole if to == "mqsim" else _each_line
        pieces = writers[to](cut(counter, accesses), counter)
        if to == "hmsim":
            with scratch.open("wb") as file:
                writer = TraceWriter(file)
                for piece in pieces:
                    writer.write(piece)
                writer.close(RENUMBERED_PAGES)
        else:
            _write(pieces, scratch, Path(target).suffix)
        if not counter.accesses:
            raise InputError(f"{os.fspath(source)}: holds no record")
    summary: dict[str, Any] = {"from": found, "to": to, "accesses": counter.accesses}
    if counter.dropped:
        summary["dropped"] = counter.dropped
    return summary


class _Counter:
    accesses = 0  # lines read or written
    dropped = 0  # of them, without a place in the new format


def _reporting(accesses: Iterable[Access], report: Reporter | None) -> Iterator[Access]:
    for count, access in enumerate(accesses):
        if report and count % CHUNK == 0:
            report()
        yield access


def _each_line(counter: _Counter, accesses: Iterable[Access]) -> Iterator[Access]:
    """Yield an access for each line touched."""
    for access in accesses:
        end = access.address + access.size
        for address in range(access.address - access.address % LINE, end, LINE):
            counter.accesses += 1
            yield access._replace(address=address, size=LINE)


def _whole(counter: _Counter, accesses: Iterable[Access]) -> Iterator[Access]:
    for access in accesses:
        counter.accesses += 1
        yield access


def _to_ramulator(accesses: Iterable[Access], counter: _Counter) -> Iterator[bytes]:
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


def _to_ramulator_rw(accesses: Iterable[Access], _counter: _Counter) -> Iterator[bytes]:
    for access in accesses:
        yield f"{access.address:#x} {'W' if access.write else 'R'}\n".encode()


def _to_dramsim3(accesses: Iterable[Access], _counter: _Counter) -> Iterator[bytes]:
    for access in accesses:
        kind = "WRITE" if access.write else "READ"
        yield f"{access.address:#x} {kind} {access.time}\n".encode()


def _to_mqsim(accesses: Iterable[Access], _counter: _Counter) -> Iterator[bytes]:
    for access in accesses:
        sector, sectors = access.address // SECTOR, access.size // SECTOR
        kind = 0 if access.write else 1
        yield f"{access.time} {access.source} {sector} {sectors} {kind}\n".encode()


def _to_hmsim(accesses: Iterable[Access], _counter: _Counter) -> Iterator[bytes]:
    before = 0
    pages: dict[int, int] = {}  # numbers in order of first access: addresses may have 64 bits
    for access in accesses:
        delta = access.time - before
        before = access.time
        while delta > LARGEST_DELTA:
            step = min(delta, ESCAPE_STEP)
            delta -= step
            yield (ESCAPE << LINE_BITS | step).to_bytes(8, "little")
        page = pages.setdefault(access.address // PAGE, len(pages))
        line = page * (PAGE // LINE) + access.address % PAGE // LINE
        kind = WRITE_BACK if access.write else FILL
        word = delta << DELTA_SHIFT | access.source << VCPU_SHIFT | kind << LINE_BITS | line
        yield word.to_bytes(8, "little")


def _write(pieces: Iterable[bytes], path: Path, suffix: str) -> None:
    with compressed(path, suffix) as file:
        for piece in pieces:
            file.write(piece)
