# SPDX-License-Identifier: BSD-3-Clause
"""Pages of `hmsim figure` and `hmsim validate dram`."""

from __future__ import annotations

from pathlib import Path

from hmsim import InputError
from hmsim.cli.application import app

from pages import DOCS, Documents, below

RESULTS = DOCS / "results.md"
FIGURES = DOCS / "figures"
REQUESTS = 1_000_000


def results(_: Path) -> Documents:
    """Yield docs/results.md and its claims' measures, from the findings beside the figures."""
    from hmsim.reproduce.figures import page  # with matplotlib: not for the other pages

    yield RESULTS, page.text(FIGURES, RESULTS)
    yield FIGURES / page.MEASURED, page.measures(FIGURES)


def figures(data: Path) -> Documents:
    """Draw every figure, after the runs that are missing; yield docs/results.md."""
    app(["figure", "all", "--readings", "--out", str(FIGURES)], standalone_mode=False)
    yield from results(data)


def validation(_: Path) -> Documents:
    """Yield docs/trust.md with the tables of a comparison with DRAMsim3, and all its numbers."""
    from hmsim.reproduce.validate import dram_comparison, dram_report

    if not dram_comparison.available():
        raise InputError(dram_comparison.ABSENT)
    cases = list(dram_comparison.comparisons(REQUESTS))
    yield below(DOCS / "trust.md", "validation", dram_report.tables(cases, REQUESTS))
    yield FIGURES / "dramsim3.csv", dram_report.csv(cases)
