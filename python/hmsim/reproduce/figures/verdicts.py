# SPDX-License-Identifier: BSD-3-Clause
"""Means and medians with intervals, and the verdicts on claims."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hmsim.reproduce.figures.claims import Claim

REPRODUCED, NOT = "reproduced", "not reproduced"
DEPENDS = "depends on the reading"
CONSTRUCTED = "checked by construction"
UNREAD = "readings not run"
DEFAULT = "default"  # name of the reading in which every group has its default
RESAMPLES = 2000
SHARE = 0.95  # of the resampled means lie within the interval
# Per cent. The paper states gains in whole per cents, so a smaller effect is none.
LEAST_EFFECT = 0.5


@dataclass(frozen=True)
class Estimate:
    """A mean and its bootstrap interval, which is the mean itself if there is only one seed."""

    mean: float
    low: float
    high: float

    @staticmethod
    def exact(value: float) -> Estimate:
        return Estimate(value, value, value)


def mean(values: Sequence[float]) -> float:
    """Return the mean, or NaN if there are no values."""
    return math.fsum(values) / len(values) if values else math.nan


def estimate(
    groups: Mapping[str, Sequence[float]], of: Callable[[Sequence[float]], float] = mean
) -> Estimate:
    """Return the mean of group means; a group holds, for example, a program's values by seed.

    The interval covers the choice of seeds only: values are resampled within each group, with
    replacement. Groups (programs) are fixed and not resampled.

    Args:
        groups: values of each group; groups without values are left out.
        of: statistic over the group means, the mean by default.
    """
    columns = [list(values) for values in groups.values() if values]
    if not columns:
        return Estimate.exact(math.nan)
    found = of([mean(values) for values in columns])
    if max(map(len, columns)) == 1 or math.isnan(found):
        return Estimate.exact(found)
    numbers = random.Random(1)
    resampled = sorted(
        of([mean(numbers.choices(values, k=len(values))) for values in columns])
        for _ in range(RESAMPLES)
    )
    skipped = int(RESAMPLES * (1 - SHARE) / 2)
    return Estimate(found, resampled[skipped], resampled[-1 - skipped])


def median(groups: Mapping[str, Sequence[float]]) -> Estimate:
    """Return the median over groups of the means within, with an interval as of `estimate`."""
    return estimate(groups, statistics.median)


@dataclass(frozen=True)
class Finding:
    """Our number for a claim, under one reading.

    Attributes:
        claim: its id.
        ours: the number, or None where there is none.
        trend: whether the order, sign and other conditions are as claimed.
        median: the same number of the median program, for claims about the programs.
    """

    claim: str
    ours: Estimate | None
    trend: bool
    median: Estimate | None = None


def least_effect(claim: Claim) -> float:
    """Return the number that an effect, of a claim about one, is beyond."""
    if claim.no_effect is None:
        return math.nan
    rounding = LEAST_EFFECT if claim.unit == "%" else 0.0
    return claim.no_effect - rounding if claim.falls else claim.no_effect + rounding


def is_effect(value: Estimate, claim: Claim) -> bool:
    """Return whether the whole interval is finite and on the claimed side of no effect."""
    if not math.isfinite(value.mean):
        return False
    if claim.no_effect is None:
        return True
    return value.high < least_effect(claim) if claim.falls else value.low > least_effect(claim)


def judge(finding: Finding, claim: Claim) -> str:
    """Return the verdict under one reading.

    Reproduced: the conditions hold; the whole interval is within the band, if the claim has one;
    it excludes no effect; and the median program has the claimed direction, if the claim is about
    the programs. A claim that is checked by construction has no other verdict while its check
    holds.
    """
    if not finding.trend:
        return NOT
    if finding.ours is None:
        return CONSTRUCTED if claim.constructed and claim.band is None else NOT
    low, high = claim.band or (-math.inf, math.inf)
    if not (low <= finding.ours.low and finding.ours.high <= high):
        return NOT
    if claim.constructed:
        return CONSTRUCTED
    if not is_effect(finding.ours, claim):
        return NOT
    if not claim.programs:
        return REPRODUCED
    median_gains = finding.median is not None and is_effect(finding.median, claim)
    return REPRODUCED if median_gains else NOT


def overall(verdicts: Mapping[str, str], wanted: Sequence[str]) -> str:
    """Return the verdict over all readings: reproduced only if it is so under each.

    Args:
        verdicts: of `judge` by reading, that of `DEFAULT` among them.
        wanted: the other readings that matter for the claim.
    """
    if verdicts[DEFAULT] == CONSTRUCTED:
        return CONSTRUCTED
    found = [verdicts[name] == REPRODUCED for name in (DEFAULT, *wanted) if name in verdicts]
    if any(found) and not all(found):
        return DEPENDS
    if len(found) <= len(wanted):
        return UNREAD
    return REPRODUCED if found[0] else NOT
