# SPDX-License-Identifier: BSD-3-Clause
"""Draws of which each case comes about as often as its share says, at any time (clones/draws.h)."""

from __future__ import annotations

import random

from hmsim.clones.profile import Bins


class Quota:
    """Draws one of some cases by their shares."""

    def __init__(self, shares: list[float], numbers: random.Random) -> None:
        """Take shares of any sum above 0, of at least one case."""
        total = sum(shares)
        self._shares = [share / total if total else 1 / len(shares) for share in shares]
        self._counts = [0] * len(shares)
        self._total = 0
        self._numbers = numbers

    def draw(self) -> int:
        """Return a case: one of those that came about too seldom so far."""
        self._total += 1
        lacks = [
            max(0.0, share * self._total - count)
            for share, count in zip(self._shares, self._counts)
        ]
        at = self._numbers.random() * sum(lacks)
        chosen = 0
        for case, lack in enumerate(lacks):
            if lack:
                chosen = case
                if at < lack:
                    break
                at -= lack
        self._counts[chosen] += 1
        return chosen


class BinDraw:
    """Draws whole numbers of bins; 0 when there are none."""

    def __init__(
        self, bins: Bins, starts: tuple[int, ...], numbers: random.Random, factor: float = 1.0
    ) -> None:
        """Take the bins, which begin at some of ``starts``; numbers are multiplied by a factor."""
        self._factor = factor
        self._numbers = numbers
        self._bins: list[tuple[float, float, float]] = []  # lowest, highest, mean
        for low, (_, mean) in sorted(bins.items()):
            after = starts.index(low) + 1
            high = starts[after] - 1 if after < len(starts) else max(low, 2 * mean - low)
            self._bins.append((low, max(low, high), mean))
        self._quota = Quota([bins[low][0] for low in sorted(bins)], numbers) if bins else None

    def draw(self) -> int:
        """Return a number: the longest part of its bin with the bin's mean in its middle has it."""
        if self._quota is None:
            return 0
        low, high, mean = self._bins[self._quota.draw()]
        half = min(mean - low, high - mean)
        number = mean + half * (2 * self._numbers.random() - 1)
        return int(number * self._factor + self._numbers.random())
