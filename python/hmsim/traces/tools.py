# SPDX-License-Identifier: BSD-3-Clause
"""Conversions of trace files."""

from __future__ import annotations

import itertools
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hmsim._core import InputError, nearest_name
from hmsim.common.directories import new_file
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
from hmsim.traces.records import (
    FILL,
    FORMATS,
    LINE,
    NVDIMM,
    Access,
    AnyPath,
    Reading,
    Reporter,
    find_format,
    has_two_memories,
)
from hmsim.traces.writers import WRITERS, Counter, record, requests, whole, write_text

MEMORIES = ("dram", "nvdimm", "both")
ENDLESS = 1 << 63  # instructions
PAGE_LINES = 64
BATCH = 1 << 13  # pieces handed on at a time
SAMPLED = ("accesses", "blocks")  # kinds of traces whose records can be cut and sampled
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
    name: str | None = None,
    force: bool = False,
    report: Reporter | None = None,
    memory: str | None = None,
    vcpu: int | None = None,
    skip: int = 0,
    limit: int | None = None,
    options: Mapping[str, str] | None = None,
    take: int | None = None,
    every: int = 1,
) -> dict[str, Any]:
    """Write a trace in another format; the file is written atomically.

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
        name: the format of ``source``; None: detected from the start of the file.
        force: replace an existing file.
        report: called from time to time with the share that is read, None when unknown.
        memory: for a trace of two memories, the accesses to keep: ``dram``, ``nvdimm`` or ``both``.
            With ``both``, the NVDIMM's lines are 2^45 bytes above DRAM's.
        vcpu: for a trace that records vCPUs, the one whose records are kept; None: all.
        skip: for a trace in hmsim's format, instructions before the first record that is kept,
            counted over the vCPUs that are kept; for traces of memory requests and blocks, records.
        limit: for a trace in hmsim's format, instructions from there on; None: all.
        options: as for `hmsim.traces.info.info`.
        take: for traces of memory requests and blocks, records to keep at most; None: all.
        every: for these traces, the first of each ``every`` records after ``skip`` is kept, at its
            own time.

    Returns:
        ``from``, ``to``, ``accesses`` and, if any, the counts of items that the new format cannot
        hold: ``dropped`` (accesses), ``dropped_records`` (those that move no data: flushes,
        discards, other packets), ``dropped_completions`` (completion times of block requests),
        ``zero_length`` requests and ``bad_records`` that were left out.

    Raises:
        InputError: a file or a conversion is at fault.
    """
    found = find_format(source, name)
    if to not in SOURCES:
        near = nearest_name(to, list(SOURCES))
        hint = f"; did you mean '{near}'?" if near else f"; possible: {', '.join(SOURCES)}"
        raise InputError(f"cannot convert to '{to}'{hint}")
    if found not in SOURCES[to]:
        raise InputError(f"cannot convert {found} to {to}; from: {', '.join(SOURCES[to])}")
    _check_choice(source, found, memory, vcpu)
    if found != "hmsim" and limit is not None:
        raise InputError(
            f"{os.fspath(source)}: --limit counts instructions of hmsim's format; use --take for "
            f"records of {found}"
        )
    if (take is not None or every != 1) and FORMATS[found].kind not in SAMPLED:
        raise InputError(
            f"{os.fspath(source)}: --take and --every need a trace of memory requests or blocks, "
            f"got {found} with {FORMATS[found].kind}"
        )
    if found != "hmsim" and skip and FORMATS[found].kind not in SAMPLED:
        raise InputError(
            f"{os.fspath(source)}: --skip needs a trace of memory requests or blocks, or of format "
            f"hmsim, got {found}"
        )
    window = range(skip, ENDLESS if limit is None else skip + limit)
    if os.path.exists(target) and os.path.samefile(source, target):
        raise InputError(f"{os.fspath(target)}: must differ from the trace to convert")
    if to == "hmsim":
        check_name(target)
    counter = Counter()
    accesses: Iterable[Access]
    lost: dict[str, int] = {}
    with new_file(target, force) as scratch:
        if found == to == "hmsim":
            header = TraceFile(source).header
            flags = header.flags if memory in (None, "both") else header.flags & ~TWO_MEMORIES
            if vcpu is not None or not flags & TWO_MEMORIES:
                flags &= ~CAUSES
            caches = (header.l1, header.l2, header.l3)
            causes = bool(flags & CAUSES)
            pieces = _cut(TraceFile(source), memory, vcpu, causes, window, counter, report)
            vcpus = header.vcpus if vcpu is None else 1
            _write_hmsim(pieces, scratch, flags, vcpus, caches, header.label)
        else:
            reading = Reading(source, found, options)
            if found == "hmsim":
                accesses = _chosen(reading.accesses(report), memory, vcpu, window)
            else:
                most = None if take is None else skip + (take - 1) * every + 1
                accesses = itertools.islice(reading.accesses(report, most), skip, None, every)
            writer = WRITERS[to]
            cut = writer.cut
            if cut is requests and found != "hmsim":
                cut = whole  # they are requests already
            pieces = writer.write(cut(counter, accesses), counter)
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


def _check_choice(source: AnyPath, found: str, memory: str | None, vcpu: int | None) -> None:
    """Raise InputError unless the trace has the chosen memory and vCPU."""
    path = os.fspath(source)
    if memory is not None and memory not in MEMORIES:
        raise InputError(f"memory: must be one of {', '.join(MEMORIES)}, got '{memory}'")
    if vcpu is not None:
        if found != "hmsim":
            raise InputError(f"{path}: traces of format {found} record no vCPUs")
        vcpus = TraceFile(source).header.vcpus
        if not 0 <= vcpu < vcpus:
            raise InputError(f"{path}: has no vCPU {vcpu}: must be below {vcpus}")
    two = found == "hmsim" and has_two_memories(source)
    if two and memory is None:
        raise InputError(f"{path}: has lines of two memories: choose one, or both (--memory)")
    if memory is not None and not two:
        raise InputError(f"{path}: has lines of one memory: --memory is not allowed")


def _chosen(
    accesses: Iterable[Access], memory: str | None, vcpu: int | None, window: range
) -> Iterator[Access]:
    """Yield the kept accesses; times become those over all kept vCPUs."""
    times: dict[int, int] = {}
    total = 0
    for access in accesses:
        if vcpu is not None and access.source != vcpu:
            continue
        total += access.time - times.get(access.source, 0)
        times[access.source] = access.time
        if total >= window.stop:
            return
        if total < window.start:
            continue
        of_nvdimm = access.address >= NVDIMM * LINE
        if memory in (None, "both"):
            yield access._replace(time=total - window.start)
        elif of_nvdimm == (memory == "nvdimm"):
            yield access._replace(
                time=total - window.start, address=access.address % (NVDIMM * LINE)
            )


def _words(trace: TraceFile, report: Reporter | None) -> Iterator[int]:
    for number, block in enumerate(trace.records()):
        if report:
            report(number / trace.header.blocks)
        for (word,) in struct.iter_unpack("<Q", block):
            yield word


def _cut(
    trace: TraceFile,
    memory: str | None,
    vcpu: int | None,
    causes: bool,
    window: range,
    counter: Counter,
    report: Reporter | None,
) -> Iterator[bytes]:
    """Yield the kept records; the instructions of dropped ones are added to the next record."""
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
                yield _instructions(place, waiting[place]) + word.to_bytes(8, "little")
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
        yield _instructions(place, left)


def _instructions(vcpu: int, count: int) -> bytes:
    """Return the escapes that add instructions to a vCPU's, none for 0."""
    words = []
    while count:
        step = min(count, (1 << LINE_BITS) - 1)
        count -= step
        words.append(ESCAPE << LINE_BITS | vcpu << VCPU_SHIFT | step)
    return b"".join(word.to_bytes(8, "little") for word in words)


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
