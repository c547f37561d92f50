# SPDX-License-Identifier: BSD-3-Clause
"""Run all mixes, and print the tables of docs/workloads.md, among them the paper's Table IV."""

from __future__ import annotations

from pathlib import Path

from hmsim.bounds.verdict import contest
from hmsim.clones.profile_file import load
from hmsim.common.paths import shipped
from hmsim.config.configuration import load_config
from hmsim.runs.runner import run
from hmsim.workloads.mixes import every
from hmsim.workloads.workload import load_workload

from pages import Documents
from pages.tables import TABLE_IV, head, percent, row


def profiles() -> None:
    head(
        *(
            "program",
            "RPKI",
            "WPKI",
            "the paper's rates",
            "reads",
            "the NVDIMM's share",
            "its RPKI",
        ),
        *("its WPKI", "accesses a visit: DRAM", "NVDIMM", "footprint, MiB: DRAM", "NVDIMM"),
    )
    for name, path in shipped("workloads/profiles").items():
        figures = load(path).figures()
        paper = "{:.2f} / {:.2f}".format(*TABLE_IV[name][2:]) if name in TABLE_IV else "not given"
        row(
            *(name, f"{figures['rpki']:.2f}", f"{figures['wpki']:.2f}", paper),
            *(percent(figures[key]) for key in ("read_ratio", "nvdimm_share")),
            *(f"{figures[key]:.3f}" for key in ("nvdimm_rpki", "nvdimm_wpki")),
            *(
                f"{figures[key]:.1f}" if key in figures else ""
                for key in ("dram_accesses_per_visit", "nvdimm_accesses_per_visit")
            ),
            *(f"{figures[f'{memory}_footprint_mib']:.0f}" for memory in ("dram", "nvdimm")),
        )


def runs() -> None:
    head(
        *("mix", "DRAM latency due to flash DIMM", "flash DIMM latency due to DRAM"),
        *(
            "flash DIMM requests per 1,000 instructions of all",
            "of the program: I/O bytes per 1,000 instructions",
        ),
        *("partner's IPC", "program's IPC", "its makespan, ms", "DRAM read, ns"),
    )
    config = load_config("quick")
    for mix in every():
        stats = run(config, load_workload(mix.name)).stats
        lines = sum(int(stats[f"nvdimm.{kind}"]) for kind in ("reads", "writes"))
        program = sum(int(stats[f"core.{core}.instructions"]) for core in (1, 2, 3))
        everything = program + int(stats["core.0.instructions"])
        waits = contest(stats, config.resolved())
        row(
            f"`{mix.name}`",
            *(f"{100 * waits[f'contest.{memory}']:.2f} %" for memory in ("dram", "nvdimm")),
            f"{1000 * lines / everything:.2f}",
            f"{64_000 * lines / program:.0f}",
            float(stats["core.0.ipc"]),
            float(stats["agent.1.ipc"]),
            f"{stats['agent.1.makespan_us'] / 1000:.2f}",
            f"{stats['dram.read_latency_ns.mean']:,.0f}",
        )


def tables(_: Path) -> Documents:
    """Print both tables; yield nothing."""
    profiles()
    runs()
    yield from ()
