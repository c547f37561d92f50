# SPDX-License-Identifier: BSD-3-Clause
"""Bars: parts of a whole, and one number over another."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hmsim.common.markup import Markup, scrolling, tag
from hmsim.common.tables import number

Row = tuple[int, str, list[float]]  # of a run: its index, its name, its parts


def stacked(
    title: str, parts: Sequence[str], rows: Sequence[Row], text: Callable[[float], str]
) -> Markup:
    """Return a bar of parts for each run, to one scale, with a legend and the numbers.

    Beside each name stands the sum, unless bars are equally long.
    """
    sums = [sum(values) for _, _, values in rows]
    most = max(sums) or 1.0
    equal = all(math.isclose(each, most) for each in sums)
    shown = [n for n in range(len(parts)) if any(values[n] > 0 for _, _, values in rows)]
    bars: list[Markup] = []
    for (_, name, values), whole in zip(rows, sums):
        pieces = [
            tag(
                "span",
                text(values[n]) if values[n] / most > 0.07 else None,
                class_=f"s{n % 10}",
                style=f"width:{100 * values[n] / most:.3f}%",
                title=f"{parts[n]}: {text(values[n])}",
            )
            for n in shown
            if values[n] > 0
        ]
        summary = "; ".join(f"{parts[n]} {text(values[n])}" for n in shown)
        bar = tag("div", *pieces, class_="bar", role="img", aria_label=f"{name}: {summary}")
        bars += [tag("div", name if equal else f"{name}: {text(whole)}", class_="name"), bar]
    legend = [tag("span", tag("i", class_=f"s{n % 10}"), parts[n]) for n in shown]
    head = tag("tr", tag("th", "run"), *(tag("th", parts[n]) for n in shown), tag("th", "sum"))
    lines = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            *(tag("td", text(values[n])) for n in shown),
            tag("td", text(sum(values))),
        )
        for _, name, values in rows
    ]
    table = tag("table", tag("thead", head), tag("tbody", *lines))
    return tag(
        "figure",
        tag("figcaption", title),
        tag("div", *legend, class_="legend"),
        tag("div", *bars, class_="bars"),
        tag("details", tag("summary", "The numbers"), scrolling(table, f"{title}: the numbers")),
    )


def relative(title: str, rows: Sequence[tuple[int, str, float]]) -> Markup:
    """Return a bar for each run: its number over that of the first."""
    first = rows[0][2]
    ratios = [value / first if first else 0.0 for _, _, value in rows]
    most = max(*ratios, 1e-12) if len(ratios) > 1 else max(ratios[0], 1e-12)
    bars = []
    for (index, name, value), ratio in zip(rows, ratios):
        width = f"width:{75 * ratio / most:.2f}%"
        bar = tag("div", class_=f"ratio k{index % 8}", style=width)
        words = tag("span", f"{100 * ratio:,.1f} % ({number(value)})")
        bars += [tag("div", name, class_="name"), tag("div", bar, words, class_="meter")]
    return tag("figure", tag("figcaption", title), tag("div", *bars, class_="bars"))
