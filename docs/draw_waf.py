#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws docs/waf-pages.svg, and prints its numbers as rows of a table: docs/draw_waf.py"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from hmsim._core import untimed_amplification
from matplotlib.figure import Figure

OVER_PROVISIONING = (7, 10, 15, 20, 28, 40, 60)
# Label, parts of a flash page, what fills it, style.
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


def main() -> None:
    """Greedy victims, one LUN, one open block, uniform overwrites of 4 KiB."""
    mpl.rcParams["svg.hashsalt"] = "hmsim"
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
        print(f"| {label} | " + " | ".join(f"{value:.2f}" for value in values) + " |", flush=True)
    axes.set(xlabel="over-provisioning (%)", ylabel="write amplification", yscale="log")
    axes.set_yticks([1, 2, 5, 10, 20, 50], labels=["1", "2", "5", "10", "20", "50"])
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("waf-pages.svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
