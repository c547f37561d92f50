# SPDX-License-Identifier: BSD-3-Clause
"""Confidence intervals of means by Student's t."""

from __future__ import annotations

import math
from collections.abc import Sequence

# Quantiles of Student's t for a two-sided 95 % interval, with 1 to 30 degrees of freedom.
T95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
Z95 = 1.959964  # the normal distribution's


def quantile95(freedom: int) -> float:
    """Return Student's t for a two-sided 95 % interval.

    Above 30 degrees of freedom, the first two terms of the expansion in 1 / freedom (Abramowitz and
    Stegun, 26.7.5), exact to 0.001.

    Args:
        freedom: degrees of freedom, at least 1.
    """
    if freedom <= len(T95):
        return T95[freedom - 1]
    first = (Z95**3 + Z95) / 4
    second = (5 * Z95**5 + 16 * Z95**3 + 3 * Z95) / 96
    return Z95 + first / freedom + second / freedom**2


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and the ends of its 95 % confidence interval by Student's t.

    The ends are NaN for one value, all three for none.
    """
    count = len(values)
    if not count:
        return (math.nan,) * 3
    mean = math.fsum(values) / count
    if count == 1:
        return mean, math.nan, math.nan
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = quantile95(count - 1) * math.sqrt(variance / count)
    return mean, mean - half, mean + half
