# SPDX-License-Identifier: BSD-3-Clause
"""The space of a fit: a place is a share, 0 to 1, of each range, and an index of each list."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hmsim.sweep.sampling import NUMBER, Choice, Domain, Range, draw

Values = Mapping[str, str]  # texts by key
STEP = 0.01  # of a number: how far its neighbours are


class Space:
    """Keys and their domains."""

    def __init__(self, over: Mapping[str, Domain]) -> None:
        self.over = over
        self.ranges = {name: each for name, each in over.items() if isinstance(each, Range)}
        self.lists = {name: each for name, each in over.items() if isinstance(each, Choice)}

    def drawn(self, count: int, seed: int) -> list[Values]:
        """Return the first places of a Sobol sequence."""
        rows = draw(list(self.over.values()), count, "sobol", seed)
        return [dict(zip(self.over, row)) for row in rows]

    def shares(self, values: Values) -> list[float]:
        """Return the place of values on the ranges, in their order."""
        return [share(domain, values[name]) for name, domain in self.ranges.items()]

    def moved(self, values: Values, shares: Sequence[float]) -> Values:
        """Return the values with other places on the ranges; shares outside are clipped."""
        places = {
            name: domain.at(min(max(place, 0.0), 1.0))
            for (name, domain), place in zip(self.ranges.items(), shares)
        }
        return {**values, **places}

    def step(self, name: str) -> float:
        """Return a share of a range that changes its value: a whole number at least."""
        domain = self.ranges[name]
        return 1.01 / (domain.high - domain.low) if domain.whole else 0.0

    def neighbours(self, values: Values) -> list[tuple[str, Values]]:
        """Return values in which one key is a step away, with the key's name.

        A step is 1 of whole numbers, also of those in a list, and 1 % of others.
        """
        found: list[tuple[str, Values]] = []
        for name, domain in self.over.items():
            for text in _beside(domain, values[name]):
                found.append((name, {**values, name: text}))
        return found


def number(text: str) -> float:
    """Return the number in a text such as ``30us``, or NaN."""
    match = NUMBER.fullmatch(text)
    return float(match[1]) if match else math.nan


def share(domain: Range, text: str) -> float:
    """Return the share of a range at which a value is."""
    value = min(max(number(text), domain.low), domain.high)
    if domain.logarithmic:
        return (math.log(value) - math.log(domain.low)) / math.log(domain.high / domain.low)
    if domain.whole:  # a value has an interval of shares, whose middle this is
        return (value + 0.5 - domain.low) / (domain.high + 1 - domain.low)
    return (value - domain.low) / (domain.high - domain.low)


def _beside(domain: Domain, text: str) -> list[str]:
    """Return the values one step away; words have none."""
    match = NUMBER.fullmatch(text)
    if match is None:
        return []
    value, unit = float(match[1]), match[2]
    if value.is_integer() and (isinstance(domain, Choice) or domain.whole):
        found = [f"{int(each)}{unit}" for each in (value - 1, value + 1) if each > 0]
    else:
        found = [f"{value * (1 + sign * STEP):.6g}{unit}" for sign in (-1, 1)]
    return [each for each in found if each != text and _inside(domain, each)]


def _inside(domain: Domain, text: str) -> bool:
    return not isinstance(domain, Range) or domain.low <= number(text) <= domain.high
