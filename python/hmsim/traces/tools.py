# SPDX-License-Identifier: BSD-3-Clause
"""Conversions of trace files."""

from __future__ import annotations

import itertools
import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hmsim._core import InputError
from hmsim.common.directories import new_file
from hmsim.common.hints import hint
from hmsim.traces.causes import LastWritten, Threads
from hmsim.traces.escapes import DELTA_SHIFT, ESCAPE, LINE_BITS, RUN, VCPU_SHIFT, WRITTEN
from hmsim.traces.file import (
    CAUSES,
    RENUMBERED_PAGES,
    TWO_MEMORIES,
    TraceFile,
    TraceWriter,
    check_name,
)
from hmsim.traces.part import WHOLE, Part
from hmsim.traces.records import FILL, FORMATS, NVDIMM, AnyPath, Reading, Reporter, find_format
from hmsim.traces.writers import WRITERS, Counter, passed, record, requests, whole, write_text

PAGE_LINES = 64
BATCH = 1 << 13  # pieces handed on at a time
# Formats that can be converted to each format.
SOURCES = {
    to: [each.name for each in FORMATS.values() if each.name != to and each.kind in writer.kinds]
    + list(writer.formats)
    for to, writer in WRITERS.items()
}


def convert(
    source: AnyPath,
    target: AnyPath,
    to: str,
    part: Part = WHOLE,
    *,
    name: str | None = None,
    options: Mapping[str, str] | None = None,
    force: bool = False,
    report: Reporter | None = None,
) -> dict[str, Any]:
    """Write a trace, or a part of it, in another format; the file is written atomically.

    Block requests become the lines that they touch. Times are copied one to one (instructions or
    nanoseconds as cycles, instructions as nanoseconds); those of several vCPUs are added up in
    the order of their records. ``hmsim`` numbers the 4 KB pages of other formats by first access.
    In ``ramulator`` a line holds one write-back at most: further ones go to later lines. To
    ``mqsim``, successive lines of a page become one request. Causes are kept in ``hmsim`` with both
    memories and all vCPUs.

    Args:
        source: a trace, compressed or not.
        target: the file to write; a name in .gz, .xz or .zst compresses.
        to: ``ramulator``, ``ramulator_rw``, ``dramsim3``, ``hmsim_rw``, ``mqsim`` or ``hmsim``.
        part: what is kept.
        name: the format of ``source``; None: detected from the start of the file.
        options: as for `hmsim.traces.info.info`.
        force: replace an existing file.
        report: called from time to time with the share that is read, None when unknown.

    Returns:
        ``from``, ``to``, ``accesses`` and, if any, the counts of items that the new format cannot
        hold: ``dropped`` (accesses), ``dropped_records`` (those that move no data: flushes,
        discards, other packets), ``dropped_completions`` (completion times of block requests),
        ``zero_length`` requests and ``bad_records`` that were left out.

    Raises:
        InputError: a file or a conversion is at fault.
    """
    found = find_format(source, name)
    _check_formats(found, to)
    part.check(source, found)
    if os.path.exists(target) and os.path.samefile(source, target):
        raise InputError(f"{os.fspath(target)}: must differ from the trace to convert")
    if to == "hmsim":
        check_name(target)
    counter = Counter()
    lost: dict[str, int] = {}
    with new_file(target, force) as scratch:
        if found == to == "hmsim":
            _cut(source, scratch, part, counter, report)
        else:
            reading = Reading(source, found, options)
            pieces = _rewritten(reading, found, to, part, counter, report)
            if to == "hmsim":
                _write_hmsim(pieces, scratch, RENUMBERED_PAGES)
            else:
                write_text(pieces, scratch, Path(target).suffix)
            lost = {
                "dropped_records": reading.records.skipped,
                "dropped_completions": reading.records.completions,
                "zero_length": reading.records.zero_length,
                "bad_records": reading.records.bad_records,
            }
        if not counter.accesses:
            raise InputError(f"{os.fspath(source)}: contains no record to keep")
    summary: dict[str, Any] = {"from": found, "to": to, "accesses": counter.accesses}
    if counter.dropped:
        summary["dropped"] = counter.dropped
    summary.update({key: count for key, count in lost.items() if count})
    return summary


def _check_formats(found: str, to: str) -> None:
    """Raise InputError unless a trace of the first format can become one of the second."""
    if to not in SOURCES:
        raise InputError(f"cannot convert to '{to}'; {hint(to, SOURCES, 'possible')}")
    if found not in SOURCES[to]:
        raise InputError(f"cannot convert {found} to {to}; from: {', '.join(SOURCES[to])}")


def _rewritten(
    reading: Reading, found: str, to: str, part: Part, counter: Counter, report: Reporter | None
) -> Iterator[bytes]:
    """Return the pieces of a trace in another format."""
    if found == "hmsim":
        accesses = part.of_lines(reading.accesses(report))
    else:
        accesses = part.of_records(reading, report)
    writer = WRITERS[to]
    cut = writer.cut
    if cut is requests and found != "hmsim":
        cut = whole  # they are requests already
    return writer.write(cut(counter, accesses), counter)


def _cut(
    source: AnyPath, target: Path, part: Part, counter: Counter, report: Reporter | None
) -> None:
    """Write a part of a trace in hmsim's format in the same format."""
    header = TraceFile(source).header
    flags = header.flags if part.both else header.flags & ~TWO_MEMORIES
    if part.vcpu is not None or not flags & TWO_MEMORIES:
        flags &= ~CAUSES
    pieces = _kept(TraceFile(source), part, bool(flags & CAUSES), counter, report)
    vcpus = header.vcpus if part.vcpu is None else 1
    _write_hmsim(pieces, target, flags, vcpus, (header.l1, header.l2, header.l3), header.label)


def _words(trace: TraceFile, report: Reporter | None) -> Iterator[int]:
    for number, block in enumerate(trace.records()):
        if report:
            report(number / trace.header.blocks)
        for (word,) in struct.iter_unpack("<Q", block):
            yield word


def _kept(
    trace: TraceFile, part: Part, causes: bool, counter: Counter, report: Reporter | None
) -> Iterator[bytes]:
    """Yield the kept records; the instructions of dropped ones are added to the next record."""
    memory, vcpu, window = part.memory, part.vcpu, part.window
    waiting = [0] * 8  # instructions of each vCPU
    total = 0
    # Thread state that must be written at the window's begin.
    skipped = Threads() if causes and window.start else None
    written = LastWritten()
    mask = NVDIMM - 1 if memory in ("dram", "nvdimm") else (1 << LINE_BITS) - 1
    for word in _words(trace, report):
        kind, owner = word >> LINE_BITS & 3, word >> VCPU_SHIFT & 7
        line, high = word & ((1 << LINE_BITS) - 1), word >> DELTA_SHIFT
        if vcpu is not None and owner != vcpu:
            continue
        place = owner if vcpu is None else 0
        if kind != ESCAPE or not high:
            before, total = total, total + (line if kind == ESCAPE else high)
            waiting[place] += max(0, min(total, window.stop) - max(before, window.start))
            if total >= window.stop:
                break
        if skipped and total >= window.start:
            beginning = written.words() + skipped.beginning()
            yield b"".join(known.to_bytes(8, "little") for known in beginning)
            skipped = None
        if kind == ESCAPE and high >= RUN:
            if skipped and high == WRITTEN:
                written.follow(word)
            elif skipped:
                skipped.follow(word)
            elif causes:
                yield passed(place, waiting[place])[0] + word.to_bytes(8, "little")
                waiting[place] = 0
            continue
        if total < window.start:
            if skipped and kind not in (ESCAPE, FILL) and line >= NVDIMM:
                written.write((line - NVDIMM) // PAGE_LINES)
            continue
        if kind == ESCAPE:
            if high:
                yield (word & ~(7 << VCPU_SHIFT) | place << VCPU_SHIFT).to_bytes(8, "little")
            continue
        if mask >= NVDIMM or (line >= NVDIMM) == (memory == "nvdimm"):
            counter.accesses += 1
            yield record(line & mask, kind, place, waiting[place])
            waiting[place] = 0
    for place, left in enumerate(waiting):
        yield passed(place, left)[0]


def _write_hmsim(
    pieces: Iterator[bytes],
    path: Path,
    flags: int,
    vcpus: int = 1,
    caches: tuple[int, int, int] = (0, 0, 0),
    label: bytes = b"",
) -> None:
    with path.open("wb") as file:
        writer = TraceWriter(file)
        while batch := b"".join(itertools.islice(pieces, BATCH)):
            writer.write(batch)
        writer.close(flags, vcpus, caches, label)
