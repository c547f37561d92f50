# SPDX-License-Identifier: BSD-3-Clause
"""Values of a sweep's axes: spaced, or drawn at random or from a Sobol sequence.

The same seed gives the same values on every machine: they have six digits, in which all
libm agree.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union

from hmsim._core import InputError

NUMBER = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?) ?([A-Za-z/%]*)")
BITS = 32
DECIMALS = {"ps": 0, "ns": 3, "us": 6, "ms": 9, "s": 12}  # to a picosecond

# Joe and Kuo, "Constructing Sobol sequences with better two-dimensional projections", 2008, file
# new-joe-kuo-6.21201: degree and coefficients of a primitive polynomial, first direction numbers;
# from the second dimension on.
DIRECTIONS = (
    (1, 0, (1,)),
    (2, 1, (1, 3)),
    (3, 1, (1, 3, 1)),
    (3, 2, (1, 1, 1)),
    (4, 1, (1, 1, 3, 3)),
    (4, 4, (1, 3, 5, 13)),
    (5, 2, (1, 1, 5, 5, 17)),
    (5, 4, (1, 1, 5, 5, 5)),
    (5, 7, (1, 1, 7, 11, 19)),
    (5, 11, (1, 1, 5, 1, 1)),
    (5, 13, (1, 1, 1, 3, 11)),
    (5, 14, (1, 3, 5, 5, 31)),
    (6, 1, (1, 3, 3, 9, 7, 49)),
    (6, 13, (1, 1, 1, 15, 21, 21)),
    (6, 16, (1, 3, 1, 13, 27, 49)),
    (6, 19, (1, 1, 1, 15, 7, 5)),
    (6, 22, (1, 3, 1, 15, 13, 25)),
    (6, 25, (1, 1, 5, 5, 19, 61)),
    (7, 1, (1, 3, 7, 11, 23, 15, 103)),
    (7, 4, (1, 3, 7, 13, 13, 15, 69)),
)
MOST_DIMENSIONS = len(DIRECTIONS) + 1


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``, both included, in ``unit``."""

    low: float
    high: float
    unit: str = ""
    whole: bool = False
    logarithmic: bool = False

    def at(self, share: float) -> str:
        """Return the value at a share of the range, 0 .. 1."""
        end = self.high + 1 if self.whole and not self.logarithmic else self.high
        if self.logarithmic:
            value = math.exp(math.log(self.low) + share * (math.log(end) - math.log(self.low)))
        else:
            value = self.low + share * (end - self.low)
        if self.whole:
            value = round(value) if self.logarithmic else math.floor(value)
        return self._text(min(max(value, self.low), self.high))

    def spaced(self, count: int) -> list[str]:
        """Return different values at equal distances, both ends among them."""
        ends = Range(self.low, self.high, self.unit, False, self.logarithmic)
        values = [float(ends.number(index / max(count - 1, 1))) for index in range(count)]
        return list(dict.fromkeys(self._text(round(v) if self.whole else v) for v in values))

    def number(self, share: float) -> float:
        """Return the value at a share of the range without its unit."""
        return float(self.at(share).removesuffix(self.unit))

    def _text(self, value: float) -> str:
        if self.whole:
            return f"{int(value)}{self.unit}"
        return f"{round(value, DECIMALS.get(self.unit, 99)):.6g}{self.unit}"


@dataclass(frozen=True)
class Choice:
    """Texts, all equally likely."""

    values: tuple[str, ...]

    def at(self, share: float) -> str:
        """Return the value at a share of the list, 0 .. 1."""
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]


Domain = Union[Range, Choice]


def parse_range(low: str, high: str, scale: str = "linear") -> Range:
    """Return the range from ``low`` to ``high``, such as ``4MiB``; whole numbers if both are.

    Raises InputError.
    """
    first, last = NUMBER.fullmatch(low), NUMBER.fullmatch(high)
    if first is None or last is None:
        raise InputError(f"'{(low if first is None else high)}' is not a number")
    if first[2] != last[2]:
        raise InputError(f"'{low}' and '{high}' have different units")
    if scale not in ("linear", "log"):
        raise InputError(f"scale: must be linear or log, got '{scale}'")
    ends = float(first[1]), float(last[1])
    if not ends[0] < ends[1] < math.inf:
        raise InputError(f"'{low}' must be below '{high}'")
    if scale == "log" and ends[0] <= 0:
        raise InputError(f"a logarithmic scale must begin above 0, got '{low}'")
    whole = all(re.fullmatch("-?[0-9]+", match[1]) for match in (first, last))
    return Range(*ends, first[2], whole, scale == "log")


def draw(domains: Sequence[Domain], count: int, method: str, seed: int) -> list[list[str]]:
    """Return ``count`` samples, each a value of every domain. ``method``: random or sobol."""
    if method == "random":
        source = random.Random(seed)
        shares = [[source.random() for _ in domains] for _ in range(count)]
    else:
        shares = sobol(len(domains), count, seed)
    return [[domain.at(share) for domain, share in zip(domains, row)] for row in shares]


def sobol(dimensions: int, count: int, seed: int) -> list[list[float]]:
    """Return the first points of a Sobol sequence, 0 .. 1, shifted digitally by the seed.

    Seed 0 shifts nothing. The first 2^k points have one in every interval of length 2^-k of every
    dimension. At most `MOST_DIMENSIONS` dimensions.
    """
    source = random.Random(seed)
    columns = []
    for dimension in range(dimensions):
        directions = _directions(dimension)
        value = source.getrandbits(BITS) if seed else 0
        column = [value]
        for index in range(1, count):
            lowest_zero = (~(index - 1) & index).bit_length() - 1  # Antonov and Saleev's order
            value ^= directions[lowest_zero]
            column.append(value)
        columns.append(column)
    return [[value / (1 << BITS) for value in row] for row in zip(*columns)]


def _directions(dimension: int) -> list[int]:
    """Return a dimension's direction numbers as fractions of 2^BITS."""
    if dimension == 0:
        return [1 << (BITS - 1 - bit) for bit in range(BITS)]
    degree, coefficients, first = DIRECTIONS[dimension - 1]
    numbers = [value << (BITS - 1 - bit) for bit, value in enumerate(first)]
    for bit in range(degree, BITS):
        value = numbers[bit - degree] ^ (numbers[bit - degree] >> degree)
        for term in range(1, degree):
            if coefficients >> (degree - 1 - term) & 1:
                value ^= numbers[bit - term]
        numbers.append(value)
    return numbers
