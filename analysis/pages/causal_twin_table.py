# SPDX-License-Identifier: BSD-3-Clause
"""How jobs over twins differ from those over captures: prints tables of docs/profiles.md.

Each capture of workloads/captures with causes, and the twin
of its profile of as many instructions, run as jobs on four cores of configs/mascots16.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import hmsim
from hmsim.clones.files import synthesise
from hmsim.clones.profile_meter import measure
from hmsim.config.settings import from_mapping
from hmsim.running.workload import Workload, load_agent
from hmsim.traces.file import TraceFile

from pages import ROOT, Documents
from pages.tables import head, row

CAPTURES = ROOT / "workloads" / "captures"
CORES = "0-3"
SEEDS = 5
COLUMNS = (
    *("makespan, ms", "instructions a ns", "NVDIMM reads", "writes"),
    *("blocked, ms", "queue entries"),
)
MACHINES = {
    "A copy engine, from flash": {"frontend.node.machine": "dma"},
    "A copy engine, resident": {
        "frontend.node.machine": "dma",
        "nvdimm.precondition.buffer": "resident",
    },
    "Cores that copy, from flash": {"frontend.node.machine": "table3"},
}
BLOCKED = ("copying", "reading", "read_ahead", "writing", "throttled", "syncing")
# By how much a twin may differ, in per cent: written before anything was run.
BANDS = {
    "makespan": 15.0,
    "rate": 15.0,
    "reads": 2.0,
    "writes": 2.0,
    "blocked": 25.0,
    "queue": 25.0,
}


class Outcome(NamedTuple):
    """What a run came to."""

    makespan: float  # ms
    rate: float  # instructions per ns
    reads: float  # of the NVDIMM, lines
    writes: float
    blocked: float  # ms, of all threads, for I/O
    queue: float  # NVDIMM entries, mean


def run(trace: Path, machine: dict[str, str], cores: str) -> Outcome:
    """Run a trace as a job."""
    keys = {"kind": "job", "path": str(trace), "format": "hmsim", "cores": cores, "skip_idle": True}
    workload = Workload("twins", (load_agent(from_mapping(keys, "twins")),))
    get = hmsim.run(hmsim.load_config("mascots16", machine), workload).stats.__getitem__
    return Outcome(
        get("agent.0.makespan_us") / 1e3,
        get("agent.0.progress") / get("agent.0.makespan_us") / 1e3,
        get("nvdimm.reads"),
        get("nvdimm.writes"),
        sum(get(f"agent.0.time.{part}") for part in BLOCKED) / 1e9,
        get("nvdimm.queue.occupancy"),
    )


def causal() -> Iterator[Path]:
    for path in sorted(CAPTURES.glob("*.hmsim.zst")):
        if TraceFile(path).header.causes:
            yield path


def change(one: float, others: list[float], band: float | None) -> str:
    """Return relative differences in per cent: mean and range, marked if the mean is outside."""
    if one == 0:
        return "0" if not any(others) else f"{sum(others) / len(others):.2g} *"
    percents = [100 * (other / one - 1) for other in others]
    mean = sum(percents) / len(percents)
    mark = "" if band is None or abs(mean) <= band else " *"
    spread = f" ({min(percents):+.1f} to {max(percents):+.1f})"
    return f"{mean:+.1f}{spread if max(percents) - min(percents) >= 1 else ''}{mark}"


def tables(_: Path) -> Documents:
    """Print the tables; yield nothing."""
    chosen = [*causal()]
    with TemporaryDirectory() as folder:
        twins: dict[Path, list[Path]] = {}
        for path in chosen:
            profile = measure(path)
            twins[path] = [Path(folder) / f"{seed}-{path.name}" for seed in range(SEEDS)]
            for seed, twin in enumerate(twins[path], 1):
                synthesise(profile, twin, profile.instructions, seed=seed)
        for title, machine in MACHINES.items():
            print(f"\n**{title}**")
            head("", *(cell for name in COLUMNS for cell in (name, "twins, %")))
            for path in chosen:
                one, *others = (run(each, machine, CORES) for each in (path, *twins[path]))
                cells: list[str] = []
                for field, each in zip(Outcome._fields, zip(one, *others)):
                    number = f"{each[0]:,.0f}" if field in ("reads", "writes") else f"{each[0]:.3g}"
                    cells += [number, change(each[0], [*each[1:]], BANDS.get(field))]
                row(path.name.split(".")[0], *cells)
    yield from ()
