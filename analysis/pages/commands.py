# SPDX-License-Identifier: BSD-3-Clause
"""Pages that commands of hmsim write: `hmsim figure` and `hmsim validate dram`."""

from __future__ import annotations

from pathlib import Path

from hmsim.cli.application import app

from pages import DOCS, Documents

RESULTS = DOCS / "results.md"
FIGURES = DOCS / "figures"
REQUESTS = 1_000_000


def results(_: Path) -> Documents:
    """Yield docs/results.md, from the findings that are kept beside the figures."""
    from hmsim.figures.page import text  # with matplotlib: not for the other pages

    yield RESULTS, text(FIGURES, RESULTS)


def figures(data: Path) -> Documents:
    """Draw every figure, after the runs that are missing; yield docs/results.md."""
    app(["figure", "all", "--readings", "--out", str(FIGURES)], standalone_mode=False)
    yield from results(data)


def validation(_: Path) -> Documents:
    """Have docs/validation.md written; yield nothing."""
    report = ["--requests", str(REQUESTS), "--report", str(DOCS / "validation.md")]
    app(["validate", "dram", *report], standalone_mode=False)
    yield from ()
