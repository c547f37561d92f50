# SPDX-License-Identifier: BSD-3-Clause
"""Means with intervals, and the verdicts on claims."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

REPRODUCED, TREND, NOT = "reproduced", "trend only", "not reproduced"
RESAMPLES = 2000
SHARE = 0.95  # of the resampled means lie within the interval


@dataclass(frozen=True)
class Estimate:
    """A mean and its bootstrap interval, which is the mean itself if there is only one seed."""

    mean: float
    low: float
    high: float

    @staticmethod
    def exact(value: float) -> Estimate:
        return Estimate(value, value, value)


def estimate(groups: Mapping[str, Sequence[float]]) -> Estimate:
    """Return the mean of group means; a group holds, for example, a program's values by seed.

    The interval covers the choice of seeds only: values are resampled within each group, with
    replacement. Groups (programs) are fixed and not resampled.
    """
    columns = [list(values) for values in groups.values() if values]
    if not columns:
        return Estimate.exact(math.nan)
    mean = _mean([_mean(values) for values in columns])
    if max(map(len, columns)) == 1:
        return Estimate.exact(mean)
    numbers = random.Random(1)
    means = sorted(
        _mean([_mean(numbers.choices(values, k=len(values))) for values in columns])
        for _ in range(RESAMPLES)
    )
    skipped = int(RESAMPLES * (1 - SHARE) / 2)
    return Estimate(mean, means[skipped], means[-1 - skipped])


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


@dataclass(frozen=True)
class Finding:
    """Our result for a claim.

    Attributes:
        claim: its id.
        ours: our number, or None without one.
        trend: whether order and sign are as claimed.
        text: explanation for the reader: the reason, and other observations.
    """

    claim: str
    ours: Estimate | None
    trend: bool
    text: str = ""


def judge(finding: Finding, band: tuple[float, float] | None) -> str:
    """Return the verdict.

    Reproduced: order and sign are as claimed and the number, where the claim has a band of
    tolerance, lies within it with its whole interval. Trend only: the number does not.
    """
    if not finding.trend:
        return NOT
    if band is None:
        return REPRODUCED
    if finding.ours is None or math.isnan(finding.ours.mean):
        return NOT
    inside = band[0] <= finding.ours.low and finding.ours.high <= band[1]
    return REPRODUCED if inside else TREND
