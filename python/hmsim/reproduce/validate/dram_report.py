# SPDX-License-Identifier: BSD-3-Clause
"""A comparison of the DRAM model with DRAMsim3: the tables of docs/trust.md, and all numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hmsim.reproduce.validate.dram_comparison import LOGGED, PARTS, PEAKS, Comparison

COMMANDS = """
### Commands, one by one

Runs have {logged:,} requests at most. "Differ" counts commands that are not equal.

"""
WHOLE = """
### Cycles and latencies

Runs have {requests:,} requests at most. Values are hmsim's excess over DRAMsim3 in per cent:
cycles, and mean and 99th percentile of read latency. Ranges are over the numbers of ranks. Shares
of row hits differ by {hits:.2f} at most. [dramsim3.csv](figures/dramsim3.csv) has all values.

"""
VALUES = ("cycles", "share_of_peak", "read_latency_mean_ns", "read_latency_p99_ns")
COLUMNS = (
    *("part", "trace", "ranks", "queue", "commands", "differ_mended", "differ_original"),
    "trtrs_excess",
)


def tables(cases: Sequence[Comparison], requests: int) -> str:
    """Return a table of commands by part, and one of cycles and latencies by trace."""
    commands, whole = [], []
    for part in PARTS:
        own = [case for case in cases if case.part == part]
        sums = (sum(case.commands for case in own), *map(sum, zip(*(c.differing for c in own))))
        commands.append((part, str(len(own)), *(f"{each:,}" for each in sums)))
    for trace in dict.fromkeys(case.trace for case in cases):
        line = [trace]
        for part in PARTS:
            own = [case for case in cases if (case.part, case.trace) == (part, trace)]
            line += [
                _range([case.residual for case in own], 2),
                _range([_excess(case.native.mean_ns, case.whole.mean_ns) for case in own], 0),
                _range([_excess(case.native.p99_ns, case.whole.p99_ns) for case in own], 0),
            ]
        whole.append(line)
    hits = max(abs(case.native.hit_ratio - case.whole.hit_ratio) for case in cases)
    titles = (
        f"{part.split('-')[0]}: {what}" for part in PARTS for what in ("cycles", "mean", "p99")
    )
    return (
        COMMANDS.format(logged=LOGGED)
        + _table(("part", "runs", "commands", "differ, mended", "differ, original"), commands)
        + WHOLE.format(requests=requests, hits=hits)
        + _table(("trace", *titles), whole)
    )


def csv(cases: Iterable[Comparison]) -> str:
    """Return all values of each case; trtrs_excess is of DRAMsim3 with the mended timing table."""
    pairs = (f"{value}_{who}" for value in VALUES for who in ("dramsim3", "hmsim"))
    lines = [",".join((*COLUMNS, *pairs))]
    for c in cases:
        both, peak = (c.whole, c.native), PEAKS[PARTS[c.part]]
        values = (
            *(c.part, c.trace, c.ranks, f"{c.whole.occupancy:.0f}", c.commands, *c.differing),
            f"{c.mended.cycles / c.whole.cycles - 1:.4f}",
            *(each.cycles for each in both),
            *(f"{each.gb_per_s / peak:.2f}" for each in both),
            *(_ns(each.mean_ns) for each in both),
            *(_ns(each.p99_ns) for each in both),
        )
        lines.append(",".join(map(str, values)))
    return "\n".join(lines) + "\n"


def _ns(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _excess(ours: float | None, theirs: float | None) -> float | None:
    return None if ours is None or theirs is None else ours / theirs - 1


def _range(values: Sequence[float | None], digits: int) -> str:
    found = sorted(round(100 * value, digits) + 0.0 for value in values if value is not None)
    texts = [f"{value:+.{digits}f}" for value in found]
    return " to ".join(dict.fromkeys((texts[0], texts[-1]))) if texts else ""


def _table(names: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [names, ["---", *["---:"] * (len(names) - 1)], *lines]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)
