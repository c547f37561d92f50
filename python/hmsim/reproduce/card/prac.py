# SPDX-License-Identifier: BSD-3-Clause
"""Slowdown by the row timings of PRAC (configs/anchors/method.yaml, prac)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial
from typing import Any

from hmsim.config.configuration import load_config
from hmsim.reproduce.card.content import Cell, Section, Table
from hmsim.reproduce.card.method import Extent
from hmsim.reproduce.card.parallel import Report, run_all
from hmsim.reproduce.validate.row import AT_LEAST, LOSS, Row
from hmsim.runs.runner import run

PAGES = ("open_page", "closed_page")
MEASURED = (1.06, 3.28)  # per cent on hardware, SPEC: mean and largest
SHORTER = 20  # divisor of requests and instructions of a small card
LENGTHS = ("requests", "instructions")
LARGEST = 1000.0  # per cent, an impossible slowdown


def _time(method: Mapping[str, Any], preset: str, page: str, agents: list[dict[str, Any]]) -> float:
    prac = method["prac"]
    keys = {
        **method["system"],
        "dram.preset": preset,
        "dram.ranks": prac["ranks"],
        "controller.channels": 1,
        "controller.queue_depth": prac["queue_depth"],
        "controller.page_policy": page,
    }
    config = load_config("validate_ddr3", keys, where="method.yaml")
    return run(config, {"agents": agents}).stats["sim.ticks"]


def section(method: Mapping[str, Any], extent: Extent, jobs: int, report: Report) -> Section:
    """Run each load with and without PRAC, with open and closed pages."""
    prac = method["prac"]
    shorter = 1 if extent.offered is None else SHORTER
    loads = {
        name: [
            {k: v // shorter if k in LENGTHS else v for k, v in agent.items()} for agent in agents
        ]
        for name, agents in prac["loads"].items()
    }
    cases = list(itertools.product(loads, PAGES, (prac["plain"], prac["with_prac"])))
    tasks = [partial(_time, method, preset, page, loads[name]) for name, page, preset in cases]
    times = dict(zip(cases, run_all(tasks, jobs, report)))
    rows: list[Row] = []
    cells: list[list[Cell]] = []
    for name in loads:
        slow = {
            page: 100
            * (times[name, page, prac["with_prac"]] / times[name, page, prac["plain"]] - 1)
            for page in PAGES
        }
        cells.append([name, slow[PAGES[0]], slow[PAGES[1]], *MEASURED])
        source = f"no load is faster; less than {LOSS} points is no effect"
        middle, half = (LARGEST - LOSS) / 2, (LARGEST + LOSS) / 2
        for page in PAGES:
            title = f"PRAC, {name}, {page}: slowdown"
            rows.append(Row("card", title, middle, slow[page], "%", half, source, side=AT_LEAST))
        gain = slow[PAGES[0]] - slow[PAGES[1]]
        source = f"a closed page hides the precharge; less than {LOSS} points is no effect"
        title = f"PRAC, {name}: open less closed"
        rows.append(Row("card", title, middle, gain, "points", half, source, side=AT_LEAST))
    text = (
        "DDR5-4800B, one sub-channel of one rank, with and without tRAS 16, tRP 36, tRC 52, tRTP 5 "
        "and tWR 10 ns. The measured values are of SPEC on hardware and are shown, not asserted: "
        "none of these loads is SPEC, and random traffic is an upper bound."
    )
    columns = ("load", "open page, %", "closed page, %", "SPEC on hardware, mean, %", "largest, %")
    where = "method.yaml, prac; measured: IEEE CAL 2025, 10.1109/LCA.2025.3587293, abstract"
    return Section("PRAC", text, [Table("Slowdown", columns, cells, where)], rows=rows)
