# SPDX-License-Identifier: BSD-3-Clause
"""Sampled runs of a job (docs/sampling.md).

The keys ``sampling.*`` of a job sample its DRAM accesses (agents/node/core_sampling.h). Which loads
and metrics may be sampled was decided by ``hmsim validate sampling``; all others are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hmsim import _core
from hmsim._core import InputError, nearest_name
from hmsim.config.configuration import Config
from hmsim.config.python_nodes import at
from hmsim.config.settings import Setting
from hmsim.running.repeated_sampling import FEWEST_RUNS, MOST_RUNS, RepeatedIpc
from hmsim.running.workload import Agent, Workload
from hmsim.traces.file import TraceFile

KEY = "sampling."  # begins the keys of a job that is sampled
OPTION = "--sample"
WAF = "nvdimm.ftl.waf"
COUNT = "agent.0.sampling.windows"
HALF_WIDTH = "half_width"
LEAST_HALF_WIDTH, MOST_HALF_WIDTH = 0.01, 0.5
BIAS = "1.4 %"  # the largest error of the busy IPC's mean that docs/sampling.md lists
BUSY_IPC = "busy_ipc"  # the IPC while threads run, in records
FEWEST_WINDOWS = 10
MOST_WINDOWS = 1_000_000


@dataclass(frozen=True)
class Sampling:
    """Plan of a sampled run.

    Attributes:
        windows: number of windows.
        length: measured instructions of a window.
        warmup: instructions of a window before the measured ones.
        half_width: share of the IPC that half its interval should be at most, by repeated runs; 0:
            one run, without IPC.
    """

    windows: int
    length: int = 50_000
    warmup: int = 200_000
    half_width: float = 0.0


def parse(text: str) -> Sampling:
    """Return the plan that ``windows=N,length=M`` describes. Raises InputError."""
    given: dict[str, str] = {}
    known = ("windows", "length", "warmup", HALF_WIDTH)
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name not in known or not equals:
            near = nearest_name(name, list(known))
            hint = f"; did you mean '{near}'?" if near else f"; known: {', '.join(known)}"
            raise InputError(f"{OPTION}: expected NAME=VALUE, got '{part.strip()}'{hint}")
        if name in given:
            raise InputError(f"{OPTION}: {name} is given twice")
        given[name] = value
    if "windows" not in given:
        raise InputError(f"{OPTION}: windows is required: windows=N,length=M")
    half = _share(given.pop(HALF_WIDTH)) if HALF_WIDTH in given else 0.0
    numbers = {name: _number(name, value) for name, value in given.items()}
    if not FEWEST_WINDOWS <= numbers["windows"] <= MOST_WINDOWS:
        raise InputError(
            f"{OPTION}: windows: must be in {FEWEST_WINDOWS} .. {MOST_WINDOWS}, "
            f"got {numbers['windows']}"
        )
    return Sampling(**numbers, half_width=half)


def _share(text: str) -> float:
    """Return the half width that a text such as ``2%`` or ``0.02`` names."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = math.nan
    if not LEAST_HALF_WIDTH <= share <= MOST_HALF_WIDTH:
        raise InputError(
            f"{OPTION}: {HALF_WIDTH}: must be a share of the IPC in {LEAST_HALF_WIDTH:.0%} .. "
            f"{MOST_HALF_WIDTH:.0%}, such as 2%, got '{text}'"
        )
    return share


def _number(name: str, text: str) -> int:
    try:
        return int(_core.parse_integer(text))
    except InputError as error:
        raise InputError(f"{OPTION}: {name}: {error}") from error


def sampled(workload: Workload, config: Config, plan: Sampling) -> Workload:
    """Return a workload whose job is sampled by a plan.

    Raises InputError: the plan does not fit the job, or `refusal` has a reason.
    """
    if why := refusal(workload, config):
        raise InputError(f"{OPTION}: {why}")
    job = workload.agents[0]
    period = instructions(job) // plan.windows
    if period < 2 * (plan.length + plan.warmup):
        most = instructions(job) // (2 * (plan.length + plan.warmup))
        raise InputError(
            f"{OPTION}: windows: must be at most {most} for this job and length, got {plan.windows}"
        )
    keys = {"period": period, "length": plan.length, "warmup": plan.warmup}
    own = tuple(Setting(KEY + name, str(value), OPTION) for name, value in keys.items())
    others = tuple(each for each in job.settings if not each.name.startswith(KEY))
    return replace(workload, agents=(replace(job, settings=(*others, *own)),))


def check(workload: Workload, config: Config, records: Sequence[str] = ()) -> None:
    """Raise InputError, in one line, if a job of the workload is sampled but must not be.

    Args:
        workload: the agents.
        config: the configuration.
        records: names of what is recorded besides statistics, such as "request log".
    """
    if not is_sampled(workload):
        return
    if why := refusal(workload, config):
        raise InputError(f"{_place(workload)}: {why}")
    series = config.resolved()["frontend.series_interval"] != "0s"
    if asked := [*records, *(["time series"] if series else [])]:
        raise InputError(
            f"{_place(workload)}: a sampled run has no {asked[0]}, because most DRAM accesses are "
            "not simulated; omit it, or run the whole job"
        )


def refuse(workload: Workload, command: str) -> None:
    """Raise InputError if a job is sampled: `command` prints what its runs do not estimate."""
    if is_sampled(workload):
        raise InputError(
            f"{_place(workload)}: {command} prints IPC and latencies, which one sampled run does "
            "not estimate; omit the keys, or use 'hmsim run'"
        )


def _place(workload: Workload) -> str:
    """Return where the first key of sampling is."""
    places = (each for agent in workload.agents for each in agent.settings)
    first = next(each for each in places if each.name.startswith(KEY))
    return at(first.where, "sampling")


def is_sampled(workload: Workload) -> bool:
    """Return whether a job of the workload is sampled."""
    return any(_keys(agent).get(KEY + "period", "0") != "0" for agent in workload.agents)


def refusal(workload: Workload, config: Config) -> str:
    """Return why runs of a workload are not sampled, or '' if they may be."""
    if len(workload.agents) != 1 or workload.agents[0].kind != "job":
        return (
            "the workload must be one job: how far agents get beside each other depends on the "
            "timing that sampling leaves out"
        )
    job = workload.agents[0]
    if _keys(job).get("format") != "hmsim" or job.trace is None:
        return "the job must replay a capture with causes (format: hmsim)"
    if not TraceFile(job.trace).header.causes:
        return f"{job.trace.name} records no causes, so its lines of the NVDIMM are not transfers"
    parameters = config.resolved()
    if parameters["storage.kind"] != "none":
        return "storage.kind: not validated for jobs on storage"
    if parameters["frontend.node.machine"] != "dma" and parameters["frontend.node.engine"] != "dma":
        return (
            "frontend.node.machine: must be 'dma': cores that copy lines of the NVDIMM wait for "
            "them, which biases the wait for DRAM"
        )
    if parameters["frontend.nodes.count"] != "1":
        return "frontend.nodes.count: not validated for several nodes"
    return ""


def instructions(job: Agent) -> int:
    """Return the instructions of one pass over a captured job. Raises InputError."""
    assert job.trace is not None
    keys = _keys(job)
    whole = TraceFile(job.trace).header.instructions - int(keys.get("skip", "0"))
    limit = int(keys.get("instructions", "0"))
    return (min(whole, limit) if limit else whole) * int(keys.get("tasks", "1"))


def _keys(agent: Agent) -> Mapping[str, str]:
    return dict(agent.flat())


def most_runs(workload: Workload, plan: Sampling) -> int:
    """Return the runs whose windows together have as many instructions as the whole job."""
    whole = instructions(workload.agents[0]) // (plan.windows * (plan.length + plan.warmup))
    return min(max(whole, FEWEST_RUNS), MOST_RUNS)


def record(
    workload: Workload, stats: Mapping[str, float], ipc: RepeatedIpc | None
) -> dict[str, Any]:
    """Return the entry ``sampled`` of a run's records; empty unless a job of it is sampled.

    Keys: ``windows`` that were measured and the names of the ``estimated`` values. After repeated
    runs that reached the wanted half width also ``runs``, ``busy_ipc`` and ``busy_ipc_half``, half
    its 95 % interval.
    """
    if not is_sampled(workload):
        return {}
    names = [WAF] if WAF in stats else []
    entry: dict[str, Any] = {"windows": int(stats.get(COUNT, 0)), "estimated": names}
    if ipc is not None and ipc.reached:
        names.append(BUSY_IPC)
        entry |= {"runs": ipc.runs, BUSY_IPC: ipc.value, f"{BUSY_IPC}_half": ipc.half}
    return {"sampled": entry}


def published(workload: Workload, stats: Mapping[str, float]) -> Mapping[str, float]:
    """Return the statistics that a run's records hold.

    If a job is sampled, these are the estimated ones and those of the sampling itself.
    """
    if not is_sampled(workload):
        return stats
    return {name: stats[name] for name in stats if name == WAF or f".{KEY}" in name}


def describe(stats: Mapping[str, float], ipc: RepeatedIpc | None) -> str:
    """Return in one line the estimates of a sampled run, and why others are omitted.

    Args:
        stats: of the run.
        ipc: from repeated runs, or None.
    """
    waf = stats.get(WAF)
    shown = "-" if waf is None or math.isnan(waf) else f"{waf:.4g}"
    line = f"sampled, {stats[COUNT]:.0f} windows: write amplification {shown}; "
    if ipc is None:
        return (
            f"{line}IPC is estimated with {HALF_WIDTH}, by repeated runs; latencies are not: their "
            "intervals cover too few whole runs (docs/sampling.md)"
        )
    if not ipc.reached:
        return (
            f"{line}IPC is not estimated: after {ipc.runs} runs, as many as are made, half its "
            f"interval is {ipc.share:.2%}, more than the {ipc.wanted:.2%} wanted; give more "
            "windows, or run the whole job (docs/sampling.md)"
        )
    return (
        f"{line}IPC while threads run {ipc.value:.4g} +- {ipc.share:.2%}, from {ipc.runs} runs, "
        f"besides biases of up to {BIAS}; IPC with waiting and latencies are not estimated "
        "(docs/sampling.md)"
    )
