# SPDX-License-Identifier: BSD-3-Clause
"""Sampled runs that are repeated with other windows, for an interval of a job's IPC.

The windows of one run state how much its estimate varies by the choice of windows. They do not
state how much whole runs vary by timing alone. Repeated sampled runs vary by both.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hmsim.common.intervals import quantile95

FEWEST_RUNS = 4
MOST_RUNS = 32
RATIO = "agent.0.sampling.time_ratio"


@dataclass(frozen=True)
class RepeatedIpc:
    """IPC of a whole run while threads run, from repeated sampled runs, with a 95 % interval.

    Attributes:
        runs: number of runs.
        value: the mean of their estimates, in instructions per cycle of a core.
        half: half the interval for the value of one whole run, in the same unit.
        wanted: share of the value that half the interval should be at most.
    """

    runs: int
    value: float
    half: float
    wanted: float

    @property
    def share(self) -> float:
        """Half the interval as a share of the value."""
        return self.half / self.value

    @property
    def reached(self) -> bool:
        """Whether the interval is as narrow as wanted. If not, the value is not published."""
        return self.share <= self.wanted


def busy_ipc(stats: Mapping[str, float]) -> float:
    """Return a job's instructions per cycle of the cores while its threads run.

    Args:
        stats: of a run whose agent 0 is the job. If it is sampled, the time is the estimated one.
    """
    cycles = stats["agent.0.time.running"] * stats.get(RATIO, 1.0)
    return stats["agent.0.ipc"] * stats["sim.ticks"] / cycles


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of independent runs, and half a 95 % interval for one more run's value.

    Args:
        values: at least two.
    """
    spread = statistics.stdev(values) * math.sqrt(1 + 1 / len(values))
    return statistics.fmean(values), quantile95(len(values) - 1) * spread


def repeat(half_width: float, most: int, run: Callable[[int], Mapping[str, float]]) -> RepeatedIpc:
    """Repeat sampled runs until half the interval is at most a share of the IPC.

    Args:
        half_width: that share.
        most: most runs; at least FEWEST_RUNS are made.
        run: returns the statistics of the run of a number, from 0 on.
    """
    values: list[float] = []
    while True:
        values.append(busy_ipc(run(len(values))))
        if len(values) >= FEWEST_RUNS:
            found = RepeatedIpc(len(values), *interval(values), half_width)
            if found.reached or len(values) >= most:
                return found
