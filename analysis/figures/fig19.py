# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 19: response times while garbage is collected."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
from hmsim.points import Point, point

from analysis.figures.experiment import Runs, block_agent, workload
from analysis.figures.gains import chosen
from analysis.figures.logs import BINS, Responses
from analysis.figures.style import CYCLE, Made
from analysis.figures.verdicts import Estimate, Finding, estimate
from analysis.log_trace import write_log

SCHEDULERS = ("reactive", "proactive", "preemptive")
SEQUENTIAL = {"nvdimm.precondition.pattern": "sequential"}
REQUESTS = 12_000


def loads(runs: Runs) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return by name the agent's keys, and what differs from configs/quick.yaml."""
    requests = REQUESTS  # few are too few collections
    log = runs.folder / "inputs" / f"log-{requests}.trace"
    if not log.is_file():
        log.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(f"{log}.new")
        write_log(scratch, requests)
        scratch.replace(log)
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
            "quick",
            workload(name, [agent]),
            policy="split",
            seed=seed,
            overrides={**overrides, "nvdimm.gc.scheduler": scheduler},
            axes={"load": name, "scheduler": scheduler},
            runner=Responses(),
        )
        for name, (agent, overrides) in loads(runs).items()
        for scheduler in SCHEDULERS
        for seed in runs.seeds  # that the device ages by, too
    ]


def change(table: pd.DataFrame, load: str, scheduler: str, name: str) -> Estimate:
    """Return how a statistic differs from that under reactive collection, in per cent."""
    if name not in table:
        return Estimate.exact(math.nan)
    own = chosen(table, load=load).set_index(["scheduler", "seed"])[name]
    ratio = 100 * (own[scheduler] / own["reactive"] - 1)
    return estimate({load: [value for value in ratio if not math.isnan(value)]})


def figure(runs: Runs) -> Made:
    """4 KB blocks as fast as served, of a small aged NVDIMM, with and without proactive GC.

    The log reads at random and writes in order in turn, over a device that was written in order:
    victims are nearly empty, as the paper's collections of some milliseconds are.
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
    erases = {
        name: change(table, name, "proactive", "nvdimm.nand.erases") for name in ("log", "dfsioe_w")
    }
    collections = chosen(table, scheduler="reactive").groupby("load")["nvdimm.gc.count"].mean()
    writes = change(table, "dfsioe_w", "proactive", during).mean
    older = change(table, "log", "preemptive", during).mean
    bayes = (
        f"bayes itself writes next to nothing here ({collections['bayes']:.0f} collections), so "
        "the log stands for it."
    )
    findings = [
        Finding(
            *("R19a", change(table, "log", "proactive", during)),
            bool(change(table, "log", "proactive", during).mean < 0),
            f"{bayes} dfsioe_w, which only writes: {writes:+.0f} %. Preemptive collection, simpler "
            f"and older, on the log: {older:+.0f} %.",
        ),
        Finding(
            *("R19b", change(table, "log", "proactive", longest)),
            bool(change(table, "log", "proactive", longest).mean < 0),
            "The log's. A copy may go whenever other channels are busy (equation 7), and holds its "
            f"LUN: some blocks still wait. Preemptive: "
            f"{change(table, 'log', 'preemptive', longest).mean:+.0f} %.",
        ),
        Finding(
            *("R22", erases["log"], abs(erases["log"].mean) <= 5),
            f"Of the log; dfsioe_w: {erases['dfsioe_w'].mean:+.1f} %.",
        ),
    ]

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(2, 2, sharex=True)
        for column, load in enumerate(("log", "dfsioe_w")):
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
                    f"{load}, {scheduler}: while collecting {during_ms:.2f} ms on average"
                )
        for axes in panels[1]:
            axes.set_xlabel("progress of the requests, %")
        for row in panels:
            row[0].set_ylabel("response of a 4 KB block, ms")
        panels[0][0].legend(loc="upper right")

    title = "Fig. 19: response time with garbage collection"
    caption = f"{(figure.__doc__ or '').strip()} The paper: -52 % on average while collecting."
    return Made(title, " ".join(caption.split()), data, findings, paint, (10, 5))
