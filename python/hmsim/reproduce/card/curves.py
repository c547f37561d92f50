# SPDX-License-Identifier: BSD-3-Clause
"""Curves of latency against bandwidth: measured ones, and what the score needs of any curve."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from hmsim._core import InputError
from hmsim.common.directories import read_regular
from hmsim.reproduce.card.method import anchors

LARGEST = 1 << 20  # bytes of a file
FEWEST = 3  # points of a curve
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


def has(family: str, share: float) -> bool:
    """Return whether a family has a curve of a share of reads."""
    return (anchors() / "curves" / family / f"bwlat_{round(100 * share)}.txt").is_file()


def measured(family: str, reads: int, clock_ghz: float) -> Curve:
    """Return a measured curve.

    Args:
        family: folder in configs/anchors/curves, or an absolute path.
        reads: per cent of reads among the memory's transfers.
        clock_ghz: of the cores in whose cycles the file states latencies.

    Raises InputError that names file and line.
    """
    path = anchors() / "curves" / family / f"bwlat_{reads}.txt"
    points = []
    lines = read_regular(path, LARGEST).decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines, 1):
        try:
            mb, cycles = map(float, line.split())
        except ValueError:
            mb = cycles = math.nan
        if not (abs(mb) < math.inf and 0 < cycles < math.inf):
            problem = f"expected '<MB/s> <core cycles>', got '{line[:40]}'"
            raise InputError(f"{path}:{number}: {problem}")
        points.append(CurvePoint(mb / 1e3, cycles / clock_ghz))
    found = [point for point in points if point.gb_per_s >= 0]
    if len(found) < FEWEST:
        raise InputError(f"{path}: must have at least {FEWEST} points")
    return Curve(found if found[0] < found[-1] else found[::-1])
