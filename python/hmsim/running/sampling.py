# SPDX-License-Identifier: BSD-3-Clause
"""Sampled runs of a job (docs/sampling.md).

The keys ``sampling.*`` of a job sample its DRAM accesses (agents/node/core_sampling.h). Which loads
and metrics may be sampled was decided by ``hmsim validate sampling``; all others are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hmsim import _core
from hmsim._core import InputError, nearest_name
from hmsim.config.configuration import Config
from hmsim.config.python_nodes import at
from hmsim.config.settings import Setting
from hmsim.running.workload import Agent, Workload
from hmsim.traces.file import TraceFile

KEY = "sampling."  # begins the keys of a job that is sampled
OPTION = "--sample"
WAF = "nvdimm.ftl.waf"
COUNT = "agent.0.sampling.windows"
FEWEST_WINDOWS = 10
MOST_WINDOWS = 1_000_000


@dataclass(frozen=True)
class Sampling:
    """Plan of a sampled run.

    Attributes:
        windows: number of windows.
        length: measured instructions of a window.
        warmup: instructions of a window before the measured ones.
    """

    windows: int
    length: int = 25_000
    warmup: int = 10_000


def parse(text: str) -> Sampling:
    """Return the plan that ``windows=N,length=M`` describes. Raises InputError."""
    given: dict[str, str] = {}
    known = ("windows", "length", "warmup")
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
    numbers = {name: _number(name, value) for name, value in given.items()}
    if not FEWEST_WINDOWS <= numbers["windows"] <= MOST_WINDOWS:
        raise InputError(
            f"{OPTION}: windows: must be in {FEWEST_WINDOWS} .. {MOST_WINDOWS}, "
            f"got {numbers['windows']}"
        )
    return Sampling(**numbers)


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


def check(workload: Workload, config: Config) -> None:
    """Raise InputError, in one line, if a job of the workload is sampled but must not be."""
    if is_sampled(workload) and (why := refusal(workload, config)):
        raise InputError(f"{_place(workload)}: {why}")


def refuse(workload: Workload, command: str) -> None:
    """Raise InputError if a job is sampled: `command` prints what its runs do not estimate."""
    if is_sampled(workload):
        raise InputError(
            f"{_place(workload)}: {command} prints IPC and latencies, which a sampled run does not "
            "estimate; omit the keys, or use 'hmsim run'"
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


def record(workload: Workload, stats: Mapping[str, float]) -> dict[str, Any]:
    """Return the entry ``sampled`` of a run's records; empty unless a job of it is sampled.

    Keys: ``windows`` that were measured, and the names of the ``estimated`` statistics.
    """
    if not is_sampled(workload):
        return {}
    windows = int(stats.get(COUNT, 0))
    return {"sampled": {"windows": windows, "estimated": [WAF] if WAF in stats else []}}


def published(workload: Workload, stats: Mapping[str, float]) -> Mapping[str, float]:
    """Return the statistics that a run's records hold.

    If a job is sampled, these are the estimated ones and those of the sampling itself.
    """
    if not is_sampled(workload):
        return stats
    return {name: stats[name] for name in stats if name == WAF or f".{KEY}" in name}


def describe(stats: Mapping[str, float]) -> str:
    """Return in one line the estimates of a sampled run that passed, and why others are omitted."""
    waf = stats.get(WAF)
    shown = "-" if waf is None or math.isnan(waf) else f"{waf:.4g}"
    return (
        f"sampled, {stats[COUNT]:.0f} windows: write amplification {shown}; IPC and "
        "latencies are not estimated: their intervals cover too few whole runs (docs/sampling.md)"
    )
