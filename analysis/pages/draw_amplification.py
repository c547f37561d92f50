# SPDX-License-Identifier: BSD-3-Clause
"""docs/waf-pages.svg, and its numbers as a table of docs/validation-ftl.md."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
from hmsim._core import untimed_amplification
from matplotlib.figure import Figure

from pages import DOCS, Documents
from pages.pictures import svg

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
PAGE = DOCS / "validation-ftl.md"
MARK = "<!-- The table below is written by tools/pages amplification. -->\n"


def page(_: Path) -> Documents:
    """Greedy victims, one LUN, one open block, uniform overwrites of 4 KiB."""
    table = ["| | " + " | ".join(f"{spare} %" for spare in OVER_PROVISIONING) + " |"]
    table.append("|---|" + "---|" * len(OVER_PROVISIONING))
    with mpl.rc_context({"svg.hashsalt": "hmsim"}):
        figure = Figure(figsize=(7, 4.5))
        axes = figure.subplots()
        for label, parts, partial_writes, style in CURVES:
            values = [
                untimed_amplification(
                    *("greedy", [], BLOCKS, PAGES, spare, 2, 1, 1),
                    parts=parts,
                    partial_writes=partial_writes,
                )
                for spare in OVER_PROVISIONING
            ]
            axes.plot(OVER_PROVISIONING, values, style, marker=".", label=label)
            table.append(f"| {label} | " + " | ".join(f"{value:.2f}" for value in values) + " |")
        axes.set(xlabel="over-provisioning (%)", ylabel="write amplification", yscale="log")
        axes.set_yticks([1, 2, 5, 10, 20, 50], labels=["1", "2", "5", "10", "20", "50"])
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
        figure.tight_layout()
        yield DOCS / "waf-pages.svg", svg(figure)
    before, mark, after = PAGE.read_text(encoding="utf-8").partition(MARK)
    rows = re.match(r"\n(?:\|.*\n)+", after)
    if rows is None:
        raise ValueError(f"{PAGE.name}: the table below {MARK.strip()} is missing")
    yield PAGE, before + mark + "\n" + "\n".join(table) + "\n" + after[rows.end() :]
