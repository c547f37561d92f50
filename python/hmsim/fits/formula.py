# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of targets over statistics of runs, such as ``gain(b.core.0.ipc, a.core.0.ipc)``."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable

from hmsim.sweep.expression import FAILURES, Expression


def gain(value: float, base: float) -> float:
    """Return how much a value is above a base, in per cent."""
    return 100 * (value / base - 1)


def mean(*values: float) -> float:
    """Return the arithmetic mean."""
    return math.fsum(values) / len(values)


FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "gain": gain,
    "max": max,
    "mean": mean,
    "median": lambda *values: statistics.median(values),
    "min": min,
}


class Formula(Expression):
    """Arithmetic over ``RUN.STATISTIC`` and constants; `number` evaluates it."""

    def __init__(self, text: str) -> None:
        """Parse a formula. Raises InputError."""
        super().__init__(text, "a formula", FUNCTIONS)

    def number(self, of: Callable[[str], float]) -> float:
        """Return the value, NaN where it has none, as after a division by zero."""
        try:
            return float(self.value(of))
        except FAILURES:
            return math.nan
