# SPDX-License-Identifier: BSD-3-Clause
"""A result in a few lines: what ran, and the main numbers with their units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hmsim.common import labels
from hmsim.common.tables import number, render

if TYPE_CHECKING:
    from hmsim.common.markup import Markup
    from hmsim.runs.result import Result

MOST = 12  # numbers that are shown
WIDTH = 80  # characters


def steadiness(stats: Mapping[str, float], units: Mapping[str, str], name: str) -> str:
    """Return "steady" or "transient" for the rate of an agent's block I/O; else an empty string.

    Args:
        stats: values of statistics by path; units: their units.
        name: path of the statistic ``agent.N.rate``.
    """
    agent = name.removesuffix(".rate")
    if agent == name or units.get(name) != "blocks/s" or f"{agent}.steady" not in stats:
        return ""
    return "steady" if stats[f"{agent}.steady"] else "transient"


def headline(result: Result) -> str:
    """Return what ran, and for how much simulated time, in one line."""
    policy = f" under {result.config.policy}" if result.config.policy else ""
    ticks = result.stats.get("sim.ticks")
    return (
        f"{result.workload.name} on {result.config.name}{policy}, seed {result.options.seed}: "
        f"{number(None if ticks is None else ticks / 1e9)} ms simulated"
    )


def as_text(result: Result) -> str:
    """Return the headline, a table of at most `MOST` numbers, and where the others are."""
    table = render(("", ">"), _main_numbers(result), WIDTH)
    return f"{headline(result)}\n{table}{_rest(result)}"


def as_html(result: Result) -> Markup:
    """Return the same as HTML; every text in it is escaped."""
    from hmsim.common.markup import tag  # most results are printed

    rows = [
        tag("tr", tag("th", label, style="text-align: left"), tag("td", text))
        for label, text in _main_numbers(result)
    ]
    table = tag("table", tag("tbody", *rows))
    return tag("div", tag("p", tag("b", headline(result))), table, tag("p", _rest(result)))


def _main_numbers(result: Result) -> list[tuple[str, str]]:
    """Return labels with units, and values."""
    stats = result.stats
    slow = labels.slow_memory(result.config.resolved())
    groups = labels.lines(stats, result.units, slow, labels.RESULT)
    return [(line.label, line.text(stats[line.name])) for _, lines in groups for line in lines][
        :MOST
    ]


def _rest(result: Result) -> str:
    ended = unfinished(result)
    return f"{ended + '; ' if ended else ''}{len(result.stats)} statistics are in result.stats"


def unfinished(result: Result, where: str = "") -> str:
    """Return what ended the run before agents had finished; an empty string if they had."""
    if not result.unfinished:
        return ""
    until = dict(result.config.flat()).get("frontend.until")
    steady = until == "steady" and all(
        result.stats[f"agent.{index}.window_rate"] for index in result.unfinished
    )
    cause = "steady rates (frontend.until)" if steady else "frontend.time_limit"
    agents = ", ".join(map(str, result.unfinished))
    return f"{cause} ended the run{where} before agents had finished: {agents}"
