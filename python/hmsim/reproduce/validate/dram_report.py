# SPDX-License-Identifier: BSD-3-Clause
"""Tables that show how the DRAM model compares with DRAMsim3; docs/validation.md explains them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hmsim.reproduce.validate.dram_comparison import LOGGED, PARTS, PEAKS, Comparison
from hmsim.reproduce.validate.row import Row

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
