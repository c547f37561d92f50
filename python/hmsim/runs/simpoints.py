# SPDX-License-Identifier: BSD-3-Clause
"""Runs of SimPoints, and the result of their program."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hmsim.config.configuration import Config
from hmsim.runs.options import Options
from hmsim.runs.result import Result
from hmsim.workloads.workload import Workload

PROGRESS = re.compile(r"agent\.\d+\.rate")
RATE = re.compile(rf"core\.\d+\.ipc|{PROGRESS.pattern}")
MEAN = re.compile(r".*_[nu]s\.mean")  # of times, whose number is beside it
SUM = re.compile(r"sim\.(ticks|requests)|core\.\d+\.instructions|agent\.\d+\.progress")
LEAST = re.compile(r"agent\.\d+\.finished")
COSTS = ("seconds", "preconditioning_seconds", "commands_checked")


def runs_of(workload: Workload, chosen: Options) -> list[tuple[Workload, Options]]:
    """Return the runs of a workload: one, or one for each of its SimPoints."""
    warmups = [point.warmup for point in workload.simpoints] or [None]
    own = [
        chosen if count is None else chosen._replace(warmup_ps=0, warmup_instructions=count)
        for count in warmups
    ]
    return list(zip(workload.runs(), own))


def combined(config: Config, workload: Workload, chosen: Options, runs: Sequence[Result]) -> Result:
    """Return the result of a workload from those of its runs (`runs_of`).

    For SimPoints, rates and IPC are 1 over the weighted mean of their reciprocals. Mean times of
    requests are weighted by requests per instruction. Simulated time, requests and instructions are
    sums without weights. ``core.N.window.K.ipc`` is the IPC of SimPoint K. No other statistic has
    a value.
    """
    if not workload.simpoints:
        return runs[0]
    every = [run.stats for run in runs]
    weights = [point.weight for point in workload.simpoints]
    shares = []  # of the program's instructions, per instruction that was simulated
    for weight, stats in zip(weights, every):
        rate = sum(value for name, value in stats.items() if PROGRESS.fullmatch(name))
        shares.append(weight / (rate * stats["sim.ticks"]) if rate else 0)
    values: dict[str, float] = {}
    for name in dict.fromkeys(name for stats in every for name in stats):
        each = [stats.get(name, 0) for stats in every]
        if RATE.fullmatch(name):
            values[name] = 1 / sum(w / x for w, x in zip(weights, each)) if all(each) else 0
            if name.endswith("ipc"):
                path = name.removesuffix("ipc")
                values |= {f"{path}window.{index}.ipc": ipc for index, ipc in enumerate(each)}
        elif MEAN.fullmatch(name):
            path = name.removesuffix("mean")
            counts = [share * stats.get(f"{path}count", 0) for share, stats in zip(shares, every)]
            if any(counts):
                values[name] = sum(n * x for n, x in zip(counts, each)) / sum(counts)
        elif SUM.fullmatch(name):
            values[name] = sum(each)
        elif LEAST.fullmatch(name):
            values[name] = min(each)
    units = {name: unit for run in runs for name, unit in run.units.items()}
    statistics = tuple(
        {"path": name, "unit": units.get(name, "instructions/cycle"), "value": value}
        for name, value in values.items()
    )
    costs = [name for name in COSTS if name in runs[0].host]
    host = {name: sum(run.host.get(name, 0) for run in runs) for name in costs}
    return Result(config, workload, chosen, statistics, host, simpoints=tuple(runs))
