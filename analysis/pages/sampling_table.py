# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/sampling.md: coverage of intervals, all cells, and what stale state costs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from hmsim.common.tables import number
from hmsim.running.mixes import BASE_CPI, PROGRAMS
from hmsim.running.repeated_sampling import busy_ipc
from hmsim.running.runner import run
from hmsim.validate import sampling_checks
from hmsim.validate.sampling_checks import (
    BUSY,
    COLD,
    IPC,
    METRICS,
    POLICIES,
    STATISTICS,
    Cell,
    job,
    system,
)

from pages import DOCS, Documents, below, warming_table

STEPS = [number * 1e-4 for number in range(-4, 5)]  # of the base CPI, as shares of it


def _coverage(found: Sequence[Cell]) -> Iterator[str]:
    yield "| metric | cells | refused | covered | mean error | largest error | widest half |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for metric in (*METRICS, COLD):
        every = [cell for cell in found if cell.metric == metric]
        own = [cell for cell in every if cell.published]
        if not own:
            continue
        covered = sum(cell.covered for cell in own)
        mean = statistics.fmean(cell.error for cell in own)
        worst = max((cell.error for cell in own), key=abs)
        widest = max(cell.half for cell in every)
        yield (
            f"| {metric} | {len(every)} | {len(every) - len(own)} "
            f"| {covered} ({covered / len(own):.0%}) | {mean:+.1%} "
            f"| {worst:+.1%} | {widest:.1%} |"
        )


def _cells(found: Sequence[Cell]) -> Iterator[str]:
    yield "| metric | program | policy | whole run | estimate | ± | error | covered |"
    yield "|---|---|---|---:|---:|---:|---:|---|"
    for cell in sorted(found, key=lambda cell: METRICS.index(cell.metric)):
        yield (
            f"| {cell.metric} | {cell.program} | {cell.policy} | {number(cell.truth)} "
            f"| {number(cell.estimate.value)} | {cell.half:.1%} | {cell.error:+.1%} "
            f"| {_covered(cell)} |"
        )


def _covered(cell: Cell) -> str:
    if not cell.published:
        return "refused"
    return "yes" if cell.covered else "**no**"


def _timing() -> Iterator[str]:
    """Yield how much whole runs differ if only their timing does."""
    yield "| program | policy | IPC: sd | lowest .. highest | busy IPC: sd |"
    yield "|---|---|---:|---:|---:|"
    for program in PROGRAMS:
        for policy in POLICIES:
            config = system(program, policy)
            jobs = (job(program, base_cpi=BASE_CPI[program] * (1 + step)) for step in STEPS)
            runs = [run(config, each).stats for each in jobs]
            whole = [stats[STATISTICS[IPC]] for stats in runs]
            busy = [busy_ipc(stats) for stats in runs]
            first = whole[len(whole) // 2]
            yield (
                f"| {program} | {policy} | {statistics.stdev(whole) / first:.2%} "
                f"| {min(whole) / first - 1:+.1%} .. {max(whole) / first - 1:+.1%} "
                f"| {statistics.stdev(busy) / statistics.fmean(busy):.2%} |"
            )


def page(_: Path) -> Documents:
    """Run everything and yield the page."""
    found = list(sampling_checks.cells())
    costs = [cell.cost for cell in found if not math.isnan(cell.cost)]
    shown = [cell for cell in found if cell.metric in (BUSY, IPC)]
    others = [cell for cell in found if cell.metric not in (BUSY, IPC, COLD) and not cell.covered]
    lines = [
        "",
        *_coverage(found),
        "",
        f"A sampled run took {min(costs):.0%} to {max(costs):.0%} of the processor time of the "
        f"whole run, {statistics.fmean(costs):.0%} on average.",
        "",
        "All cells of IPC, and the missed cells of other metrics:",
        "",
        *_cells([*shown, *others]),
        "",
        "Nine whole runs whose base CPI differs by up to 0.04 %, beside the middle one:",
        "",
        *_timing(),
        "",
        "Windows with stale state, and with a warm-up that is simulated in full:",
        "",
        *warming_table.lines(),
    ]
    yield below(DOCS / "sampling.md", "sampling", "\n".join(lines) + "\n")
