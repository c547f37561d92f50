# SPDX-License-Identifier: BSD-3-Clause
"""Drawing and storage of pictures of storage systems (draw_*.py).

A hollow diamond is a value that a paper states. A hollow square is a value that a paper states
relative to another point, which is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd
from hmsim.reproduce.figures.style import CYCLE, PAPER, Made
from hmsim.reproduce.validate.storage_bench import KIB
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from pages import DOCS, Documents

FOLDER = DOCS / "figures"
SIZES = tuple(512 << step for step in range(11))
STEPS = ("base", "nosched", "atomic", "spin", "2q", "balance")
RELATIVE = {**PAPER, "marker": "s"}


def config_of(step: str) -> str:
    """Return the configuration of one of Moneta's steps."""
    return "storage/moneta" if step == "balance" else f"storage/moneta_{step}"


def requests_time(size: int) -> int:
    """Return milliseconds in which many requests of a size end."""
    return 20 if size < 256 * KIB else 400


def byte_axis(axes: Axes) -> None:
    """Label an axis of sizes."""
    axes.set_xscale("log", base=2)
    shown = SIZES[::2]
    names = [f"{size // KIB} KB" if size >= KIB else f"{size} B" for size in shown]
    axes.set_xticks(shown, names, rotation=45, ha="right", rotation_mode="anchor", fontsize=8)
    axes.set_xlabel("size of requests")
    axes.grid(True, axis="both")


def log_axis(axes: Axes, name: str, ticks: tuple[float, ...]) -> None:
    """Make the axis x or y logarithmic, with these labels alone."""
    axes.set(**{f"{name}scale": "log"})
    axis = getattr(axes, f"{name}axis")
    axis.set_ticks(ticks, labels=[f"{tick:,g}" for tick in ticks])
    axis.set_minor_formatter(NullFormatter())


def curves(
    axes: Axes,
    lines: Iterable[tuple[Any, pd.DataFrame]],
    x: str,
    y: str,
    ms: float = 4,
    **keys: Any,
) -> None:
    """Draw a line with markers for each named group of rows."""
    for (name, line), colour, marker in zip(lines, CYCLE, "osv^Xd"):
        axes.plot(line[x], line[y], marker=marker, ms=ms, color=colour, label=str(name), **keys)


def bars(
    axes: Axes, names: pd.Series, values: pd.Series, ends: Iterable[float], digits: int = 0
) -> None:
    """Draw horizontal bars; write each value at its end. Values of 100 or more have no digits."""
    axes.barh(names, values, color=CYCLE[0], label="hmsim")
    for place, (value, end) in enumerate(zip(values, ends)):
        text = f"{value:,.{digits if value < 100 else 0}f}"
        axes.text(end, place, text, va="center", fontsize=8)
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")


def svg(paint: Callable[[Figure], None], size: tuple[float, float]) -> str:
    """Return a drawing as the text of an SVG file, the same for the same drawing."""
    return Made(pd.DataFrame(), paint, size=size).image("svg").decode()


def draw(pictures: Sequence[Callable[[], Made]]) -> Documents:
    """Yield figures/storage-NAME.svg of each picture, and .csv of its data."""
    for picture in pictures:
        made = picture()
        path = FOLDER / f"storage-{picture.__name__.replace('_', '-')}.svg"
        yield path, made.image("svg").decode()
        yield path.with_suffix(".csv"), made.csv()
