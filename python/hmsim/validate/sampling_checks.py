# SPDX-License-Identifier: BSD-3-Clause
"""Coverage of sampled runs: do their intervals contain the values of whole runs?

Each cell is one of the paper's eight captured programs, whole, under one of three policies. Bands
were set before the runs: an interval must contain the whole run's value in at least 93 % of the
cells of a metric, and half the interval must be at most 5 % for IPC. A cell whose busy IPC does not
reach the half width in as many runs as ``hmsim run`` makes is not published: it is counted apart.

The wrong model is sampling without warming: windows of 2.5 million instructions that start from an
empty machine. It must not pass.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hmsim.common.intervals import mean_interval, quantile95
from hmsim.config.configuration import Config, load_config
from hmsim.config.settings import Setting
from hmsim.running.mixes import BASE_CPI, JOB_CORES, PROGRAMS, capture
from hmsim.running.repeated_sampling import busy_ipc, interval, repeat
from hmsim.running.result import Result
from hmsim.running.runner import run
from hmsim.running.sampling import COUNT, Sampling, instructions, most_runs, sampled
from hmsim.running.workload import Workload, load_workload
from hmsim.validate.row import AT_LEAST, AT_MOST, PREREGISTERED, Row

GROUP = "sampling"
POLICIES = ("unified_fcfs", "split", "tcm")
PLAN = Sampling(windows=200, length=50_000, warmup=200_000)
SEEDS = (1, 2, 3, 4)  # of the sampled runs; the whole run has the first
COVERED, WIDEST = 0.93, 0.05
BUSY, IPC, READ, WRITE, WAF = (
    *("busy IPC", "IPC", "read latency", "write latency", "write amplification"),
)
ONE_RUN = "busy IPC, one run"
METRICS = (BUSY, ONE_RUN, IPC, READ, WRITE, WAF)
STATISTICS = {
    IPC: "agent.0.ipc",
    READ: "agent.0.request_latency_us.read.mean",
    WRITE: "agent.0.request_latency_us.write.mean",
    WAF: "nvdimm.ftl.waf",
}
COLD = "IPC, windows without warming"
COLD_WINDOWS, COLD_LENGTH = 12, 2_500_000
# Initial state of the buffer for each program (hmsim.figures.regimes).
STATES = {"dfsioe_r": "none", "dfsioe_w": "dirty"}
FILL = 0.05  # of the NVDIMM, where the buffer is full of dirty pages


@dataclass(frozen=True)
class Estimate:
    """Value of a whole run, estimated with a 95 % interval.

    Attributes:
        name: of the metric.
        value: the estimate.
        half: half the interval, in the same unit.
    """

    name: str
    value: float
    half: float

    def covers(self, truth: float) -> bool:
        """Return whether the interval contains the whole run's value."""
        return abs(truth - self.value) <= self.half


@dataclass(frozen=True)
class Cell:
    """A metric of a program under a policy: the whole run's value and the estimate of it."""

    program: str
    policy: str
    metric: str
    truth: float
    estimate: Estimate
    cost: float  # processor time of one sampled run, as a share of the whole run's
    published: bool = True  # false: repeated runs did not reach the half width

    @property
    def covered(self) -> bool:
        return self.estimate.covers(self.truth)

    @property
    def half(self) -> float:
        """Half the interval as a share of the estimate."""
        return self.estimate.half / self.estimate.value

    @property
    def error(self) -> float:
        """Error of the estimate as a share of the whole run's value."""
        return self.estimate.value / self.truth - 1


def system(program: str, policy: str) -> Config:
    """Return the machine of a program's cells, whose copies an engine makes."""
    state = STATES.get(program, "resident")
    own: dict[str, Any] = {
        "frontend.node.machine": "dma",
        "nvdimm.precondition.buffer": state,
        **({"nvdimm.precondition.fill": FILL} if state == "dirty" else {}),
    }
    return load_config("mascots16", own).with_policy(policy)


def job(program: str, **keys: Any) -> Workload:
    """Return the whole capture of a program as a job on three cores."""
    own = {
        "kind": "job",
        "path": str(capture(program)),
        "format": "hmsim",
        "base_cpi": BASE_CPI[program],
        "cores": JOB_CORES,
        "skip_idle": True,
    }
    return load_workload({"agents": [{**own, **keys}]})


def timed(config: Config, workload: Workload, seed: int) -> tuple[Result, float]:
    """Return the result of a run, and its processor time in seconds."""
    began = time.process_time()
    result = run(config, workload, seed=seed)
    return result, time.process_time() - began


def replicated(name: str, values: Sequence[float]) -> Estimate:
    """Return the mean of independent sampled runs, and a 95 % interval for one run's value."""
    return Estimate(name, *interval(values))


def busy_estimate(stats: Mapping[str, float]) -> Estimate:
    """Return the estimate of `busy_ipc` of one sampled run, with its interval.

    The interval is by Student's t over the windows. CPI, whose mean is linear, has the relative
    error of the cores' time.
    """
    value = busy_ipc(stats)
    error = stats.get("agent.0.sampling.relative_error", math.nan)
    return Estimate(ONE_RUN, value, quantile95(int(stats[COUNT]) - 1) * error * value)


def cells_of(program: str, policy: str) -> list[Cell]:
    """Return the cells of a program under a policy. Raises InputError."""
    config, whole = system(program, policy), job(program)
    truth, whole_time = timed(config, whole, SEEDS[0])
    runs: list[tuple[Result, float]] = []

    def again(number: int) -> Mapping[str, float]:
        if number == len(runs):
            runs.append(timed(config, sampled(whole, config, PLAN), SEEDS[0] + number))
        return runs[number][0].stats

    busy = repeat(WIDEST, most_runs(whole, PLAN), again)
    cost = statistics.fmean(seconds for _, seconds in runs) / whole_time
    value = busy_ipc(truth.stats)
    estimate = Estimate(BUSY, busy.value, busy.half)
    found = [
        Cell(program, policy, BUSY, value, estimate, cost, busy.reached),
        Cell(program, policy, ONE_RUN, value, busy_estimate(runs[0][0].stats), cost),
    ]
    for metric, name in STATISTICS.items():
        values = [result.stats.get(name, math.nan) for result, _ in runs[: len(SEEDS)]]
        if name in truth.stats and not any(map(math.isnan, values)):
            estimate = replicated(metric, values)
            found.append(Cell(program, policy, metric, truth.stats[name], estimate, cost))
    return found


def cold_cell(program: str, policy: str, truth: float) -> Cell:
    """Return the IPC of separate windows, each from an empty machine: the wrong model."""
    config, whole = system(program, "split"), job(program)
    config = replace(config, overrides=(*config.overrides, _empty()))
    period = instructions(whole.agents[0]) // COLD_WINDOWS
    cpis = []
    seconds = 0.0
    for number in range(COLD_WINDOWS):
        window = job(program, skip=number * period + period // 2, instructions=COLD_LENGTH)
        result, took = timed(config, window, SEEDS[0])
        cpis.append(1 / result.stats["agent.0.ipc"])
        seconds += took
    mean, _, high = mean_interval(cpis)
    half = (high - mean) / mean**2  # of 1 / CPI, to first order
    return Cell(program, policy, COLD, truth, Estimate(COLD, 1 / mean, half), math.nan)


def _empty() -> Setting:
    return Setting("nvdimm.precondition.buffer", "none", GROUP)


def cells(report: Callable[[float], None] = lambda done: None) -> Iterator[Cell]:
    """Yield all cells. ``report`` receives the share that is done."""
    for number, program in enumerate(PROGRAMS):
        for policy in POLICIES:
            found = cells_of(program, policy)
            yield from found
            if policy == "split":
                whole = next(cell for cell in found if cell.metric == IPC)
                yield cold_cell(program, policy, whole.truth)
        report((number + 1) / len(PROGRAMS))


def rows(found: Sequence[Cell]) -> Iterator[Row]:
    """Yield the verdicts on the metrics, and on the wrong model, which must fail.

    Coverage is that of published cells, which users can see. The widest half interval is of all
    cells, because published ones cannot miss its band.
    """
    for metric in (*METRICS, COLD):
        every = [cell for cell in found if cell.metric == metric]
        own = [cell for cell in every if cell.published]
        if not own:
            continue
        share = statistics.fmean(cell.covered for cell in own)
        low, high = (0.0, COVERED - 1e-9) if metric == COLD else (COVERED, 1.0)
        side = AT_MOST if metric == COLD else AT_LEAST
        name = f"{metric}: covered cells of {len(own)}"
        middle, within = (low + high) / 2, (high - low) / 2
        yield Row(GROUP, name, middle, share, "", within, PREREGISTERED, side=side)
        if metric in (BUSY, ONE_RUN, IPC):
            widest = max(cell.half for cell in every)
            name = f"{metric}: widest half interval"
            half = WIDEST / 2
            yield Row(GROUP, name, half, widest, "", half, PREREGISTERED, side=AT_MOST)


def checks(report: Callable[[float], None] = lambda done: None) -> Iterator[Row]:
    """Run all cells and yield the verdicts. ``report`` receives the share that is done."""
    yield from rows(list(cells(report)))
