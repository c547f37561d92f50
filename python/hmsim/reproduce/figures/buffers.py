# SPDX-License-Identifier: BSD-3-Clause
"""Runs of figures 16 to 18: frames of an item or a page, FCFS or page-aware scheduling."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from hmsim import Bundle
from hmsim.points.point import Point, point
from hmsim.reproduce.figures.experiment import CONFIG, READERS, WRITERS, Runs, block_agent, workload
from hmsim.reproduce.figures.gains import chosen
from hmsim.reproduce.figures.verdicts import Estimate, estimate, median
from hmsim.workloads.mixes import PROGRAMS

SIZES = (4, 32, 128, 512)  # MiB, each of the read and of the write part
REQUESTS = 1500  # 6 MiB of blocks
# Commands to the NVDIMM that may wait for their acks: as many as the system has them, or few.
SYSTEM = "system"
OUTSTANDING = {SYSTEM: "commands outstanding as configured", "4": "4 commands outstanding"}
SCHEMES = {"item": ("item", "fcfs"), "page": ("page", "fcfs"), "PAS": ("page", "pas")}
LABELS = {"item": "item, FCFS", "page": "page, FCFS", "PAS": "page, PAS"}


def _bundle(scheduler: str, trigger: str) -> Bundle:
    own = {"controller.nvdimm_scheduler": scheduler, "controller.scheduler": "fcfs"}
    own["policies.pas.trigger"] = trigger
    return Bundle(f"{scheduler}, {trigger}", "split", own)


def block_point(
    program: str,
    size: int,
    scheme: str,
    outstanding: str,
    requests: int,
    seed: int,
    trigger: str = "any_miss",
) -> Point:
    """Return a run of a program's block I/O alone, on two queues."""
    granularity, scheduler = SCHEMES[scheme]
    overrides: dict[str, Any] = {
        "nvdimm.buffer.granularity": granularity,
        "nvdimm.buffer.read_size": f"{size}MiB",
        "nvdimm.buffer.write_size": f"{size}MiB",
    }
    if outstanding != SYSTEM:
        overrides["controller.outstanding"] = outstanding
    axes: dict[str, Any] = {
        "program": program,
        "size_mib": size,
        "scheme": scheme,
        "outstanding": outstanding,
        "trigger": trigger,
    }
    return point(
        CONFIG,
        workload(f"{program} alone", [block_agent(program, requests, seed)]),
        policy=_bundle(scheduler, trigger),
        seed=seed,
        overrides=overrides,
        axes=axes,
    )


def sizes(runs: Runs) -> tuple[int, ...]:
    return (SIZES[0], SIZES[-1]) if runs.quick else SIZES


def table(runs: Runs) -> pd.DataFrame:
    """Return the runs of figures 16 and 17: every program, buffer size and scheme."""
    requests = runs.scaled(REQUESTS, 0.2)
    return runs.table(
        block_point(program, size, scheme, outstanding, requests, seed)
        for outstanding in OUTSTANDING
        for program in PROGRAMS
        for size in sizes(runs)
        for scheme in SCHEMES
        for seed in runs.seeds
    )


def change(rows: pd.DataFrame, column: str, sign: int = 1) -> tuple[Estimate, Estimate]:
    """Return by how many per cent PAS raises (or with ``sign`` -1, lowers) a column over FCFS.

    The first is the mean over programs and sizes, the second the median program.
    """
    keys = ["program", "size_mib", "seed"]
    page, pas = (chosen(rows, scheme=name).set_index(keys)[column] for name in ("page", "PAS"))
    gain = (sign * 100 * (pas / page - 1)).replace([math.inf, -math.inf], math.nan).dropna()
    return (
        estimate({str(name): list(g) for name, g in gain.groupby(["program", "size_mib"])}),
        median({str(name): list(g) for name, g in gain.groupby("program")}),
    )


def ratio_columns(table_: pd.DataFrame, access: str, strict: bool) -> pd.DataFrame:
    """Return the hit ratios of an access (read or write), for the programs that make it."""
    programs = READERS if access == "read" else WRITERS
    name = f"nvdimm.buffer.{access}_hit_ratio{'_strict' if strict else ''}"
    rows = table_[table_["program"].isin(programs)].copy()
    rows["ratio"] = rows[name]
    return rows.dropna(subset=["ratio"])
