# SPDX-License-Identifier: BSD-3-Clause
"""Style and output of figures.

Colours are those of Okabe and Ito, which colour-blind readers can distinguish; series also differ
in hatch, marker or place. The paper's values are hollow black diamonds. Equal data give equal SVGs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from hmsim import InputError
from hmsim.common.directories import new_file
from hmsim.figures.verdicts import Finding

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PINK, SKY, GREY = "#CC79A7", "#56B4E9", "#666666"
CYCLE = (BLUE, ORANGE, GREEN, PINK, RED, SKY, GREY)
LABELS = {
    "par_bs": "PAR-BS",
    "tcm": "TCM",
    "nvm_duet": "NVM Duet",
    "firm": "FIRM-like",
    "paper_hms": "HMS",
    "hms": "HMS, exact",
    "paper_all": "all techniques",
    "all": "all, exact HMS",
    "oracle": "no interference",
}
SETTINGS = {
    "svg.hashsalt": "hmsim",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"],
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.dpi": 100,
}
# Width in inches of the docs' text column (516 pt in mkdocs-material). A wider figure is shrunk
# with its text, and legends, the smallest text, have only 8 pt.
PAGE_WIDTH = 7.1
PAPER: dict[str, Any] = {
    "marker": "D",
    "mfc": "white",
    "mec": "black",
    "mew": 1.3,
    "ms": 7,
    "ls": "none",
}


@dataclass
class Made:
    """A figure's content.

    Attributes:
        title: what it shows.
        caption: what was run, and how to read it.
        data: all numbers that are drawn, tidy.
        findings: about the claims that it decides.
        paint: draws it.
        size: inches; `PAGE_WIDTH` wide at most.
    """

    title: str
    caption: str
    data: pd.DataFrame
    findings: Sequence[Finding]
    paint: Callable[[Figure], None]
    size: tuple[float, float] = (PAGE_WIDTH, 3.6)


def matplotlib() -> Any:
    """Return the module, with the backend that needs no display. Raises InputError."""
    try:
        import matplotlib as found
    except ImportError as error:
        raise InputError("figures need matplotlib: pip install 'hmsim[figures]'") from error
    found.use("Agg")
    return found


def save(made: Made, name: str, folder: Path) -> list[Path]:
    """Write NAME.svg, NAME.png and NAME.csv, each whole or not at all; return their paths."""
    found = matplotlib()
    from matplotlib.figure import Figure

    paths = [folder / f"{name}.{kind}" for kind in ("svg", "png", "csv")]
    with found.rc_context(SETTINGS):
        figure = Figure(figsize=made.size, layout="constrained")
        made.paint(figure)
        kinds: tuple[dict[str, Any], ...] = ({"metadata": {"Date": None}}, {"dpi": 150})
        for path, keys in zip(paths, kinds):
            with new_file(path, force=True) as scratch:
                figure.savefig(scratch, format=path.suffix[1:], **keys)
    with new_file(paths[2], force=True) as scratch:
        made.data.to_csv(scratch, index=False, float_format="%.6g")
    return paths


def label(policy: str) -> str:
    return LABELS.get(policy, policy)


def paper(axes: Axes, x: float, y: float, text: str | None = None, **keys: Any) -> None:
    """Draw a point for a value that the paper states, with an optional text."""
    axes.plot([x], [y], **{**PAPER, "zorder": 5, **keys})
    if text:
        axes.annotate(
            text, (x, y), xytext=(7, 0), textcoords="offset points", va="center", fontsize=8
        )


def legend_of_paper(axes: Axes) -> Any:
    """Return a handle for legends."""
    return axes.plot([], [], **PAPER, label="the paper")[0]


def legend_below(figure: Figure, axes: Axes, columns: int, paper: str = "") -> None:
    """Put the legend of some axes below all; ``paper`` is the label of what the paper states."""
    handles, labels = axes.get_legend_handles_labels()
    if paper:
        handles, labels = [*handles, legend_of_paper(axes)], [*labels, paper]
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=8)


def grouped_bars(
    axes: Axes,
    groups: Sequence[str],
    series: Mapping[str, Sequence[float]],
    errors: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    colours: Iterable[str] = CYCLE,
) -> dict[tuple[str, str], float]:
    """Draw a bar for each series in each group; return the places of the bars."""
    width = 0.8 / len(series)
    places: dict[tuple[str, str], float] = {}
    for number, ((name, values), colour) in enumerate(zip(series.items(), colours)):
        x = [g - 0.4 + width * (number + 0.5) for g in range(len(groups))]
        bars = None
        if errors is not None:
            low = [max(0.0, v - e[0]) for v, e in zip(values, errors[name])]
            high = [max(0.0, e[1] - v) for v, e in zip(values, errors[name])]
            bars = (low, high)
        axes.bar(
            x,
            values,
            width * 0.92,
            yerr=bars,
            color=colour,
            label=name,
            error_kw={"lw": 0.8, "capsize": 1.5, "ecolor": "#333333"},
        )
        places |= {(group, name): place for group, place in zip(groups, x)}
    axes.set_xticks(range(len(groups)), groups)
    axes.axhline(0, color="black", lw=0.8)
    return places


def wide(axes: Axes) -> None:
    """Make room for gains of very different sizes: linear up to 50 %, logarithmic beyond."""
    low, high = axes.get_ylim()
    least = low + 0.05 * (high - low) / 1.1  # of the data: without the margin
    low = min(0.0, 1.2 * least)
    axes.set_yscale("symlog", linthresh=50, linscale=1.2)
    axes.set_ylim(low, high * 1.3)
    ticks = (-50, -25, 0, 25, 50, 100, 200, 500, 1000, 2000, 5000, 20_000, 100_000)
    shown = [tick for tick in ticks if low <= tick <= high * 1.3]
    axes.set_yticks(shown, [f"{tick:,}" for tick in shown])
    axes.set_yticks([], minor=True)
    axes.axhline(50, color="#999999", lw=0.8, ls=":")


def clip(
    axes: Axes, top: float, places: Iterable[tuple[float, float]], form: str = "{:.0f}"
) -> None:
    """End the axis at a value; beside a group of bars, write the heights of those that go beyond.

    Args:
        axes: of `grouped_bars`.
        top: the end.
        places: place and height of every bar.
        form: of a height.
    """
    axes.set_ylim(top=top)
    beyond: dict[int, list[tuple[float, float]]] = {}
    for x, value in places:
        if value > top:
            beyond.setdefault(round(x), []).append((x, value))
    for bars in beyond.values():
        text = " to " + ", ".join(form.format(value) for _, value in bars)
        axes.text(max(x for x, _ in bars) + 0.08, top * 0.99, text, va="top", fontsize=8)
