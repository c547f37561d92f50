# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/block-drivers.md: errors of replays of block traces on other devices."""

from __future__ import annotations

from pathlib import Path

from hmsim.reproduce.validate import replay

from pages import DOCS, Documents, below
from pages.tables import table

OTHERS = ("timed", "closed")
SLOWER = tuple(factor for factor in replay.FACTORS if factor != 1)
ENDS = (SLOWER[0], SLOWER[-1])


def _columns() -> list[str]:
    inferred = [f"`inferred` x {factor:g}" for factor in SLOWER]
    others = [f"`{way}` x {factor:g}" for way in OTHERS for factor in ENDS]
    return ["program", *inferred, "p99, worst", *others]


def _cells(found: dict[tuple[str, float], replay.Outcome]) -> list[str]:
    """Return quotients of one program: makespans, and the 99th percentile farthest from 1."""
    inferred = [f"{found['inferred', factor].makespan:.2f}" for factor in SLOWER]
    tails = [each.tail for (way, _), each in found.items() if way == "inferred"]
    others = [f"{found[way, factor].makespan:.2f}" for way in OTHERS for factor in ENDS]
    return [*inferred, f"{max(tails, key=lambda tail: abs(tail - 1)):.2f}", *others]


def page(_: Path) -> Documents:
    """Run everything and yield the page."""
    programs = {**replay.PROGRAMS, **replay.HELD_OUT}
    found = [*replay.outcomes(programs)]
    rows = (
        [program, *_cells({(e.way, e.factor): e for e in found if e.program == program})]
        for program in programs
    )
    yield below(DOCS / "block-drivers.md", "replay", f"\n{table(_columns(), rows)}")
