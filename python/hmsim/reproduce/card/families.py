# SPDX-License-Identifier: BSD-3-Clause
"""Families of latency against bandwidth by share of reads, as configs/anchors/method.yaml says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hmsim._core import parse_time
from hmsim.config.configuration import Config, dram_peak, load_config
from hmsim.config.settings import from_mapping
from hmsim.reproduce.card.curves import Curve, CurvePoint
from hmsim.reproduce.card.method import Extent
from hmsim.runs.runner import run
from hmsim.workloads.workload import Agent, Workload

LINE = 64  # bytes
GOLDEN = (math.sqrt(5) - 1) / 2
SPREAD = 0.1  # of the agents' distances between requests, in both directions
UNPACED = 0.0  # offered load of agents without think time
ALONE = -1.0  # offered load of the chase alone


@dataclass(frozen=True)
class Load:
    """Streams, and a pointer chase beside them."""

    agents: int
    outstanding: int
    chase_loads: int
    warmup: str
    separate: bool = False  # agents read or write, instead of each doing both
    latency: float = 0.0  # ns of a stream's line outside the memory, in flight
    target: str = "dram"  # or "nvdimm"


@dataclass(frozen=True)
class Measured:
    """One run."""

    offered: float
    gb_per_s: float
    ns: float
    loads: int  # of the chase that are done
    reads: float  # share of the memory's accesses


def system(
    method: Mapping[str, Any], part: Mapping[str, Any], variant: str, channels: int, longer: int = 1
) -> Config:
    """Return the configuration of a part in a variant; ``longer`` multiplies the time limit."""
    keys = {**method["system"], **method["variants"][variant], **part}
    keys["controller.channels"] = channels
    keys["frontend.time_limit"] = f"{longer * parse_time(method['load']['time_limit'])}ps"
    return load_config("validate_ddr3", keys, where=method["file"])


def peak(config: Config) -> float:
    """Return the peak bandwidth in GB/s: a line in each burst of each data bus."""
    found = dram_peak(config.resolved())
    assert found is not None  # a configuration has all parameters
    return found


def _agent(number: int, **keys: Any) -> Agent:
    given = {"kind": "synthetic", "core": number, **keys}
    return Agent(tuple(from_mapping(given, "card")), "card", None)


def _streams(load: Load, capacity: int, reads: float, interval_ps: float) -> Iterator[Agent]:
    part = capacity // load.agents // LINE * LINE
    for index in range(load.agents):
        start = int((index * GOLDEN) % 1 * part / 2) // LINE * LINE
        factor = 1 - SPREAD + 2 * SPREAD * index / max(1, load.agents - 1)
        share = reads
        if load.separate:
            share = 1.0 if index < round(reads * load.agents) else 0.0
        yield _agent(
            index,
            target=load.target,
            pattern="sequential",
            read_ratio=share,
            offset=f"{index * part + start}B",
            footprint=f"{part // 2}B",
            outstanding=load.outstanding,
            interval=f"{round(interval_ps * factor)}ps",
            latency=f"{round(1e3 * load.latency)}ps",
            requests=1 << 40,
            measured="false",
        )


def workload(
    config: Config, load: Load, reads: float, offered: float, whole: float | None = None
) -> Workload:
    """Return the agents of one point; ``offered`` is a share of the peak, UNPACED or ALONE.

    ``whole``: a bandwidth in GB/s of which ``offered`` is a share instead.
    """
    capacity = config.capacities()[load.target]
    chase = _agent(
        load.agents,
        target=load.target,
        pattern="random",
        footprint=f"{capacity}B",
        outstanding=1,
        requests=load.chase_loads,
    )
    agents: list[Agent] = []
    if offered != ALONE:
        bytes_per_ps = offered * (whole or peak(config)) / 1e3
        interval = load.agents * LINE / bytes_per_ps if offered > 0 else 0
        agents = list(_streams(load, capacity, reads, interval))
    return Workload("card", (*agents, chase))


def measured(
    stats: Mapping[str, float], agents: int, offered: float, target: str = "dram"
) -> Measured:
    """Return the point that a run of a chase beside ``agents`` streams has measured."""
    loads = int(stats[f"agent.{agents if offered != ALONE else 0}.progress"])
    # Without a load done, the latency is at least the time of the run.
    ns = stats["sim.ticks"] / 1e3 / max(1, loads)
    done, writes = stats[f"{target}.reads"], stats[f"{target}.writes"]
    rate = 1e3 * LINE * (done + writes) / stats["sim.ticks"]
    rate = stats["dram.bandwidth_gb_per_s"] if target == "dram" else rate
    return Measured(offered, rate, ns, loads, done / (done + writes))


def point(config: Config, load: Load, reads: float, offered: float, seed: int = 1) -> Measured:
    """Run one point."""
    agents = workload(config, load, reads, offered)
    stats = run(config, agents, warmup=load.warmup, seed=seed).stats
    return measured(stats, load.agents, offered)


def offers(method: Mapping[str, Any], extent: Extent) -> list[float]:
    """Return the offered loads of a family."""
    listed = extent.offered or method["load"]["offered"]
    return [*map(float, listed), *([UNPACED] if method["load"]["unpaced"] else [])]


def curve(points: Sequence[Measured], constant: float) -> Curve:
    """Return a family's curve, with ``constant`` ns added to each latency."""
    ordered = sorted(points, key=lambda p: (p.offered == UNPACED, p.offered))
    return Curve([CurvePoint(p.gb_per_s, p.ns + constant) for p in ordered])
