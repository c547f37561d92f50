# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of tables of results: bars, lines and trade-offs, one per pair of columns."""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.common.progress import warn
from hmsim.common.quantities import quantity
from hmsim.common.statistic_names import proposal, valid
from hmsim.style import look
from hmsim.style.names import heading, named
from hmsim.sweep.optimise import front
from hmsim.sweep.results import geometric_mean, require_table, summary

if TYPE_CHECKING:  # take a while to import
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 12  # series of a picture
NAMES = ("config", "policy", "workload", "seed")  # axes of a table that does not name its own
LOGARITHMIC = ("", "x", "y", "xy")
SAME = 0.005  # share of the picture's height within which two lines look like one
GROWTH = 3  # points that the marker of a line grows for each line that it lies on
WAYS = {"min": 1, "max": -1}
# Units of latencies and energies, and last words of other statistics.
LESS_IS_BETTER = ("ns", "us", "ms", "s", "cycles", "nJ", "mJ", "waf", "max_slowdown", "slowdown")
PREFERRED = ("weighted_speedup", "speedup", "system.ipc", "agent.0.rate")  # by default drawn
RATIOS = ("speedup", "weighted_speedup", "max_slowdown", "slowdown")  # have geometric means
LETTER = 0.055  # inches of a character below an axis
MOST_TEXTS = 8  # at the points of a front
ERROR_BARS: dict[str, Any] = {"elinewidth": 0.8, "capsize": 1.5, "ecolor": "#222222"}


@dataclass(frozen=True)
class Series:
    """Values of one combination of the ``by`` columns: means over seeds, ends of intervals.

    Attributes:
        name: of the combination, for the legend.
        x: values of the axis; y, low and high belong to them. low and high are NaN for one seed.
    """

    name: str
    x: tuple[Any, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def errors(self) -> list[list[float]]:
        """By how much each interval extends below and above its mean."""
        pairs = ((self.y, self.low), (self.high, self.y))
        return [[more - less for more, less in zip(*pair)] for pair in pairs]


def plot(
    table: pd.DataFrame,
    x: str | None = None,
    y: str | None = None,
    by: str | Sequence[str] | None = None,
    *,
    log: str = "",
    columns: int = 1,
    out: str | os.PathLike[str] | None = None,
) -> Figure:
    """Return a picture of a table of results, in the width of a paper's column.

    Values are means over seeds, and over workloads unless these are drawn. Error bars are 95 %
    confidence intervals over seeds (Student's t). The kind follows from ``x``:

    - an axis of numbers, sizes or times: lines;
    - another axis, such as ``workload`` or ``policy``: bars, with the mean of several workloads
      (geometric for speedups and slowdowns);
    - a statistic: points, and a line through those that no other point beats. Lower is better for
      times, energies, write amplification and slowdowns, higher otherwise; NAME:min or NAME:max
      states it.

    A line in the same place as an earlier one has the name "NEW = EARLIER" in the legend.

    Args:
        table: of `compare`, `run_sweep`, `run_points` or `load_results`.
        x: an axis or a statistic; by default ``workload`` if there are several, else an axis of
            numbers, else the first axis.
        y: a statistic; by default the weighted speedup, the speedup or a rate.
        by: axes whose combinations are lines or groups of bars; by default all others that differ.
        log: logarithmic axes: "x", "y" or "xy".
        columns: 1 (3.5 inches wide) or 2 (7.16 inches).
        out: also write the picture to this file: .pdf, .svg or .png.

    Raises:
        InputError: a name is unknown, there are too many series, a logarithmic axis would show a
            value that is not positive, or matplotlib is not installed.
    """
    if out is not None:
        look.kind_of(out)
    whole = _complete(table)
    differing = distinguishing(whole, whole.attrs["axes"])
    x, y = x or _default_x(whole, differing), valid(y or _default_y(whole))
    chosen = [by] if isinstance(by, str) else by
    if "seed" in (x, *(chosen or ())):
        raise InputError("seed: not drawn, because values are means over seeds")
    picture = look.figure(columns)
    with look.matplotlib().rc_context(look.SETTINGS):
        plane = picture.subplots()
        if x in whole.attrs["axes"]:
            check(whole, x, log)
            _draw_axis(picture, plane, whole, (x, y), _groups(whole, [x], chosen), log)
        else:
            _draw_front(picture, plane, whole, [_way(x, whole), _way(y, whole)], chosen, log)
        _wrap_title(picture, plane)
    if out is not None:
        look.save(picture, out)
    return picture


def check(table: pd.DataFrame, axis: str, log: str) -> None:
    """Raise InputError for a logarithmic axis that shows other than positive numbers."""
    if log not in LOGARITHMIC:
        raise InputError(f"log: must be x, y or xy, got '{log}'")
    for value in table[axis].unique() if "x" in log else ():
        place = quantity(str(value))
        if isinstance(place, str) or place <= 0:
            raise InputError(f"log x: {axis}: must be positive numbers, got '{value}'")


def distinguishing(
    table: pd.DataFrame, axes: Sequence[str], known: Sequence[str] = ()
) -> list[str]:
    """Return the axes that tell apart rows which ``known`` and earlier ones do not; no seeds."""
    kept, count = list(known), len(table[list(known)].drop_duplicates()) if known else 1
    for name in axes:
        if name not in kept and name != "seed":
            more = len(table[[*kept, name]].drop_duplicates())
            kept, count = ([*kept, name], more) if more > count else (kept, count)
    return kept[len(known) :]


def _complete(table: pd.DataFrame) -> pd.DataFrame:
    """Return the sound rows of a table, with its axes and units."""
    require_table(table, "plot")
    axes = table.attrs.get("axes") or [name for name in NAMES if name in table.columns]
    units = table.attrs.get("units", {})
    sound = table[table["error"] == ""] if "error" in table.columns else table.assign(error="")
    if sound.empty or not axes:
        raise InputError("the table has no results to draw")
    values = {name: sound[name].astype(object).where(sound[name].notna(), "none") for name in axes}
    sound = sound.assign(**values)
    sound.attrs.update({"axes": axes, "units": units})
    return sound


def _default_x(table: pd.DataFrame, differing: Sequence[str]) -> str:
    plain = [name for name in differing if _is_numeric(table[name])]
    return "workload" if "workload" in differing else [*plain, *differing, *table.attrs["axes"]][0]


def _default_y(table: pd.DataFrame) -> str:
    known = [name for name in table.columns if name in PREFERRED or name in table.attrs["units"]]
    if "agent.0.rate" in known and "agent.1.rate" not in known:
        # The weighted speedup of one agent is 1.
        known = [name for name in known if name != "weighted_speedup"]
    found = [name for name in (*PREFERRED, *known) if name in known]
    if not found:
        raise InputError("the table has no statistics to draw")
    return found[0]


def _is_numeric(values: pd.Series) -> bool:
    found = [quantity(str(value)) for value in values.unique()]
    return len(found) > 1 and not any(isinstance(value, str) for value in found)


def _groups(table: pd.DataFrame, drawn: Sequence[str], by: Sequence[str] | None) -> list[str]:
    """Return the axes whose combinations are series. Raises InputError if one is missing."""
    axes = table.attrs["axes"]
    left = distinguishing(table, [name for name in axes if name != "workload"], drawn)
    if by is None:
        return left
    for name in by:
        if name not in axes:
            raise InputError(f"by: {name}: not an axis; {hint(name, axes, 'axes')}")
    more = distinguishing(table, left, [*drawn, *by])
    if more:
        raise InputError(f"by: rows also differ in {', '.join(more)}; name it or select rows")
    return list(by)


def means(
    table: pd.DataFrame,
    names: Sequence[str],
    keep_workloads: bool = False,
    average: str | Callable[[Any], float] = "mean",
) -> pd.DataFrame:
    """Return `summary` of statistics; workloads are averaged first unless they are kept.

    Only seeds that every workload of a point has take part, so that intervals show seeds alone.
    """
    axes = [name for name in table.attrs["axes"] if name != "workload"]
    for name in names:
        if name in table.attrs["axes"]:
            raise InputError(f"{name}: an axis, not a statistic")
        if name not in table.columns:
            near = proposal(name, [str(each) for each in table.columns])
            raise InputError(f"{name}: not a statistic of any point{near}")
    sound = table.dropna(subset=list(names))
    sound.attrs.update(table.attrs)
    if keep_workloads or not axes or "workload" not in sound.columns:
        return summary(sound, names)
    groups = sound.groupby(axes, sort=False, dropna=False)
    columns = {name: (name, average) for name in names}
    pooled = groups.agg(**columns, workloads=(names[0], "count")).reset_index()
    points = [name for name in axes if name != "seed"]
    if points:
        most = pooled.groupby(points, sort=False, dropna=False)["workloads"].transform("max")
        pooled = pooled[pooled["workloads"] == most]
    few, many = pooled["workloads"].min(), pooled["workloads"].max()
    if few != many:
        warn(f"a point is the mean of {few} to {many} workloads; --by workload draws each")
    pooled = pooled.assign(error="")
    pooled.attrs.update({"axes": axes, "units": table.attrs["units"]})
    return summary(pooled, names)


def _draw_axis(
    picture: Figure,
    plane: Axes,
    table: pd.DataFrame,
    names: tuple[str, str],
    by: Sequence[str],
    log: str,
) -> None:
    """Draw lines over an axis of numbers, otherwise bars."""
    x, y = names
    found = means(table, [y], "workload" in (x, *by))
    title, factor = heading(y, table.attrs["units"], table.columns)
    series = list(_series(found, x, y, by, factor))
    if "y" in log and any(value <= 0 for each in series for value in each.y):
        raise InputError(f"log y: {y}: must be positive everywhere")
    plane.set_ylabel(title)
    if "y" in log:
        plane.set_yscale("log")
    if _is_numeric(found[x]):
        _draw_lines(plane, series, log)
        plane.set_xlabel(heading(x, {}, ())[0])
    else:
        values = [*dict.fromkeys(found[x])]
        if x == "workload" and len(values) > 1 and "workload" not in by:
            geometric = y.rpartition(".")[2] in RATIOS
            own = means(table, [y], average=geometric_mean if geometric else "mean")
            mean = "geometric\nmean" if geometric else "mean"
            extra = {each.name: each for each in _series(own.assign(**{x: mean}), x, y, by, factor)}
            series = [_joined(each, extra.get(each.name)) for each in series]
            values.append(mean)
        _draw_bars(plane, series, values, picture.get_figwidth())
    if "y" in log:
        look.decades(plane, "y")
    else:
        plane.ticklabel_format(axis="y", useOffset=False)
    if by:
        plain = set(by) <= {"policy", "config", "workload"}
        title = "" if plain else ", ".join(heading(name, {}, ())[0] for name in by)
        look.legend(picture, plane, title)


def _joined(one: Series, other: Series | None) -> Series:
    if other is None:
        return one
    parts = (getattr(one, each) + getattr(other, each) for each in ("x", "y", "low", "high"))
    return Series(one.name, *parts)


def _series(
    found: pd.DataFrame, x: str, y: str, by: Sequence[str], factor: float
) -> Iterator[Series]:
    """Yield the series of a table of `means`. Raises InputError for too many."""
    groups = list(found.groupby(list(by), sort=False, dropna=False)) if by else []
    if len(groups) > MOST:
        raise InputError(
            f"{len(groups)} series, of {', '.join(by)}: must be at most {MOST} to be "
            "distinguishable"
        )
    for key, rows in groups or [("", found)]:
        values = key if isinstance(key, tuple) else (key,)
        numbers = [(rows[f"{y}{end}"] * factor).tolist() for end in ("", ".low", ".high")]
        yield Series(", ".join(map(named, values)), tuple(rows[x]), *map(tuple, numbers))


def coinciding(series: Sequence[Series], log: bool = False) -> list[list[int]]:
    """Return for each line the earlier ones that look the same; ``log``: on a logarithmic axis."""
    heights = [[math.log(v) if log else v for v in each.y] for each in series]
    every = [value for height in heights for value in height]
    near = SAME * (max(every) - min(every)) if every else 0

    def alike(one: int, other: int) -> bool:
        pairs = zip(heights[one], heights[other])
        return series[one].x == series[other].x and all(abs(a - b) <= near for a, b in pairs)

    return [[n for n in range(index) if alike(n, index)] for index in range(len(series))]


def _draw_lines(plane: Axes, series: Sequence[Series], log: str) -> None:
    texts = [*dict.fromkeys(value for each in series for value in each.x)]
    are_numbers = all(isinstance(value, (int, float)) for value in texts)
    spaced = are_numbers or "x" in log  # otherwise sizes and times stand side by side
    at = {value: float(quantity(str(value))) if spaced else n for n, value in enumerate(texts)}
    for index, (each, earlier) in enumerate(zip(series, coinciding(series, "y" in log))):
        color = look.COLOURS[index % len(look.COLOURS)]
        x = [at[value] for value in each.x]
        plane.plot(
            x,
            each.y,
            label=f"{each.name} = {series[earlier[0]].name}" if earlier else each.name,
            color=color,
            marker=look.SHAPES[index % len(look.SHAPES)],
            markersize=look.SETTINGS["lines.markersize"] + GROWTH * len(earlier),
            markerfacecolor="none" if earlier else color,
            linestyle=(0, (4, 4)) if earlier else "-",
        )
        plane.errorbar(x, each.y, each.errors, fmt="none", **{**ERROR_BARS, "ecolor": color})
    if "x" in log and are_numbers:
        look.decades(plane, "x")
        return
    if "x" in log:
        plane.set_xscale("log")
        plane.minorticks_off()
    if not are_numbers:
        step = -(-len(texts) // 7)  # labels that fit a column
        plane.set_xticks([at[value] for value in texts][::step], [*map(str, texts)][::step])


def _draw_bars(plane: Axes, series: Sequence[Series], values: Sequence[Any], width: float) -> None:
    """Draw a group of bars for each value; a value with one bar has it in the middle."""
    places = {value: place for place, value in enumerate(values)}
    alone = all(sum(value in each.x for each in series) == 1 for value in values)
    one = 0.8 / (1 if alone else len(series))
    for index, each in enumerate(series):
        offset = 0.0 if alone else one * (index + 0.5) - 0.4
        plane.bar(
            [places[value] + offset for value in each.x],
            each.y,
            one,
            yerr=each.errors if any(low == low for low in each.low) else None,
            label=each.name,
            color=look.COLOURS[index % len(look.COLOURS)],
            hatch=look.HATCHES[(index + index // len(look.COLOURS)) % len(look.HATCHES)],
            edgecolor="white",
            linewidth=0.3,
            error_kw=ERROR_BARS,
        )
    texts = [named(value) for value in values]
    longest = max(len(line) for text in texts for line in text.split("\n"))
    crowded = longest * LETTER > 0.82 * width / len(texts)
    plane.set_xticks(range(len(texts)), texts)
    if crowded:
        plane.tick_params(axis="x", rotation=35)
        for text in plane.get_xticklabels():
            text.set(ha="right", rotation_mode="anchor")
    plane.tick_params(axis="x", length=0)
    plane.grid(visible=False, axis="x")


def _wrap_title(picture: Figure, plane: Axes) -> None:
    """Break the title of the vertical axis into lines that the axis, above its legend, holds."""
    picture.draw_without_rendering()
    height = plane.get_window_extent().height / picture.dpi
    plane.set_ylabel(textwrap.fill(plane.get_ylabel(), max(1, round(height / LETTER))))


def _way(name: str, table: pd.DataFrame) -> tuple[str, str]:
    """Return a statistic and its better direction, of NAME, NAME:min or NAME:max."""
    name, colon, way = name.partition(":")
    name = valid(name)
    if colon and way not in WAYS:
        raise InputError(f"{name}: must be min or max, got '{way}'")
    known = {table.attrs["units"].get(name), name.rpartition(".")[2]}
    return name, way or ("max" if known.isdisjoint(LESS_IS_BETTER) else "min")


def _draw_front(
    picture: Figure,
    plane: Axes,
    table: pd.DataFrame,
    ways: Sequence[tuple[str, str]],
    by: Sequence[str] | None,
    log: str,
) -> None:
    """Draw points, a colour and shape for each combination of ``by``, and the Pareto front."""
    names = [name for name, _ in ways]
    found = means(table, names)
    if found.empty:
        raise InputError(f"no point has both {names[0]} and {names[1]}")
    titles, factors = zip(*(heading(name, table.attrs["units"], table.columns) for name in names))
    for name, factor in zip(names, factors):
        found[name] *= factor
    costs = [[WAYS[way] * row[name] for name, way in ways] for row in found.to_dict("records")]
    found["front"] = front(costs)
    axes = distinguishing(found, found.attrs["axes"])
    groups = by if by is not None else [name for name in axes if name == "policy"]
    kinds = list(found.groupby(list(groups), sort=False, dropna=False)) if groups else [("", found)]
    for index, (key, rows) in enumerate(kinds):
        values = key if isinstance(key, tuple) else (key,)
        plane.plot(
            rows[names[0]],
            rows[names[1]],
            label=", ".join(map(named, values)),
            color=look.COLOURS[index % len(look.COLOURS)],
            marker=look.SHAPES[index % len(look.SHAPES)],
            linestyle="",
        )
    best = found[found["front"]].sort_values(names[0])
    line: dict[str, Any] = {"color": "#555555", "linewidth": 0.9, "zorder": 0}
    plane.plot(best[names[0]], best[names[1]], label="best of all", **line)
    texts = [name for name in axes if name not in groups]
    for index, row in enumerate(best.to_dict("records") if len(best) <= MOST_TEXTS else ()):
        side, offset = ("right", (-4, -2)) if index % 2 else ("left", (4, -2))
        plane.annotate(
            ", ".join(named(row[name]) for name in texts),
            (row[names[0]], row[names[1]]),
            xytext=offset,
            textcoords="offset points",
            horizontalalignment=side,
            fontsize=6.5,
        )
    better = ["less" if way == "min" else "more" for _, way in ways]
    ends = [f"{title}; {word} is better" for title, word in zip(titles, better)]
    plane.set(xlabel=ends[0], ylabel=ends[1])
    for which in log:
        look.decades(plane, which)
    heads = [heading(name, {}, ())[0] for name in texts]
    look.legend(picture, plane, f"At the best: {', '.join(heads)}" if texts else "")
