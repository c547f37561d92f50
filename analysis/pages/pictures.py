# SPDX-License-Identifier: BSD-3-Clause
"""Drawing and storage of pictures of storage systems (draw_*.py).

A hollow diamond is a value that a paper states. A hollow square is a value that a paper states
relative to another point, which is ours.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import NamedTuple

import matplotlib as mpl
import pandas as pd
from hmsim.figures.style import PAPER, SETTINGS
from hmsim.validate.storage_bench import KIB
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from pages import DOCS, Documents

FOLDER = DOCS / "figures"
SIZES = tuple(512 << step for step in range(11))
STEPS = ("base", "nosched", "atomic", "spin", "2q", "balance")
RELATIVE = {**PAPER, "marker": "s"}


class Drawn(NamedTuple):
    """A picture, and all numbers in it."""

    data: pd.DataFrame
    paint: Callable[[Figure], None]
    size: tuple[float, float]


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


def svg(figure: Figure) -> str:
    """Return a figure as the text of an SVG file, the same for the same figure."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def draw(pictures: Sequence[Callable[[], Drawn]]) -> Documents:
    """Yield figures/storage-NAME.svg of each picture, and .csv of its data."""
    for picture in pictures:
        drawn = picture()
        path = FOLDER / f"storage-{picture.__name__.replace('_', '-')}.svg"
        with mpl.rc_context(SETTINGS):
            figure = Figure(figsize=drawn.size, layout="constrained")
            drawn.paint(figure)
            yield path, svg(figure)
        yield path.with_suffix(".csv"), drawn.data.to_csv(index=False, float_format="%.6g")
