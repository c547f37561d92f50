# SPDX-License-Identifier: BSD-3-Clause
"""Curves of latency against bandwidth: measured ones, and what the score needs of any curve."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from hmsim.reproduce.card.method import anchors

UNLOADED = 0.05  # share of the maximum below which a point counts as unloaded


class CurvePoint(NamedTuple):
    """Bandwidth and the latency of a pointer chase beside it."""

    gb_per_s: float
    ns: float


class Curve:
    """Points from unloaded to saturated, up to the first one with the largest bandwidth."""

    def __init__(self, points: Sequence[CurvePoint]) -> None:
        self.all = list(points)
        top = max(range(len(self.all)), key=lambda index: self.all[index].gb_per_s)
        self._branch = self.all[: top + 1]

    @property
    def most(self) -> float:
        """Largest bandwidth in GB/s."""
        return self._branch[-1].gb_per_s

    @property
    def unloaded(self) -> float:
        """Median latency of the unloaded points, or the first latency if there is none."""
        low = [p.ns for p in self.all if p.gb_per_s <= UNLOADED * self.most]
        return statistics.median(low) if low else self.all[0].ns

    def at(self, share: float) -> float:
        """Latency at a share of the largest bandwidth, linear between points."""
        wanted = share * self.most
        for one, next_one in zip(self._branch, self._branch[1:]):
            if one.gb_per_s <= wanted <= next_one.gb_per_s:
                return _between(one, next_one, wanted)
        return math.nan

    def knee(self, factor: float) -> float:
        """Bandwidth at which the latency is ``factor`` times the unloaded one; NaN if never."""
        wanted = factor * self.unloaded
        for one, next_one in zip(self._branch, self._branch[1:]):
            if one.ns < wanted <= next_one.ns:
                part = (wanted - one.ns) / (next_one.ns - one.ns)
                return one.gb_per_s + part * (next_one.gb_per_s - one.gb_per_s)
        return math.nan


def _between(one: CurvePoint, next_one: CurvePoint, gb_per_s: float) -> float:
    width = next_one.gb_per_s - one.gb_per_s
    part = (gb_per_s - one.gb_per_s) / width if width > 0 else 0
    return one.ns + part * (next_one.ns - one.ns)


def measured(family: str, reads: int, clock_ghz: float) -> Curve:
    """Return a measured curve.

    Args:
        family: folder in configs/anchors/curves.
        reads: per cent of reads.
        clock_ghz: of the cores in whose cycles the file states latencies.
    """
    path = anchors() / "curves" / family / f"bwlat_{reads}.txt"
    words = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [(float(mb) / 1e3, float(cycles) / clock_ghz) for mb, cycles in words]
    return Curve([CurvePoint(*pair) for pair in reversed(pairs) if pair[0] >= 0])
