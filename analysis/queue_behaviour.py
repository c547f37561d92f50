# SPDX-License-Identifier: BSD-3-Clause
"""The quantities of the paper's section IV (Fig. 7, 8a-d) on our programs' twins.

``python analysis/queue_behaviour.py`` prints the tables of docs/workloads.md. One channel of
configs/quick.yaml, one queue of 128 entries for both classes, FR-FCFS, no flash pages to collect.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from hmsim.config import Config, load_config
from hmsim.mixes import Mix, agents, available
from hmsim.paths import data_directory
from hmsim.profile_file import load
from hmsim.profiles import Bins
from hmsim.runner import run
from hmsim.settings import from_mapping
from hmsim.workload import Workload, load_agent

REQUESTS = 1000
FIG_7 = "dfsioe_r"
ALONE = ("dfsioe_r", "sort")
LOCALITY = ("dfsioe_r", "dfsioe_w", "sort")
# What of the model may move queues: keys of the block agents.
VARIANTS: dict[str, dict[str, Any]] = {
    "4 threads of 64 lines, closed loop (default)": {},
    "2 threads of 64 lines": {"threads": 2},
    "1 thread of 64 lines": {"threads": 1},
    "4 threads of 10 lines (line-fill buffers)": {"window": 10},
    "16 threads of 10 lines": {"threads": 16, "window": 10},
    "driver nd_pmem": {"driver": "nd_pmem"},
    "driver dax": {"driver": "dax"},
    "driver pmbd, write-back and clflush": {"copy": "write_back"},
    "software time 30 us a block": {"software_time": "30us"},
    "timed: requests when the capture had them": {"replay": "timed"},
}


def config() -> Config:
    overrides = {"controller.queues": "unified", "nvdimm.precondition.fill": 0}
    overrides["nvdimm.precondition.overwrite"] = 0
    return load_config("quick", overrides, where="analysis/queue_behaviour.py")


def workload(keys: list[dict[str, Any]]) -> Workload:
    return Workload("queues", tuple(load_agent(from_mapping(each, "queues")) for each in keys))


def statistics(keys: list[dict[str, Any]]) -> dict[str, Any]:
    return dict(run(config(), workload(keys)).stats)


def row(*cells: object) -> None:
    texts = [f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in cells]
    print("| " + " | ".join(texts) + " |", flush=True)


def head(*cells: str) -> None:
    print()
    row(*cells)
    row(*("---" for _ in cells))


def fig_7() -> None:
    """Share of time with more than 104 of 128 entries the NVDIMM's, beside mcf."""
    head(f"{FIG_7} beside mcf", "time > 104 NVDIMM entries", "mcf's IPC", "NVDIMM line, us")
    core, own, blocks = agents(Mix(FIG_7, "mcf"))
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
        f"{100 * stats['nvdimm.queue.share_over_104']:.1f} %",
        float(stats["core.0.ipc"]),
        float(stats.get("nvdimm.line_latency_ns.mean") or 0) / 1000,
    )


def alone(program: str, keys: dict[str, Any]) -> dict[str, Any]:
    """Return statistics of a program without a partner, its block agent with other keys."""
    _, own, blocks = agents(Mix(program, "mcf"))
    own["instructions"] = 1_000_000
    return statistics([own, {**blocks, "requests": REQUESTS, **keys}])


def fig_8a() -> None:
    """The same of two programs alone."""
    head("alone", *(f"{name}: time > 104 NVDIMM entries" for name in ALONE))
    for name, keys in VARIANTS.items():
        cells = []
        for program in ALONE:
            if program not in available():
                cells.append("no profile")
                continue
            stats = alone(program, keys)
            cells.append(f"{100 * stats['nvdimm.queue.share_over_104']:.1f} %")
        row(name, *cells)


def fig_8b() -> None:
    """Latency of reads against how many are outstanding."""
    head("reads outstanding", "random lines, us", "sequential lines, us")
    for outstanding in (1, 2, 4, 8, 16, 32, 64):
        cells = []
        for pattern in ("random", "sequential"):
            keys = {"kind": "synthetic", "target": "nvdimm", "pattern": pattern}
            keys |= {"outstanding": outstanding, "requests": 20_000, "footprint": "128MiB"}
            cells.append(float(statistics([keys])["nvdimm.line_latency_ns.mean"]) / 1000)
        row(outstanding, *cells)


def fig_8c() -> None:
    """Latency of reads, the queue full, against how many go elsewhere than to the next line."""
    head("lines read at random", "NVDIMM line, us")
    numbers = random.Random(1)
    lines = (128 << 20) // 64
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "reads")
        for percent in (0, 20, 40, 60, 80, 100):
            line = 0
            with trace.open("w", encoding="ascii") as file:
                for _ in range(20_000):
                    jump = numbers.randrange(100) < percent
                    line = numbers.randrange(lines) if jump else (line + 1) % lines
                    file.write(f"{line * 64:#x} R\n")
            keys = {"kind": "memory_trace", "path": str(trace), "format": "ramulator_rw"}
            stats = statistics([{**keys, "target": "nvdimm"}])
            row(f"{percent} %", float(stats["nvdimm.line_latency_ns.mean"]) / 1000)


def fig_8d() -> None:
    """Accesses of the NVDIMM that a visit to a page makes."""
    head("program", "visits of 64 accesses", "accesses a visit")
    for program in LOCALITY:
        if program not in available():
            continue
        profile = load(data_directory() / "workloads" / "profiles" / f"{program}.yaml")
        streams = [s for name, s in profile.streams.items() if name.startswith("nvdimm")]
        visits = sum(stream.visits for stream in streams)
        whole = 0.0
        for stream in streams:
            kinds: list[Bins] = [stream.jumped, stream.followed, stream.swept]
            for share, bins in zip(stream.kinds, kinds):
                whole += stream.visits * share * bins.get(64, [0.0])[0]
        accesses = sum(stream.accesses for stream in streams)
        row(program, f"{100 * whole / visits:.1f} %", accesses / visits)


def main() -> None:
    figures = {"7": fig_7, "8a": fig_8a, "8b": fig_8b, "8c": fig_8c, "8d": fig_8d}
    for name in sys.argv[1:] or figures:
        print(f"\nFig. {name}: {figures[name].__doc__}")
        figures[name]()


if __name__ == "__main__":
    main()
