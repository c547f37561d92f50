# SPDX-License-Identifier: BSD-3-Clause
"""Plots of a statistic over one axis of a sweep, with a line for each value of the other axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError, nearest_name
from hmsim.common.quantities import quantity
from hmsim.common.statistic_names import proposal, valid
from hmsim.sweep.pareto import COLOURS, SHAPES, legend_columns
from hmsim.sweep.results import summary

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

MOST = 12  # lines of a picture
NOT_AXES = ("point", "error", "seed")  # over seeds, means are drawn
LOGARITHMIC = ("", "x", "y", "xy")
SAME = 0.005  # share of the picture's height within which two lines look like one
MARKER, GROWTH = 5, 4  # points: of a marker, and what each line adds that it lies on


@dataclass(frozen=True)
class Curve:
    """One line of a picture: means over seeds, and the ends of their intervals.

    Attributes:
        name: values of the other axes.
        x: places on the axis; y, low and high belong to them. low and high are NaN for one seed.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Line:
    """Picture of a statistic over an axis of a sweep.

    Attributes:
        axis: a column of the sweep's table.
        statistic: a numeric column of the same table.
        log: the logarithmic axes, one of `LOGARITHMIC`.
    """

    axis: str
    statistic: str
    log: str = ""

    def check(self, labels: Sequence[Mapping[str, Any]]) -> None:
        """Raise InputError unless the points, one in ``labels`` each, differ in the axis.

        A logarithmic axis needs positive numbers, sizes or times.
        """
        names = list(dict.fromkeys(name for each in labels for name in each))
        axes = [n for n in names if n not in NOT_AXES and len({str(e.get(n)) for e in labels}) > 1]
        if self.axis not in axes:
            near = nearest_name(self.axis, axes)
            hint = f"did you mean '{near}'?" if near else f"the axes are {', '.join(axes)}"
            raise InputError(f"--plot: {self.axis}: not an axis of this sweep; {hint}")
        _places(self, list(dict.fromkeys(each.get(self.axis) for each in labels)))

    def draw(self, table: pd.DataFrame, stem: Path) -> None:
        """Write SVG and PNG: means over seeds and, unless these are the axis, workloads.

        A line for each combination of the other axes' values, in the table's order. With several
        seeds, bars show 95 % confidence intervals (Student's t). A line that lies on an earlier one
        has larger, hollow markers, and its name in the legend ends with "= EARLIER".

        Args:
            table: of results.
            stem: path without its ending.

        Raises:
            InputError: no point has the statistic, there would be more than `MOST` lines, or a
                logarithmic axis would show a value that is not positive.
        """
        import matplotlib as mpl

        mpl.use("Agg")
        mpl.rcParams["svg.hashsalt"] = "hmsim"  # the same picture has the same bytes
        from matplotlib import pyplot

        units = table.attrs["units"]
        if self.statistic not in units:
            hint = proposal(self.statistic, units)
            raise InputError(f"--plot: {self.statistic}: not a statistic of any point{hint}")
        means = _means(table, self).dropna(subset=[self.statistic])
        others = [n for n in means.attrs["axes"] if n != self.axis and means[n].nunique() > 1]
        places = _places(self, list(dict.fromkeys(means[self.axis])))
        curves = list(_curves(means, self, others, places))
        if "y" in self.log and any(value <= 0 for curve in curves for value in curve.y):
            raise InputError(f"--log y: {self.statistic}: must be positive everywhere")
        figure, plane = pyplot.subplots(figsize=(7.0, 4.4), layout="constrained")
        _draw_curves(plane, curves, self.log)
        _label_axes(plane, self, places, units[self.statistic])
        if any(low == low for curve in curves for low in curve.low):
            plane.set_title("Bars: 95 % confidence intervals over seeds", fontsize=8, loc="left")
        if others:
            figure.legend(
                loc="outside lower center",
                ncols=legend_columns([str(text.get_label()) for text in plane.get_lines()]),
                frameon=False,
                fontsize=8,
                title=", ".join(others),
                title_fontsize=8,
            )
        for ending in (".svg", ".png"):
            metadata = {"Date": None} if ending == ".svg" else None
            figure.savefig(stem.with_suffix(ending), dpi=150, metadata=metadata)
        pyplot.close(figure)


def _means(table: pd.DataFrame, line: Line) -> pd.DataFrame:
    """Return `summary` of the statistic; workloads are averaged first unless they are the axis.

    Only seeds that every workload of a point has take part, so that bars show seeds alone.
    """
    axes = [name for name in table.attrs["axes"] if name != "workload"]
    if line.axis == "workload" or not axes:
        return summary(table, [line.statistic])
    sound = table[(table["error"] == "") & table[line.statistic].notna()]
    groups = sound.groupby(axes, sort=False, dropna=False)[line.statistic]
    pooled = groups.agg(**{line.statistic: "mean", "workloads": "count"}).reset_index()
    points = [name for name in axes if name != "seed"]
    most = pooled.groupby(points, sort=False, dropna=False)["workloads"].transform("max")
    pooled = pooled[pooled["workloads"] == most].assign(error="")
    pooled.attrs.update({"axes": axes, "units": table.attrs["units"]})
    return summary(pooled, [line.statistic])


def _places(line: Line, values: Sequence[Any]) -> dict[Any, float]:
    """Return the position of each value on the axis: numbers at their value, texts in order.

    Raises InputError if a logarithmic axis has a value that is not positive.
    """
    if "x" not in line.log:
        plain = all(type(value) in (int, float) for value in values)
        return {value: value if plain else place for place, value in enumerate(values)}
    places = {value: quantity(str(value)) for value in values}
    for value, place in places.items():
        if isinstance(place, str) or place <= 0:
            raise InputError(f"--log x: {line.axis}: must be positive numbers, got '{value}'")
    return {value: float(place) for value, place in places.items()}


def _curves(
    means: pd.DataFrame, line: Line, others: Sequence[str], places: Mapping[Any, float]
) -> Iterator[Curve]:
    """Yield a curve for each combination of the other axes. Raises InputError for too many."""
    groups = list(means.groupby(list(others), sort=False, dropna=False)) if others else []
    if len(groups) > MOST:
        raise InputError(
            f"--plot: {len(groups)} lines, of {', '.join(others)}: must be at most "
            f"{MOST} to be distinguishable"
        )
    for key, rows in groups or [("", means)]:
        values = key if isinstance(key, tuple) else (key,)
        columns = (line.statistic, f"{line.statistic}.low", f"{line.statistic}.high")
        yield Curve(
            ", ".join(map(str, values)),
            tuple(places[value] for value in rows[line.axis]),
            *(tuple(rows[name].tolist()) for name in columns),
        )


def coinciding(curves: Sequence[Curve], log: bool = False) -> list[list[int]]:
    """Return for each curve the earlier ones that look the same in a picture.

    Args:
        curves: in the order of the legend.
        log: whether the vertical axis is logarithmic.
    """
    heights = [[math.log(v) if log else v for v in curve.y] for curve in curves]
    every = [value for height in heights for value in height]
    near = SAME * (max(every) - min(every)) if every else 0
    return [
        [
            before
            for before in range(index)
            if curves[before].x == curve.x
            and all(abs(a - b) <= near for a, b in zip(heights[before], heights[index]))
        ]
        for index, curve in enumerate(curves)
    ]


def _draw_curves(plane: Any, curves: Sequence[Curve], log: str) -> None:
    same = coinciding(curves, "y" in log)
    for index, (curve, earlier) in enumerate(zip(curves, same)):
        color = COLOURS[index % len(COLOURS)]
        plane.plot(
            curve.x,
            curve.y,
            label=f"{curve.name} = {curves[earlier[0]].name}" if earlier else curve.name,
            color=color,
            marker=SHAPES[index % len(SHAPES)],
            markersize=MARKER + GROWTH * len(earlier),
            markerfacecolor="none" if earlier else color,
            linestyle=(0, (4, 4)) if earlier else "-",
        )
        below = [y - low for y, low in zip(curve.y, curve.low)]
        above = [high - y for y, high in zip(curve.y, curve.high)]
        plane.errorbar(curve.x, curve.y, [below, above], fmt="none", ecolor=color, elinewidth=1.2)


def _label_axes(plane: Any, line: Line, places: Mapping[Any, float], unit: str) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

    if "y" in line.log:
        plane.set_yscale("log")
        plane.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        plane.yaxis.set_major_formatter("{x:g}")
        plane.yaxis.set_minor_formatter(NullFormatter())
    else:
        plane.ticklabel_format(axis="y", useOffset=False)
    if "x" in line.log:
        plane.set_xscale("log")
        plane.xaxis.set_minor_locator(NullLocator())
    if "x" in line.log or any(isinstance(value, str) for value in places):
        plane.set_xticks(list(places.values()), [str(value) for value in places])
    plane.set(xlabel=line.axis, ylabel=f"{line.statistic} ({unit})" if unit else line.statistic)
    plane.grid(color="#dddddd", linewidth=0.6)


def parse_line(text: str, log: str = "") -> Line:
    """Parse ``AXIS,STAT``, and which axes are logarithmic. Raises InputError."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise InputError(f"--plot {text}: expected an axis and a statistic, AXIS,STAT")
    if log not in LOGARITHMIC:
        raise InputError(f"--log: must be x, y or xy, got '{log}'")
    return Line(parts[0], valid(parts[1]), log)
