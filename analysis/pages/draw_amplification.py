# SPDX-License-Identifier: BSD-3-Clause
"""docs/waf-pages.svg, and its numbers as a table of docs/validation-ftl.md."""

from __future__ import annotations

from pathlib import Path

from hmsim._core import untimed_amplification
from hmsim.reproduce.figures.style import legend_below
from matplotlib.figure import Figure

from pages import DOCS, Documents, below
from pages.pictures import log_axis, svg
from pages.tables import table

OVER_PROVISIONING = (7, 10, 15, 20, 28, 40, 60)
# Label, parts of a flash page, mode of partial writes, line style.
CURVES = (
    ("4 KiB", 1, "combine", "k-"),
    ("8 KiB, combine", 2, "combine", "C0--"),
    ("8 KiB, merge", 2, "merge", "C1--"),
    ("8 KiB, pad", 2, "pad", "C3--"),
    ("16 KiB, combine", 4, "combine", "C0-"),
    ("16 KiB, merge", 4, "merge", "C1-"),
    ("16 KiB, pad", 4, "pad", "C3-"),
)
BLOCKS, PAGES = 512, 64


def curve(parts: int, partial_writes: str) -> list[float]:
    """Return write amplification by OVER_PROVISIONING."""
    return [
        untimed_amplification(
            *("greedy", [], BLOCKS, PAGES, spare, 2, 1, 1),
            parts=parts,
            partial_writes=partial_writes,
        )
        for spare in OVER_PROVISIONING
    ]


def page(_: Path) -> Documents:
    """Greedy victims, one LUN, one open block, uniform overwrites of 4 KiB."""
    values = {label: curve(parts, mode) for label, parts, mode, _ in CURVES}

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        for label, *_, style in CURVES:
            axes.plot(OVER_PROVISIONING, values[label], style, marker=".", label=label)
        log_axis(axes, "y", (1, 2, 5, 10, 20, 50))
        axes.set(xlabel="over-provisioning (%)", ylabel="write amplification")
        axes.grid(True, axis="both")
        legend_below(figure, axes, 4)

    yield DOCS / "waf-pages.svg", svg(paint, (7, 4.5))
    rows = ([label, *(f"{value:.2f}" for value in own)] for label, own in values.items())
    columns = ["", *(f"{spare} %" for spare in OVER_PROVISIONING)]
    yield below(DOCS / "validation-ftl.md", "amplification", f"\n{table(columns, rows)}")
