# SPDX-License-Identifier: BSD-3-Clause
"""Formulas in place of the simulator, under which every counted claim of the paper holds.

They read a point's resolved configuration, as the simulator does. A change of the points that does
not reach the configuration therefore shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import pandas as pd
from hmsim.config.configuration import Config
from hmsim.points.point import Outcome, Point, Scalar
from hmsim.points.run import as_table
from hmsim.reproduce.figures.logs import DEPTH

# IPC of both cores under a scheme: HMS has 13 % over PAR-BS and NVM Duet, and so on.
IPC = {
    **{"fcfs": 0.9, "split": 0.98, "tcm": 1.0, "par_bs": 1.12, "nvm_duet": 1.12, "firm": 1.12},
    **{"oracle": 1.69, "hms": 1.26, "all": 1.42},
}
MEMORY_BOUND = {"mcf": 1.0, "lbm": 0.96, "milc": 0.93}  # HMS beside a partner, relative to mcf
BEST = "dfsioe_w"  # gains most by all techniques


def scheme(values: dict[str, str]) -> str:
    """Return which scheme a configuration has."""
    if values["controller.bus"] == "private":
        return "oracle"
    if values["controller.queues"] == "unified":
        return values["controller.scheduler"]
    if values["controller.arbiter"] != "harmonic":
        return "split"
    return "all" if values["controller.nvdimm_scheduler"] == "pas" else "hms"


def mix(values: dict[str, str], labels: dict[str, Scalar]) -> dict[str, float]:
    """Return what a mix of a program and a partner counts."""
    name = scheme(values)
    program = partner = IPC.get(name, 1.0)
    if name in ("hms", "all"):
        program *= MEMORY_BOUND.get(str(labels["partner"]), 1.0)
        weight = float(values["policies.harmonic.weight"]) - 0.5
        program *= 1 + weight * {"dfsioe_r": 0.1, "sort": -0.25}.get(str(labels["program"]), 0)
    if name == "all" and labels["program"] == BEST:
        program *= 1.06
    if name == "firm" and values["policies.firm.turnaround_share"] != "20":
        program, partner = 0.99 * program, 0.99 * partner
    if name == "split":
        partner *= 1.76  # of 0.9 under FCFS
        if values["controller.nvdimm_scheduler"] == "pas":
            program *= 1.12 if values["nvdimm.buffer.read_size"] == "4MiB" else 1.15
    flash = values["nvdimm.precondition.buffer"] == "none"
    full = 0.9 if flash else 0.03
    shares = {f"share.{name}.{n}": 0.0 for name in ("dram", "nvdimm") for n in range(DEPTH + 1)}
    shares |= {"share.dram.0": 1.0, "share.nvdimm.0": 1 - full, "share.nvdimm.110": full}
    return {
        **{"core.0.ipc": partner, "agent.0.ipc": program, "agent.1.ipc": program, **shares},
        "nvdimm.queue.share_over_104": full,
    }


def block(values: dict[str, str]) -> dict[str, float]:
    """Return what block I/O counts."""
    page = values["nvdimm.buffer.granularity"] == "page"
    pas = values["controller.nvdimm_scheduler"] == "pas"
    flash = float(values["nvdimm.nand.read_time"].removesuffix("us"))
    hits = (0.88 if page else 0.08) * (1.045 if pas else 1)
    small = values["nvdimm.buffer.read_size"] == "4MiB"
    found = {
        "agent.0.rate": 1.0 if not pas else 1.12 if small else 1.15,
        "nvdimm.response_time_us.mean": (90 if page else 158) * (0.9 if pas else 1) * flash / 50,
    }
    for access in ("read", "write"):
        for kind in ("", "_strict"):
            found[f"nvdimm.buffer.{access}_hit_ratio{kind}"] = hits
    return found


def collection(values: dict[str, str]) -> dict[str, float]:
    """Return what garbage collection costs."""
    proactive = values["nvdimm.gc.scheduler"] == "proactive"
    random = values["nvdimm.ftl.victim"] == "random_victim"
    return {
        "nvdimm.gc.response_time_us.mean": 480.0 if proactive else 1000.0,
        "nvdimm.response_time_us.max": 2000.0 if proactive else 8000.0,
        "nvdimm.nand.erases": 150.0 if random else 100.0,
        "nvdimm.gc.count": 10.0,
        **{f"response.{kind}.{n}": 100.0 for kind in ("mean", "max") for n in range(2)},
    }


@lru_cache
def resolved(config: Config) -> dict[str, str]:
    """Return every parameter; windows and seeds share configurations."""
    found: dict[str, str] = config.resolved()
    return found


def measured(point: Point) -> dict[str, float]:
    """Return the statistics of a point."""
    values = resolved(point.config)
    labels = point.labels()
    if "load" in labels:
        return collection(values)
    if "access" in labels:  # Table I: a block at random
        flash = float(values["nvdimm.nand.read_time"].removesuffix("us"))
        return {"nvdimm.response_time_us.mean": 3 * flash if labels["access"] == "read" else 4.66}
    if "random" in labels:
        pages = values["nvdimm.buffer.granularity"] == "page"
        grown = 100 + 10 * int(str(labels["random"])) if pages else 1100
        return {"nvdimm.line_latency_ns.mean": 1000.0 * grown}
    return block(values) if "outstanding" in labels else mix(values, labels)


def run_points(points: Iterable[Point], *_: Any, **__: Any) -> pd.DataFrame:
    """Replace `hmsim.points.run.run_points`: formulas give the results."""
    return as_table([(each.labels(), Outcome("", measured(each))) for each in points])
