# SPDX-License-Identifier: BSD-3-Clause
"""Sensitivity of the paper's Fig. 7 and 8a to the block agents' parameters.

`hmsim figure` draws the figures themselves. This module prints tables of docs/workloads.md. The
runs use the twins of our programs, one channel of configs/quick.yaml with commands of a line,
FR-FCFS, one queue of 128 entries for both classes, and no garbage collection.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hmsim.config.configuration import Config, load_config
from hmsim.config.settings import from_mapping
from hmsim.runs.runner import run
from hmsim.workloads.mixes import Mix, agents
from hmsim.workloads.workload import Workload, load_agent

from pages import Documents
from pages.tables import head, percent, row

REQUESTS = 1000
FIG_7 = "dfsioe_r"
ALONE = ("dfsioe_r", "sort")
# Keys of the block agents that may change queue behaviour.
VARIANTS: dict[str, dict[str, Any]] = {
    "4 threads of 10 lines, closed loop (default)": {},
    "16 threads of 10 lines": {"threads": 16},
    "4 threads of 64 lines": {"window": 64},
    "2 threads of 64 lines": {"threads": 2, "window": 64},
    "1 thread of 64 lines": {"threads": 1, "window": 64},
    "driver nd_pmem": {"driver": "nd_pmem"},
    "driver dax": {"driver": "dax"},
    "driver pmbd, write-back and clflush": {"copy": "write_back"},
    "software time 30 us a block": {"software_time": "30us"},
    "timed: requests when the capture had them": {"replay": "timed"},
}


def config() -> Config:
    overrides = {"controller.queues": "unified", "nvdimm.access": "line"}
    overrides |= {"nvdimm.precondition.fill": 0, "nvdimm.precondition.overwrite": 0}
    return load_config("quick", overrides, where="tools/pages queues")


def workload(keys: list[dict[str, Any]]) -> Workload:
    return Workload("queues", tuple(load_agent(from_mapping(each, "queues")) for each in keys))


def statistics(keys: list[dict[str, Any]]) -> dict[str, Any]:
    return dict(run(config(), workload(keys)).stats)


def fig_7() -> None:
    """Share of time in which the NVDIMM holds more than 104 of 128 entries, beside mcf."""
    head(
        f"{FIG_7} beside mcf",
        "time > 104 flash DIMM entries",
        "mcf's IPC",
        "flash DIMM request, us",
    )
    core, own, blocks = agents(Mix(FIG_7, "mcf", "closed"))
    for name, keys in VARIANTS.items():
        core["instructions"] = 300_000
        own["instructions"] = 300_000
        stats = statistics([core, own, {**blocks, "requests": REQUESTS, **keys}])
        show(name, stats)
    whole = {**own, "path": own["path"].removesuffix(":dram")}
    show("no block agent: all through the core", statistics([core, whole]))


def show(name: str, stats: dict[str, Any]) -> None:
    row(
        name,
        percent(stats["nvdimm.queue.share_over_104"]),
        float(stats["core.0.ipc"]),
        float(stats.get("nvdimm.line_latency_ns.mean") or 0) / 1000,
    )


def alone(program: str, keys: dict[str, Any]) -> dict[str, Any]:
    """Return statistics of a program that runs alone, with other keys of its block agent."""
    _, own, blocks = agents(Mix(program, "mcf", "closed"))
    own["instructions"] = 1_000_000
    return statistics([own, {**blocks, "requests": REQUESTS, **keys}])


def fig_8a() -> None:
    """The same for two programs alone."""
    head("alone", *(f"{name}: time > 104 flash DIMM entries" for name in ALONE))
    for name, keys in VARIANTS.items():
        cells = []
        for program in ALONE:
            stats = alone(program, keys)
            cells.append(percent(stats["nvdimm.queue.share_over_104"]))
        row(name, *cells)


def tables(_: Path) -> Documents:
    """Print the tables; yield nothing."""
    for name, figure in (("7", fig_7), ("8a", fig_8a)):
        print(f"\nFig. {name}: {figure.__doc__}")
        figure()
    yield from ()
