# SPDX-License-Identifier: BSD-3-Clause
"""Bands of targets: what counts as met, and how far off a number is."""

from __future__ import annotations

import math
from dataclasses import dataclass

MOST = 1e6  # bands: of a number that there is not


@dataclass(frozen=True)
class Wanted:
    """A band around a number, or a one-sided bound.

    Attributes:
        low: least value in the band; -inf: there is no least.
        high: largest one; inf: there is no largest.
        centre: the number that was given; None with a bound alone.
        scale: of a bound alone: the distance that counts as one band.
    """

    low: float
    high: float
    centre: float | None = None
    scale: float = 1.0

    def residual(self, value: float) -> float:
        """Return how far a value is from the centre, in half bands; its size is `miss`.

        Within a bound alone the residual is 0, and outside it begins at 1.
        """
        if not math.isfinite(value):
            return MOST
        if self.centre is not None:
            apart = value - self.centre
            half = self.high - self.centre if apart > 0 else self.centre - self.low
            found = apart / half if half else math.copysign(MOST, apart) if apart else 0.0
        elif value < self.low:
            found = -1 - (self.low - value) / self.scale
        else:
            found = 1 + (value - self.high) / self.scale if value > self.high else 0.0
        return min(max(found, -MOST), MOST)

    def miss(self, value: float) -> float:
        """Return the distance in half bands: at most 1 in the band."""
        return abs(self.residual(value))

    def holds(self, value: float) -> bool:
        """Return whether a value is in the band, which its ends belong to."""
        return self.low <= value <= self.high
