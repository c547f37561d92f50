# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of trade-offs: two statistics of a sweep's points, and the Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hmsim._core import InputError
from hmsim.common.packages import need
from hmsim.common.statistic_names import proposal, valid
from hmsim.sweep.optimise import front
from hmsim.sweep.results import summary

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

LESS_IS_BETTER = ("ns", "us", "ms", "s", "cycles", "nJ", "mJ")  # units of latencies and energies
WAYS = {"min": 1, "max": -1}
# Okabe and Ito's colours, which colour-blind readers can distinguish; shapes for prints in grey.
COLUMNS = 5  # of a legend, at most
LEGEND, KEY = 105, 8  # characters of 8 points: of a legend's line, and of a key with its gaps
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = "osD^vPX"


def legend_columns(names: Sequence[str]) -> int:
    """Return how many columns of these names fit below a picture."""
    longest = max(map(len, names), default=1)
    return max(1, min(len(names), COLUMNS, LEGEND // (longest + KEY)))


def parse(text: str) -> list[tuple[str, str]]:
    """Parse ``A,B``, each with ``:min`` or ``:max``, as two statistics and the better direction.

    A direction is '' if the text has none. Raises InputError.
    """
    parts = text.split(",")
    if len(parts) != 2:
        raise InputError(f"--pareto {text}: expected two statistics, A,B")
    found = []
    for part in parts:
        name, colon, way = part.strip().partition(":")
        if colon and way not in WAYS:
            raise InputError(f"--pareto: {name}: must be min or max, got '{way}'")
        found.append((valid(name), way))
    return found


def _chosen_ways(axes: Sequence[tuple[str, str]], table: pd.DataFrame) -> list[tuple[str, str]]:
    """Fill in missing directions: lower is better for latencies and energies, higher otherwise."""
    units, found = table.attrs["units"], []
    for name, way in axes:
        if name not in units:
            hint = proposal(name, units)
            raise InputError(f"--pareto: {name}: not a statistic of any point{hint}")
        found.append((name, way or ("min" if units[name] in LESS_IS_BETTER else "max")))
    return found


def plot(table: pd.DataFrame, axes: Sequence[tuple[str, str]], stem: Path) -> int:
    """Write a picture as SVG and PNG; return the number of points on the Pareto front.

    Points are means over workloads and seeds. Colours and shapes show the policy, labels the values
    of the points on the front.

    Args:
        table: of results.
        axes: two of `parse`.
        stem: path without its ending.

    Raises:
        InputError: matplotlib is not installed, or no point has the statistics to plot.
    """
    need("--pareto", "figures", "matplotlib")
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "hmsim"  # the same picture has the same bytes
    from matplotlib import pyplot

    axes = _chosen_ways(axes, table)
    names = [name for name, _ in axes]
    means = averaged(table, names)
    if means.empty:
        raise InputError(f"--pareto: no point has both {names[0]} and {names[1]}")
    costs = [[WAYS[way] * row[name] for name, way in axes] for row in means.to_dict("records")]
    means["front"] = front(costs)
    labels = [n for n in means.attrs["axes"] if n != "policy" and means[n].nunique() > 1]

    figure, plane = pyplot.subplots(figsize=(7.0, 4.6), layout="constrained")
    for number, (policy, rows) in enumerate(means.groupby("policy", sort=False, dropna=False)):
        plane.plot(
            rows[names[0]],
            rows[names[1]],
            label=str(policy),
            color=COLOURS[number % len(COLOURS)],
            marker=SHAPES[number % len(SHAPES)],
            linestyle="",
            markersize=6,
        )
    best = means[means["front"]].sort_values(names[0])
    plane.plot(
        best[names[0]], best[names[1]], color="#555555", linewidth=1, zorder=0, label="best of all"
    )
    for number, row in enumerate(best.to_dict("records")):  # by turns on the right and the left
        text = ", ".join(str(row[name]) for name in labels)
        place = (row[names[0]], row[names[1]])
        side, offset = ("right", (-7, -3)) if number % 2 else ("left", (7, -3))
        plane.annotate(text, place, offset, textcoords="offset points", fontsize=8, ha=side)
    units = table.attrs["units"]
    titles = []
    for name, way in axes:
        unit = f" ({units[name]})" if units[name] else ""
        titles.append(f"{name}{unit}, {'less' if way == 'min' else 'more'} is better")
    plane.set(xlabel=titles[0], ylabel=titles[1])
    if labels:
        plane.set_title(f"Labels: {', '.join(labels)}", fontsize=9)
    plane.grid(color="#dddddd", linewidth=0.6)
    plane.ticklabel_format(useOffset=False)
    names = [str(text.get_label()) for text in plane.get_lines()]
    columns = legend_columns(names)
    figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
    for ending in (".svg", ".png"):
        metadata = {"Date": None} if ending == ".svg" else None
        figure.savefig(stem.with_suffix(ending), dpi=150, metadata=metadata)
    pyplot.close(figure)
    return int(means["front"].sum())


def averaged(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return means over workloads and seeds, of points that have all the statistics."""
    means = summary(table, names)
    axes = [name for name in means.attrs["axes"] if name != "workload"]
    grouped = means.groupby(axes, sort=False, dropna=False)[list(names)].mean().reset_index()
    found = grouped.dropna(subset=list(names)).reset_index(drop=True)
    found.attrs["axes"] = axes
    return found
