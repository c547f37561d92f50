# SPDX-License-Identifier: BSD-3-Clause
"""Deprecated names of statistics, and errors for unknown ones with the nearest valid names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from hmsim._core import nearest_name
from hmsim.common.progress import warn

MOST = 3  # names that an error proposes
OLD = re.compile(r"(^|\.)outside_(ns|ps)(?=\.|$)")  # accepted for one release after renaming
NEW = r"\1admission_\2"
Value = TypeVar("Value")


class UnknownStatistic(KeyError):
    """A statistic that a run does not have. ``str`` gives one line with the nearest names."""

    def __str__(self) -> str:
        return str(self.args[0])


class Statistics(dict[str, Value]):
    """Values of statistics by dotted path; an unknown path raises `UnknownStatistic`.

    It differs from a dictionary only in that error, and in that it accepts deprecated names.
    """

    def __init__(self, values: Mapping[str, Value], declared: Sequence[Mapping[str, Any]]) -> None:
        """Copy ``values``; ``declared`` are all statistics of the run, also those without one."""
        super().__init__(values)
        self._declared = declared

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(self._key(name))

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value, or ``default`` if there is none."""
        return super().get(self._key(name), default)

    def __missing__(self, name: str) -> Value:
        if self._key(name) != name:
            return self[self._key(name)]
        if any(each["path"] == name and each["value"] is None for each in self._declared):
            raise UnknownStatistic(f"{name}: has no value in this run: nothing was measured")
        raise UnknownStatistic(f"{name}: not a statistic of this run{proposal(name, self)}")

    def _key(self, name: str) -> str:
        return name if super().__contains__(name) else valid(name)


@cache
def current(name: str) -> str:
    """Return the name under which a statistic of an earlier release is known now."""
    return OLD.sub(NEW, name)


def renamed(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return values with the present names of their statistics."""
    return {current(name): value for name, value in values.items()}


def valid(name: str) -> str:
    """Return the valid name of a statistic that a user names; report a deprecated one once."""
    new = current(name)
    if new != name:
        _report(name, new)
    return new


@cache
def _report(old: str, new: str) -> None:
    warn(f"{old}: deprecated, use '{new}'")


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
