# SPDX-License-Identifier: BSD-3-Clause
"""Style and output of the paper's figures, in the colours of `hmsim.style`.

The paper's values are hollow black diamonds. Equal data give equal SVGs.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from hmsim.common.directories import new_file
from hmsim.reproduce.figures.gains import average, by_program
from hmsim.reproduce.figures.verdicts import Estimate, Finding
from hmsim.style.look import COLOURS, PLAIN, matplotlib
from hmsim.style.names import POLICIES
from hmsim.workloads.mixes import PROGRAMS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CYCLE = COLOURS
SETTINGS = {
    **PLAIN,
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.grid.axis": "y",
    "grid.linewidth": 0.6,
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
        data: all numbers that are drawn, tidy.
        paint: draws it.
        findings: about the claims that it decides.
        caption: what was run, and how to read it.
        title: what it shows.
        size: inches; `PAGE_WIDTH` wide at most.
    """

    data: pd.DataFrame
    paint: Callable[[Figure], None]
    findings: Sequence[Finding] = ()
    caption: str = ""
    title: str = ""
    size: tuple[float, float] = (PAGE_WIDTH, 3.6)

    def image(self, kind: str) -> bytes:
        """Return the drawing as a file: svg or png."""
        found = matplotlib()
        from matplotlib.figure import Figure

        keys: dict[str, Any] = {"metadata": {"Date": None}} if kind == "svg" else {"dpi": 150}
        content = io.BytesIO()
        with found.rc_context(SETTINGS):
            figure = Figure(figsize=self.size, layout="constrained")
            self.paint(figure)
            figure.savefig(content, format=kind, **keys)
        return content.getvalue()

    def csv(self) -> str:
        """Return the data as a CSV file."""
        text: str = self.data.to_csv(index=False, float_format="%.6g")
        return text


def save(made: Made, name: str, folder: Path) -> list[Path]:
    """Write NAME.svg, NAME.png and NAME.csv, each whole or not at all; return their paths."""
    paths = [folder / f"{name}.{kind}" for kind in ("svg", "png", "csv")]
    for path in paths:
        kind = path.suffix[1:]
        with new_file(path, force=True) as scratch:
            scratch.write_bytes(made.csv().encode() if kind == "csv" else made.image(kind))
    return paths


def label(policy: str) -> str:
    return POLICIES.get(policy, policy)


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


def legend_below(
    figure: Figure, axes: Axes, columns: int, paper: str = "", more: Iterable[Artist] = ()
) -> None:
    """Put the legend of some axes below all.

    Args:
        figure: all axes.
        axes: whose lines and bars are named.
        columns: of the legend.
        paper: label of what the paper states; "": no such entry.
        more: labelled artists that are named after these.
    """
    handles, labels = axes.get_legend_handles_labels()
    if paper:
        handles, labels = [*handles, legend_of_paper(axes)], [*labels, paper]
    for each in more:
        handles, labels = [*handles, each], [*labels, str(each.get_label())]
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=8)


def grouped_bars(
    axes: Axes,
    groups: Sequence[str],
    series: Mapping[str, Sequence[Estimate]],
    colours: Iterable[str] = CYCLE,
    intervals: bool = True,
) -> dict[tuple[str, str], float]:
    """Draw a bar for each series in each group; return the places of the bars."""
    width = 0.8 / len(series)
    places: dict[tuple[str, str], float] = {}
    for number, ((name, values), colour) in enumerate(zip(series.items(), colours)):
        x = [g - 0.4 + width * (number + 0.5) for g in range(len(groups))]
        axes.bar(
            x,
            [v.mean for v in values],
            width * 0.92,
            yerr=_errors(values) if intervals else None,
            color=colour,
            label=name,
            error_kw={"lw": 0.8, "capsize": 1.5, "ecolor": "#333333"},
        )
        places |= {(group, name): place for group, place in zip(groups, x)}
    axes.set_xticks(range(len(groups)), groups)
    axes.axhline(0, color="black", lw=0.8)
    return places


def program_bars(
    axes: Axes, series: Mapping[str, pd.DataFrame], colours: Iterable[str] = CYCLE
) -> dict[tuple[str, str], float]:
    """Draw each program's gain, and their ``mean``, of rows of gains, as `grouped_bars` does."""
    values = {name: [*by_program(rows, PROGRAMS), average(rows)] for name, rows in series.items()}
    return grouped_bars(axes, [*PROGRAMS, "mean"], values, colours)


def curve(axes: Axes, x: Sequence[float], values: Sequence[Estimate], **keys: Any) -> None:
    """Draw points with their intervals, connected by lines."""
    axes.errorbar(x, [v.mean for v in values], _errors(values), ms=4, capsize=2, **keys)


def _errors(values: Sequence[Estimate]) -> tuple[list[float], list[float]]:
    """Return by how much each interval extends below and above its mean."""
    return [max(0.0, v.mean - v.low) for v in values], [max(0.0, v.high - v.mean) for v in values]


def powers(axes: Axes, values: Sequence[int]) -> None:
    """Make the horizontal axis logarithmic, with a tick for each value."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(values, [str(value) for value in values])


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


def clip(axes: Axes, top: float, form: str = "{:.0f}") -> None:
    """Write the heights of bars that go beyond a value, if any do, and end the axis there."""
    bars: Any = axes.patches
    beyond: dict[int, list[tuple[float, float]]] = {}
    for bar in bars:
        x, value = bar.get_x() + bar.get_width() / 2, bar.get_height()
        if value > top:
            axes.set_ylim(top=top)
            beyond.setdefault(round(x), []).append((x, value))
    for group in beyond.values():
        text = " to " + ", ".join(form.format(value) for _, value in group)
        axes.text(max(x for x, _ in group) + 0.08, top * 0.99, text, va="top", fontsize=8)
