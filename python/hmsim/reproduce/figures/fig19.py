# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 19: response times while garbage is collected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from hmsim.common.directories import new_file
from hmsim.points.point import Point, point
from hmsim.reproduce.figures.claims import BY_ID
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Runs, block_agent, system, workload
from hmsim.reproduce.figures.gains import chosen
from hmsim.reproduce.figures.log_trace import write_log
from hmsim.reproduce.figures.logs import BINS, Responses
from hmsim.reproduce.figures.style import CYCLE, PAGE_WIDTH, Made, legend_below
from hmsim.reproduce.figures.verdicts import Estimate, Finding, estimate

COLLECT = ("log", "dfsioe_w")  # loads that make garbage
SCHEDULERS = ("reactive", "proactive", "preemptive")
SEQUENTIAL = {"nvdimm.precondition.pattern": "sequential"}
REQUESTS = 12_000


def loads(runs: Runs) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return by name the agent's keys, and the parameters that differ from configs/quick.yaml."""
    requests = REQUESTS  # few are too few collections
    log = runs.folder / "inputs" / f"log-{requests}.trace"
    log.parent.mkdir(parents=True, exist_ok=True)
    with new_file(log, force=True) as scratch:
        write_log(scratch, requests)
    agent = {"kind": "block_trace", "core": 0, "path": str(log), "format": "mqsim"}
    return {
        "log": (agent, SEQUENTIAL),
        "dfsioe_w": (block_agent("dfsioe_w", requests // 2, core=0), {}),
        "bayes": (block_agent("bayes", requests // 2, core=0), {}),
    }


def points(runs: Runs) -> list[Point]:
    """Return every load under every scheduler."""
    return [
        point(
            system("split", {**overrides, "nvdimm.gc.scheduler": scheduler}, "quick"),
            workload(name, [agent]),
            seed=seed,
            axes={"load": name, "scheduler": scheduler},
            runner=Responses(),
        )
        for name, (agent, overrides) in loads(runs).items()
        for scheduler in SCHEDULERS
        for seed in runs.seeds  # that the device ages by, too
    ]


def change(table: pd.DataFrame, scheduler: str, name: str, loads_: Sequence[str]) -> Estimate:
    """Return a statistic's change from reactive collection, in per cent, as the mean of loads."""
    if name not in table:
        return Estimate.exact(math.nan)
    groups = {}
    for load in loads_:
        own = chosen(table, load=load).set_index(["scheduler", "seed"])[name]
        ratio = 100 * (own[scheduler] / own["reactive"] - 1)
        groups[load] = [value for value in ratio if not math.isnan(value)]
    return estimate(groups)


@figure("fig19", 19, "Fig. 19: response time with garbage collection", (PAGE_WIDTH, 5))
def made(runs: Runs) -> Made:
    """4 KB blocks in a closed loop on a small aged NVDIMM, with and without proactive GC.

    The log alternates random reads with sequential writes. Its device was written in order, so
    victims have few valid pages, as in the paper's collections of some milliseconds.
    """
    table = runs.table(points(runs))
    rows = []
    for record in table.to_dict("records"):
        for number in range(BINS):
            if not math.isnan(record.get(f"response.max.{number}", math.nan)):
                keys = {name: record[name] for name in ("load", "scheduler", "seed")}
                values = {f"{k}_us": record[f"response.{k}.{number}"] for k in ("mean", "max")}
                rows.append({**keys, "part": number, **values})
    data = chosen(pd.DataFrame(rows), seed=runs.seeds[0])
    during, longest = "nvdimm.gc.response_time_us.mean", "nvdimm.response_time_us.max"

    def found(claim: str, name: str) -> Finding:
        mean = change(table, "proactive", name, COLLECT)
        each = {load: change(table, "proactive", name, (load,)).mean for load in COLLECT}
        low, high = BY_ID[claim].band or (-math.inf, math.inf)
        if BY_ID[claim].no_change:
            trend = all(low <= value <= high for value in each.values())
        else:
            trend = all(value < 0 for value in each.values())
        return Finding(claim, mean, trend)

    findings = [found("R19a", during), found("R19b", longest), found("R22", "nvdimm.nand.erases")]

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(2, 2, sharex=True)
        for column, load in enumerate(COLLECT):
            own = chosen(data, load=load)
            top = own["max_us"].max() / 1000 * 1.1
            for row, scheduler in enumerate(("reactive", "proactive")):
                axes = panels[row][column]
                part = chosen(own, scheduler=scheduler)
                x = 100 * part["part"] / BINS
                axes.plot(x, part["max_us"] / 1000, color=CYCLE[4], lw=0.9, label="longest")
                axes.plot(x, part["mean_us"] / 1000, color=CYCLE[0], lw=1.2, label="mean")
                axes.set_ylim(0, top)
                mean = chosen(table, load=load, scheduler=scheduler)
                during_ms = mean[during].mean() / 1000 if during in mean else math.nan
                axes.set_title(
                    f"{load}, {scheduler}:\n{during_ms:.2f} ms while collecting, on average"
                )
        for axes in panels[1]:
            axes.set_xlabel("progress of the requests, %")
        for row in panels:
            row[0].set_ylabel("response of a 4 KB block, ms")
        legend_below(canvas, panels[0][0], 2)

    return Made(data, paint, findings, "The paper: -52 % on average while collecting.")
