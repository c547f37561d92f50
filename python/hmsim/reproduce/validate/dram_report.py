# SPDX-License-Identifier: BSD-3-Clause
"""Tables that show how the DRAM model compares with DRAMsim3; docs/validation.md explains them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from hmsim._core import InputError
from hmsim.reproduce.validate.dram_comparison import LOGGED, PARTS, PEAKS, Comparison, comparisons
from hmsim.reproduce.validate.row import Row

TITLE = "# The DRAM model beside DRAMsim3\n"
COMMANDS = """
## Commands, one by one

Traces have {logged:,} requests at most. "Differ" counts commands that are not equal.
"""
WHOLE = """
## Cycles, rates and latencies

Traces have {requests:,} requests at most. Cycles, GB/s (share of the peak) and latencies of reads
in ns are DRAMsim3's, then hmsim's. The share of row hits differs by {hits:.2f} at most.
"""
COLUMNS = (
    *("trace", "ranks", "queue", "cycles", "hmsim", "residual", "tRTRS", "GB/s", "hmsim"),
    *("mean", "hmsim", "p99", "hmsim"),
)


def write(
    rows: Iterable[Row],
    requests: int,
    page: Path,
    report: Callable[[float], None] | None = None,
) -> None:
    """Run all comparisons and write a page of tables.

    Args:
        rows: results of the closed forms, which the page also shows.
        requests: number of requests in each trace.
        page: Markdown file, replaced if it exists.
        report: called with the share of the comparisons that is done.

    Raises:
        InputError: the file cannot be written.
    """
    cases = list(comparisons(requests, report))
    try:
        page.write_text(TITLE + tables(rows, cases, requests), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from error


def tables(rows: Iterable[Row], cases: Sequence[Comparison], requests: int) -> str:
    """Return the tables of closed forms, commands, and cycles by part."""
    closed = [row for row in rows if ":" not in row.name]
    parts = [
        "\n## Results of closed forms\n",
        _table(
            ("check", "expected", "measured", "unit", "formula"),
            [(r.name, f"{r.expected:g}", f"{r.got:g}", r.unit, r.source) for r in closed],
        ),
        COMMANDS.format(logged=LOGGED),
        _table(
            ("part", "ranks", "trace", "commands", "differ, mended", "differ, original"),
            [
                (c.part, c.ranks, c.trace, f"{c.commands:,}", *(f"{d:,}" for d in c.differing))
                for c in cases
            ],
        ),
        WHOLE.format(
            requests=requests, hits=max(abs(c.native.hit_ratio - c.whole.hit_ratio) for c in cases)
        ),
    ]
    for part in dict.fromkeys(c.part for c in cases):
        parts.append(f"\n### {part}\n")
        parts.append(_table(COLUMNS, [_whole_line(c) for c in cases if c.part == part]))
    return "".join(parts)


def _whole_line(case: Comparison) -> tuple[str, ...]:
    whole, native = case.whole, case.native
    return (
        *(case.trace, f"{case.ranks}", f"{whole.occupancy:.0f}"),
        *(f"{whole.cycles:,}", f"{native.cycles:,}"),
        *(f"{case.residual:+.2%}", f"{case.mended.cycles / whole.cycles - 1:+.2%}"),
        *(_rate(whole.gb_per_s, case.part), _rate(native.gb_per_s, case.part)),
        *(_latency(whole.mean_ns), _latency(native.mean_ns)),
        *(_latency(whole.p99_ns), _latency(native.p99_ns)),
    )


def _rate(gb_per_s: float, part: str) -> str:
    return f"{gb_per_s:.2f} ({gb_per_s / PEAKS[PARTS[part]]:.0%})"


def _latency(ns: float | None) -> str:
    return "-" if ns is None else f"{ns:.0f}"


def _table(names: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    rows = [names, ["---"] * len(names), *lines]
    return "\n" + "".join("| " + " | ".join(str(cell) for cell in row) + " |\n" for row in rows)
