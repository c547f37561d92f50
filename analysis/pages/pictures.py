# SPDX-License-Identifier: BSD-3-Clause
"""Axes and SVG text that the pictures of pages share (draw_*.py)."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from hmsim.reproduce.figures.style import Made
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter


def log_axis(axes: Axes, name: str, ticks: tuple[float, ...]) -> None:
    """Make the axis x or y logarithmic, with these labels alone."""
    axes.set(**{f"{name}scale": "log"})
    axis = getattr(axes, f"{name}axis")
    axis.set_ticks(ticks, labels=[f"{tick:,g}" for tick in ticks])
    axis.set_minor_formatter(NullFormatter())


def svg(paint: Callable[[Figure], None], size: tuple[float, float]) -> str:
    """Return a drawing as the text of an SVG file, the same for the same drawing."""
    return Made(pd.DataFrame(), paint, size=size).image("svg").decode()
