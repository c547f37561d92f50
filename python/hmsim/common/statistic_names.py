# SPDX-License-Identifier: BSD-3-Clause
"""Errors for unknown names of statistics, with the nearest valid ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from hmsim._core import nearest_name

MOST = 3  # names that an error proposes
Value = TypeVar("Value")


class UnknownStatistic(KeyError):
    """A statistic that a run does not have. ``str`` gives one line with the nearest names."""

    def __str__(self) -> str:
        return str(self.args[0])


class Statistics(dict[str, Value]):
    """Values of statistics by dotted path; an unknown path raises `UnknownStatistic`.

    It differs from a dictionary only in the error of ``statistics[path]``.
    """

    def __init__(self, values: Mapping[str, Value], declared: Sequence[Mapping[str, Any]]) -> None:
        """Copy ``values``; ``declared`` are all statistics of the run, also those without one."""
        super().__init__(values)
        self._declared = declared

    def __missing__(self, name: str) -> Value:
        if any(each["path"] == name and each["value"] is None for each in self._declared):
            raise UnknownStatistic(f"{name}: has no value in this run: nothing was measured")
        raise UnknownStatistic(f"{name}: not a statistic of this run{proposal(name, self)}")


def proposal(name: object, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" with at most three names, or '' if none is near."""
    names = nearest(str(name), known)
    if not names:
        return ""
    *others, last = (f"'{each}'" for each in names)
    return f"; did you mean {', '.join(others)} or {last}?" if others else f"; did you mean {last}?"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return at most three names: parts of a histogram, else similar, else containing ``name``."""
    left = list(known)
    parts = [each for each in left if each.startswith(f"{name}.")]
    if parts:
        return parts[:MOST]
    found: list[str] = []
    while len(found) < MOST and (near := nearest_name(name, left)):
        found.append(near)
        left.remove(near)
    return found or [each for each in left if name and name in each][:MOST]
