# SPDX-License-Identifier: BSD-3-Clause
"""Summary of a trace: length, mix, footprint, locality, intensity over time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from hmsim._core import InputError, TraceSummary
from hmsim.traces.file import TraceFile
from hmsim.traces.records import (
    FORMATS,
    LINE,
    NVDIMM,
    AnyPath,
    Reading,
    Reporter,
    find_format,
    has_two_memories,
)

PAGE = 4096  # bytes
BATCH = 1 << 18  # records between two reports
NO_NVDIMM = (1 << 64) - 1  # address
BARS = " ▁▂▃▄▅▆▇█"
PLAIN_BARS = " .:-=+*#@"  # for terminals without those


def info(
    path: AnyPath,
    name: str | None = None,
    report: Reporter | None = None,
    options: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a summary of a trace, read once in bounded memory.

    Args:
        path: the file, compressed or not.
        name: its format; None: detected from the start of the file.
        report: called from time to time with the share that is read, None when unknown.
        options: settings by the keys of agents: ``columns.time``, ... for ``csv``, ``levels`` for
            ``ramulator2_rw``, ``zero_length`` for block traces, ``on_bad_record`` for those and for
            memory requests.

    Returns:
        ``format``; ``records`` (reads and writes), ``reads``, ``writes``; ``read_bytes``,
        ``write_bytes``, ``footprint_bytes`` (distinct 4 KB pages) and ``footprint_exact`` (false:
        an estimate for large footprints, about 0.1 % off), ``sources``; ``skipped`` records that
        move no data, if any; ``zero_length`` requests and ``bad_records`` that were left out, if
        any; for block traces ``completions``, the number of requests with completion times, and
        ``replay``, the possible replay modes; ``duration`` (for block traces from the first request
        on) and ``unit`` if the format has times; for a trace of two memories ``nvdimm_reads`` and
        ``nvdimm_writes``, the reads and writes of the NVDIMM; ``read_mpki`` and ``write_mpki``
        (per thousand instructions) or ``requests_per_second``; ``memories``: the result of
        `_memory` for each memory, by name; for a trace with causes ``causes``: the result of
        `hmsim.traces.causes.summarise`.

    Raises:
        InputError: the file is damaged, not of the format, or holds no record.
    """
    found = find_format(path, name)
    two_memories = found == "hmsim" and has_two_memories(path)
    unit = FORMATS[found].unit
    reading = Reading(path, found, options)
    records = reading.records
    blocks = FORMATS[found].kind == "blocks"
    summary = TraceSummary(NVDIMM * LINE if two_memories else NO_NVDIMM, bool(unit), blocks)
    while summary.add(records, BATCH):
        if report:
            report(reading.share)
    if not summary.sources:
        others = f", but with {records.skipped} other records" if records.skipped else ""
        raise InputError(f"{os.fspath(path)}: a {found} trace without reads and writes{others}")
    memories = summary.memories if two_memories else summary.memories[:1]
    counts = [[memory[kind]["accesses"] for memory in memories] for kind in ("reads", "writes")]
    reads, writes = map(sum, counts)
    result: dict[str, Any] = {
        "format": found,
        "records": reads + writes,
        "reads": reads,
        "writes": writes,
        "read_bytes": sum(memory["reads"]["bytes"] for memory in memories),
        "write_bytes": sum(memory["writes"]["bytes"] for memory in memories),
        "footprint_bytes": sum(memory["pages"] for memory in memories) * PAGE,
        "footprint_exact": all(memory["pages_exact"] for memory in memories),
        "sources": summary.sources,
    }
    if records.skipped:
        result.update(skipped=records.skipped)
    left_out = {"zero_length": records.zero_length, "bad_records": records.bad_records}
    result.update({key: count for key, count in left_out.items() if count})
    if records.note:
        result.update(note=records.note)
    if blocks:
        result.update(completions=records.completions, replay=_replays(found, records.completions))
    if two_memories:
        result.update(nvdimm_reads=counts[0][1], nvdimm_writes=counts[1][1])
    file = TraceFile(path) if found == "hmsim" else None
    last = file.header.instructions if file else summary.last_time
    if unit and last:
        result.update(duration=last, unit=unit)
    if unit == "instructions" and last:
        result.update(read_mpki=1000 * reads / last, write_mpki=1000 * writes / last)
    if unit in ("ns", "ps") and last:
        per_second = 1e9 if unit == "ns" else 1e12
        result.update(requests_per_second=per_second * (reads + writes) / last)
    names = ("dram", "nvdimm") if two_memories else ("memory",)
    result["memories"] = dict(zip(names, map(_memory, memories)))
    if file and file.header.causes:
        from hmsim.traces.causes import summarise  # with numpy, which other traces do without

        result["causes"] = summarise(file.records())
    return result


def _replays(name: str, completions: int) -> str:
    """Return the values of ``replay`` that a block trace of this format can have."""
    if FORMATS[name].clock_is_coarse:
        step = FORMATS[name].clock_step_ns / 1e9
        return f"closed, timed (steps of {step:g} s: too coarse for inferred)"
    return "closed, timed, inferred" + ("" if completions else " with old_response")


def _memory(found: dict[str, Any]) -> dict[str, Any]:
    """Return a summary of the accesses to one memory.

    ``reads``, ``writes``; ``footprint_bytes``; ``lines_per_page_visit``: distinct lines of a page
    accessed while it is among the 16 most recently accessed pages; separately for reads and writes,
    the share of lines that directly follow the line before (``sequential``), and the lines in a row
    in one page of 4 KB and in one row of 8 KB; ``intensity``: reads and writes in each interval of
    ``length`` units of the trace's time, or requests if it has no times.
    """
    summary: dict[str, Any] = {
        "reads": found["reads"]["accesses"],
        "writes": found["writes"]["accesses"],
        "footprint_bytes": found["pages"] * PAGE,
        "lines_per_page_visit": found["visit_lines"] / max(found["visits"], 1),
    }
    for kind in ("read", "write"):
        runs = found[f"{kind}s"]
        summary[f"sequential_{kind}s"] = runs["sequential"] / max(runs["lines"], 1)
        summary[f"lines_per_{kind}_page_run"] = runs["lines"] / max(runs["page_runs"], 1)
        summary[f"lines_per_{kind}_row_run"] = runs["lines"] / max(runs["row_runs"], 1)
    reads, writes = zip(*found["buckets"]) if found["buckets"] else ((), ())
    summary["intensity"] = {"length": found["bucket"], "reads": reads, "writes": writes}
    return summary


def chart(summary: dict[str, Any], width: int, plain: bool = False) -> list[tuple[str, str]]:
    """Return the intensity over time of each memory and direction as a name and a row of bars.

    All rows have the same scale, given by the last pair, and at most ``width`` characters.
    """
    rows = {}
    lengths = {}
    for name, memory in summary["memories"].items():
        intensity = memory["intensity"]
        for kind in ("reads", "writes"):
            rows[f"{name} {kind}"] = intensity[kind]
            lengths[f"{name} {kind}"] = intensity["length"]
    length = max(lengths.values())  # each is a power of two
    merged = {key: _merge(row, length // lengths[key]) for key, row in rows.items()}
    while max(map(len, merged.values())) > max(width, 1):
        merged = {key: _merge(row, 2) for key, row in merged.items()}
        length *= 2
    peak = max(max(row, default=0) for row in merged.values())
    bars = PLAIN_BARS if plain else BARS
    steps = len(bars) - 1
    lines = [
        (name, "".join(bars[-(-count * steps // max(peak, 1))] for count in row))
        for name, row in merged.items()
        if any(row)
    ]
    unit = summary.get("unit", "requests")
    return [*lines, ("", f"a column is {length:,} {unit}, the highest {peak:,} requests")]


def _merge(counts: Sequence[int], parts: int) -> list[int]:
    """Return sums of ``parts`` neighbours each."""
    return [sum(counts[at : at + parts]) for at in range(0, len(counts), parts)]
