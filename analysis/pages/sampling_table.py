# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/sampling.md: whole runs beside sampled runs, and the coverage of intervals."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from hmsim.common.tables import number
from hmsim.validate import sampling_checks
from hmsim.validate.sampling_checks import COLD, METRICS, Cell

from pages import DOCS, Documents, below


def _coverage(found: Sequence[Cell]) -> Iterator[str]:
    yield "| metric | cells | covered | mean error | largest error | widest half interval |"
    yield "|---|---:|---:|---:|---:|---:|"
    for metric in (*METRICS, COLD):
        own = [cell for cell in found if cell.metric == metric]
        if not own:
            continue
        covered = sum(cell.covered for cell in own)
        mean = statistics.fmean(cell.error for cell in own)
        worst = max((cell.error for cell in own), key=abs)
        widest = max(cell.half for cell in own)
        yield (
            f"| {metric} | {len(own)} | {covered} ({covered / len(own):.0%}) | {mean:+.1%} "
            f"| {worst:+.1%} | {widest:.1%} |"
        )


def _misses(found: Sequence[Cell]) -> Iterator[str]:
    yield "| metric | program | policy | whole run | estimate | ± | error |"
    yield "|---|---|---|---:|---:|---:|---:|"
    for cell in sorted(found, key=lambda cell: METRICS.index(cell.metric)):
        if not cell.covered:
            yield (
                f"| {cell.metric} | {cell.program} | {cell.policy} | {number(cell.truth)} "
                f"| {number(cell.estimate.value)} | {number(cell.estimate.half)} "
                f"| {cell.error:+.1%} |"
            )


def page(_: Path) -> Documents:
    """Run everything and yield the page."""
    found = list(sampling_checks.cells())
    costs = [cell.cost for cell in found if not math.isnan(cell.cost)]
    lines = [
        "",
        *_coverage(found),
        "",
        f"A sampled run took {min(costs):.0%} to {max(costs):.0%} of the processor time of the "
        f"whole run, {statistics.fmean(costs):.0%} on average.",
        "",
        "Cells whose interval does not contain the whole run's value:",
        "",
        *_misses([cell for cell in found if cell.metric != COLD]),
    ]
    yield below(DOCS / "sampling.md", "sampling", "\n".join(lines) + "\n")
