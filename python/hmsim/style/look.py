# SPDX-License-Identifier: BSD-3-Clause
"""Colours, sizes, axes, legends and files of pictures.

Colours are those of Okabe and Ito, which colour-blind readers can distinguish; series also differ
in hatch or marker. Equal data give equal files.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError
from hmsim.common.directories import new_file
from hmsim.common.packages import need

if TYPE_CHECKING:  # take a while to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PINK, SKY, GREY = "#CC79A7", "#56B4E9", "#666666"
COLOURS = (BLUE, ORANGE, GREEN, PINK, RED, SKY, GREY)
SHAPES = "osD^vPX"
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----", "++++")
ONE_COLUMN = 3.5  # inches: a column of IEEE's and ACM's two-column papers
TWO_COLUMNS = 7.16
KINDS = {"pdf": "CreationDate", "svg": "Date", "png": ""}  # the metadata that differs in time
DPI = 300  # of PNG files
CHARACTER, KEY = 0.05, 0.42  # inches in a legend: of a character, and of a key with its gaps
MOST_COLUMNS = 5  # of a legend
PLAIN: dict[str, Any] = {  # matplotlib's settings of every picture, the paper's figures among them
    "svg.hashsalt": "hmsim",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "figure.dpi": 100,
}
SETTINGS: dict[str, Any] = {
    **PLAIN,
    "pdf.fonttype": 42,  # TrueType; publishers refuse matplotlib's Type 3
    "font.size": 7.5,
    "axes.linewidth": 0.6,
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.4,
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
    "legend.fontsize": 7,
    "legend.title_fontsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
}


def matplotlib() -> Any:
    """Return the module, with the backend that needs no display. Raises InputError."""
    need("a picture", "figures", "matplotlib")
    import matplotlib as found

    found.use("Agg")
    return found


def figure(columns: int = 1, height: float | None = None) -> Figure:
    """Return an empty figure of one or two columns' width.

    Args:
        columns: 1, 3.5 inches, or 2, 7.16 inches.
        height: in inches; by default 2.4.

    Raises:
        InputError: another number of columns, or matplotlib is not installed.
    """
    if columns not in (1, 2):
        raise InputError(f"columns: must be 1 or 2, got {columns}")
    found = matplotlib()
    from matplotlib.figure import Figure

    width = ONE_COLUMN if columns == 1 else TWO_COLUMNS
    with found.rc_context(SETTINGS):
        return Figure(figsize=(width, height or 2.4), layout="constrained")


def kind_of(path: str | os.PathLike[str]) -> str:
    """Return the kind of file that a path's suffix names. Raises InputError for another one."""
    kind = Path(path).suffix[1:].lower()
    if kind not in KINDS:
        raise InputError(f"{path}: must end with .{', .'.join(KINDS)}")
    return kind


def save(picture: Figure, path: str | os.PathLike[str], force: bool = True) -> None:
    """Write a figure as PDF, SVG or PNG (300 dpi), by the suffix; whole or not at all.

    Raises InputError: another suffix, or the file cannot be written.
    """
    kind = kind_of(path)
    metadata = {KINDS[kind]: None} if KINDS[kind] else None
    with new_file(path, force) as scratch, matplotlib().rc_context(SETTINGS):
        picture.savefig(scratch, format=kind, metadata=metadata, dpi=DPI)


def decades(axes: Axes, which: str) -> None:
    """Make the axis ``which``, "x" or "y", logarithmic with labels at decades.

    Less than two decades have labels at 1, 2 and 5 in each. Numbers are plain from 0.001 to 99,999.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    axes.set(**{f"{which}scale": "log"})
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    wide = math.log10(high / low) >= 2
    axis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5)))
    axis.set_minor_locator(LogLocator(subs=tuple(range(2, 10)), numticks=99))
    axis.set_major_formatter(FuncFormatter(_plain))
    axis.set_minor_formatter(NullFormatter())


def _plain(value: float, place: object) -> str:
    if 1e-3 <= value < 1e5:
        return f"{value:,.10g}"
    power = math.floor(math.log10(value) + 1e-9)
    digit = round(value / 10**power)
    return rf"$10^{{{power}}}$" if digit == 1 else rf"${digit}\cdot10^{{{power}}}$"


def legend(picture: Figure, axes: Axes, title: str = "") -> None:
    """Put the legend of some axes below all, in as many columns as the width permits."""
    handles, labels = axes.get_legend_handles_labels()
    width = max(map(len, labels), default=1) * CHARACTER + KEY
    fitting = int(picture.get_figwidth() / width)
    columns = max(1, min(len(labels), MOST_COLUMNS, fitting))
    rows = -(-len(labels) // columns)
    columns = -(-len(labels) // rows)  # equally long rows
    place: Sequence[Any] = (handles, labels)
    picture.legend(
        *place,
        loc="outside lower center",
        ncols=columns,
        title=title or None,
        columnspacing=1.2,
        handlelength=1.8,
        frameon=False,
        fontsize=SETTINGS["legend.fontsize"],
        title_fontsize=SETTINGS["legend.fontsize"],
    )
