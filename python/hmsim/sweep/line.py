# SPDX-License-Identifier: BSD-3-Clause
"""Plots of a statistic over one axis of a sweep, with a line for each value of the other axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError, nearest_name
from hmsim.common.statistic_names import proposal
from hmsim.sweep.pareto import COLOURS, COLUMNS, SHAPES, averaged
from hmsim.sweep.results import summary

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

MOST = 12  # lines of a picture
NOT_AXES = ("point", "error", "seed")  # over seeds, means are drawn


@dataclass(frozen=True)
class Line:
    """Picture of a statistic over an axis of a sweep.

    Attributes:
        axis: a column of the sweep's table.
        statistic: a numeric column of the same table.
    """

    axis: str
    statistic: str

    def check(self, labels: Sequence[Mapping[str, Any]]) -> None:
        """Raise InputError if the points, one in ``labels`` each, do not differ in the axis."""
        names = list(dict.fromkeys(name for each in labels for name in each))
        axes = [n for n in names if n not in NOT_AXES and len({str(e.get(n)) for e in labels}) > 1]
        if self.axis not in axes:
            near = nearest_name(self.axis, axes)
            hint = f"did you mean '{near}'?" if near else f"the axes are {', '.join(axes)}"
            raise InputError(f"--plot: {self.axis}: not an axis of this sweep; {hint}")

    def draw(self, table: pd.DataFrame, stem: Path) -> None:
        """Write SVG and PNG: means over seeds and, unless these are the axis, workloads.

        A line for each combination of the other axes' values, in the table's order.

        Args:
            table: of results.
            stem: path without its ending.

        Raises:
            InputError: no point has the statistic, or there would be more than `MOST` lines.
        """
        import matplotlib as mpl

        mpl.use("Agg")
        mpl.rcParams["svg.hashsalt"] = "hmsim"  # the same picture has the same bytes
        from matplotlib import pyplot

        units = table.attrs["units"]
        if self.statistic not in units:
            hint = proposal(self.statistic, units)
            raise InputError(f"--plot: {self.statistic}: not a statistic of any point{hint}")
        mean = summary if self.axis == "workload" else averaged
        means = mean(table, [self.statistic]).dropna(subset=[self.statistic])
        others = [n for n in means.attrs["axes"] if n != self.axis and means[n].nunique() > 1]
        groups = list(means.groupby(others, sort=False, dropna=False)) if others else [("", means)]
        if len(groups) > MOST:
            raise InputError(
                f"--plot: {len(groups)} lines, of {', '.join(others)}: must be at most "
                f"{MOST} to be distinguishable"
            )
        places = list(dict.fromkeys(means[self.axis]))
        numbers = all(type(place) in (int, float) for place in places)
        figure, plane = pyplot.subplots(figsize=(7.0, 4.4), layout="constrained")
        for number, (key, rows) in enumerate(groups):
            values = key if isinstance(key, tuple) else (key,)
            where = rows[self.axis] if numbers else [places.index(v) for v in rows[self.axis]]
            plane.plot(
                where,
                rows[self.statistic],
                label=", ".join(map(str, values)),
                color=COLOURS[number % len(COLOURS)],
                marker=SHAPES[number % len(SHAPES)],
                markersize=5,
            )
        if not numbers:
            plane.set_xticks(range(len(places)), [str(place) for place in places])
        unit = f" ({units[self.statistic]})" if units[self.statistic] else ""
        plane.ticklabel_format(axis="y", useOffset=False)
        plane.set(xlabel=self.axis, ylabel=f"{self.statistic}{unit}")
        plane.grid(color="#dddddd", linewidth=0.6)
        if others:
            figure.legend(
                loc="outside lower center",
                ncols=min(len(groups), COLUMNS),
                frameon=False,
                fontsize=8,
                title=", ".join(others),
                title_fontsize=8,
            )
        for ending in (".svg", ".png"):
            metadata = {"Date": None} if ending == ".svg" else None
            figure.savefig(stem.with_suffix(ending), dpi=150, metadata=metadata)
        pyplot.close(figure)


def parse_line(text: str) -> Line:
    """Parse ``AXIS,STAT``. Raises InputError."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise InputError(f"--plot {text}: expected an axis and a statistic, AXIS,STAT")
    return Line(*parts)
