# SPDX-License-Identifier: BSD-3-Clause
"""Bias of windows whose state is left as the window before had it: a table of docs/sampling.md.

Each run is short enough to run whole. Its windows run one after the other, without what lies
between them, so caches, resident sets and monitors keep stale content. A warm-up before each window
is simulated in full.
"""

from __future__ import annotations

import random
import statistics
import struct
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmsim.config.configuration import Config, load_config
from hmsim.running.mixes import BASE_CPI, capture
from hmsim.running.runner import run
from hmsim.running.workload import load_workload

from pages import ROOT

WINDOWS = 20
SHARE = 0.1  # of a period, in the measured part of its window
WARMUPS = (0, 1, 4)  # lengths of the warm-up, in windows
OFFSETS = (0.1, 0.3, 0.5)  # begin of the first window, in periods
LINE = 64
TRACE_INSTRUCTIONS = 400_000
WORKING_SET = 12_000  # lines: more than L2's 8,192, fewer than L3's 32,768
CAPTURED = 4_000_000  # instructions


@dataclass(frozen=True)
class Kind:
    """State that windows leave stale.

    Attributes:
        state: in words.
        config: the system.
        agents: keys of the agents; the first one is measured.
        extent: instructions or requests of a whole run of each agent.
        unit: key that limits them.
        metric: statistic that is compared.
        name: of the metric.
    """

    state: str
    config: Config
    agents: tuple[Mapping[str, Any], ...]
    extent: int
    unit: str
    metric: str
    name: str


def _trace(folder: Path) -> Path:
    """Write a trace of ChampSim: 30 % loads, most of them to a working set that moves slowly."""
    draw = random.Random(1)
    path = folder / "working_set"
    with path.open("wb") as file:
        for number in range(TRACE_INSTRUCTIONS):
            load = 0
            if draw.random() < 0.3:
                base = number // 40  # a new line each 40 instructions
                load = LINE * (1 + base + int(WORKING_SET * draw.random() ** 2))
            file.write(struct.pack("<Q8B6Q", 64, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, load, 0, 0, 0))
    return path


def _kinds(folder: Path) -> Iterator[Kind]:
    caches = {"kind": "cpu_trace", "path": str(_trace(folder)), "format": "champsim"}
    quick = load_config("quick", {}).with_policy("split")
    yield Kind(
        "caches (`cpu_trace`), L3 of 2 MiB",
        *(quick, (caches,), TRACE_INSTRUCTIONS, "instructions", "core.0.ipc", "IPC"),
    )
    paged = {
        "kind": "llc_trace",
        "path": str(ROOT / "workloads/demo/network_simplex.hmsim.zst"),
        "format": "hmsim",
        "paged": True,
    }
    swap = load_config("storage/moneta", {"storage.paging.memory": "4MiB"})
    yield Kind(
        "resident set (`storage.paging`) of 4 MiB",
        *(swap, (paged,), 3_000_000, "instructions", "core.0.ipc", "IPC"),
    )
    blocks = {
        "kind": "block_trace",
        "path": str(ROOT / "workloads/blocks/postmark.blkparse.zst"),
        "format": "blkparse",
        "replay": "closed",
    }
    latency = ("requests", "agent.0.request_latency_us.read.mean", "read latency")
    cached = load_config("storage/moneta", {"storage.cache.first": "1MiB"})
    yield Kind("page cache (`storage.cache`) of 1 MiB", cached, (blocks,), 20_000, *latency)
    own = {"kind": "flash", "capacity": "16GiB", "flash.buffer.read_size": "1MiB"}
    drive = load_config("storage/moneta", {f"storage.{name}": own[name] for name in own})
    yield Kind("flash drive with a buffer of 1 MiB", drive, (blocks,), 20_000, *latency)
    programs = tuple(
        {
            "kind": "llc_trace",
            "core": core,
            "path": str(capture(f"{program}_like")),
            "format": "hmsim",
            "base_cpi": BASE_CPI[program],
        }
        for core, program in enumerate(("mcf", "lbm"))
    )
    for policy, state in (
        ("unified_fr_fcfs", "rows and queues of DRAM (`unified_fr_fcfs`)"),
        ("tcm", "the same and monitors (`tcm`)"),
    ):
        system = load_config("mascots16", {}).with_policy(policy)
        yield Kind(state, system, programs, CAPTURED, "instructions", "core.0.ipc", "IPC")


def _value(kind: Kind, keys: Mapping[str, Any]) -> tuple[float, float]:
    """Return the metric of a run whose agents have further keys, and the run's processor time."""
    began = time.process_time()
    workload = load_workload({"agents": [{**agent, **keys} for agent in kind.agents]})
    value = run(kind.config, workload).stats[kind.metric]
    return value, time.process_time() - began


def _windows(kind: Kind, warmup: int, offset: float) -> dict[str, Any]:
    """Return the keys of windows. ``warmup``: in lengths of a window."""
    period = kind.extent // WINDOWS
    length = int(period * SHARE)
    first = [int(period * (number + offset)) for number in range(WINDOWS)]
    return {
        "windows": [
            {
                "skip": max(0, begin - warmup * length),
                "warmup": warmup * length,
                kind.unit: length,
            }
            for begin in first
        ]
    }


def lines() -> Iterator[str]:
    """Run everything and yield the table."""
    head = " | ".join(f"warm-up of {warmup} windows" for warmup in WARMUPS[1:])
    yield f"| state | metric | whole run | stale | {head} | us a record, in full |"
    yield "|---|---|---:|" + "---:|" * (len(WARMUPS) + 1)
    with tempfile.TemporaryDirectory() as folder:
        for kind in _kinds(Path(folder)):
            whole, seconds = _value(kind, {kind.unit: kind.extent})
            errors = []
            for warmup in WARMUPS:
                found = [_value(kind, _windows(kind, warmup, offset))[0] for offset in OFFSETS]
                shares = [value / whole - 1 for value in found]
                errors.append(f"{statistics.fmean(shares):+.1%} ± {statistics.stdev(shares):.1%}")
            cost = seconds / kind.extent * 1e6
            yield (
                f"| {kind.state} | {kind.name} | {whole:.4g} | {' | '.join(errors)} | {cost:.2g} |"
            )
