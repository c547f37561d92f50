# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of docs/where-policies-pay.md: gains by threads and lines in flight, and by the limit.

Threads read or write random pages of the NVDIMM's flash, alone or beside a core like mcf.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hmsim
import pandas as pd
from hmsim.config.settings import from_mapping
from hmsim.points.point import Point, point
from hmsim.reproduce.figures.style import CYCLE, legend_below
from hmsim.workloads.workload import Workload, load_agent
from matplotlib.figure import Figure

from pages import DOCS, Documents
from pages.pictures import log_axis, svg

LIMITS = range(8, 129)
COPIES = ((16, 10), (16, 16), (64, 10), (16, 64))  # threads, lines of each
ORDERS = {"ready": "acks when ready", "command": "acks in order of commands"}
FIRST_COME = {
    "controller.queues": "split",
    "controller.arbiter": "oldest_first",
    "controller.scheduler": "fcfs",
    "policies.pas.trigger": "any_miss",
}
CORE = {
    "kind": "llc_trace",
    "path": "twin:mcf",
    "format": "hmsim",
    "core": 0,
    "instructions": 3_000_000,
    "measured": False,
}
# A write part that is small and full, on a filled device.
FULL = {
    "nvdimm.buffer.write_size": "1MiB",
    "nvdimm.precondition.fill": 1,
    "nvdimm.precondition.buffer": "dirty",
}
LOADS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "reads from flash": ({}, {}),
    "reads of a full buffer": ({"footprint": "64MiB"}, {"nvdimm.precondition.buffer": "resident"}),
    "writes, write part full": ({"read_share": 0}, FULL),
}
THREADS = (1, 2, 4, 8, 16, 32, 64)
LINES = (10, 64)
POLICIES = ("unified_fr_fcfs,drained", "split,drained", "hms,drained", "all,drained")
TICKS = ((0.5, 1, 3, 10, 30, 100, 300, 1_000), (0.5, 1, 2, 5, 10))
NAMES = ("two queues", "two queues, harmonic", "all techniques")


def _workload(name: str, *keys: dict[str, Any]) -> Workload:
    return Workload(name, tuple(load_agent(from_mapping(each, "tools/pages")) for each in keys))


def _readers(threads: int, lines: int, requests: int, **keys: Any) -> dict[str, Any]:
    shape = {"access": "random", "size": "4KiB", "threads": threads, "window": lines}
    return {"kind": "io_pattern", **shape, "requests": requests, **keys}


def _orders() -> Iterator[Point]:
    for threads, lines in COPIES:
        workload = _workload("pages", _readers(threads, lines, 800))
        for limit in LIMITS:
            for order in ORDERS:
                for scheduler in ("fcfs", "pas"):
                    settings = {
                        "controller.outstanding": limit,
                        "nvdimm.ack_order": order,
                        "controller.nvdimm_scheduler": scheduler,
                    }
                    config = hmsim.load_config("mascots16", {**FIRST_COME, **settings})
                    axes = {"copies": f"{threads} x {lines}", "limit": limit, "order": order}
                    axes["scheduler"] = scheduler
                    yield point(config, workload, axes=axes)


def _gains(table: pd.DataFrame, by: str, base: str, value: str, keys: list[str]) -> pd.DataFrame:
    """Return the gain (%) of each value of ``by`` over ``base``, a column for each."""
    wide = table.pivot_table(index=keys, columns=by, values=value)
    return (wide.div(wide[base], axis=0) - 1) * 100


def order(_: Path) -> Documents:
    """Draw what page-aware scheduling gains for each limit of outstanding commands."""
    with TemporaryDirectory() as folder:
        table = hmsim.run_points([*_orders()], folder, jobs=1)
    gain = _gains(table, "scheduler", "fcfs", "agent.0.rate", ["order", "copies", "limit"])["pas"]

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (name, title) in zip(panels, ORDERS.items()):
            for (threads, lines), colour in zip(COPIES, CYCLE):
                curve = gain[name][f"{threads} x {lines}"]
                label = f"{threads} threads x {lines} lines"
                axes.plot(curve.index, curve, color=colour, lw=1, label=label)
            axes.set(title=title, xlabel="limit of outstanding commands", xticks=range(0, 129, 16))
            axes.grid(True, axis="both", alpha=0.3)
        panels[0].set_ylabel("gain of the rate (%)")
        panels[1].legend(fontsize=8)

    yield DOCS / "page-order.svg", svg(paint, (7.1, 3.4))


def _mixes() -> Iterator[Point]:
    for load, (keys, settings) in LOADS.items():
        for lines in LINES:
            for threads in THREADS:
                workload = _workload(load, CORE, _readers(threads, lines, 1500, **keys))
                for policy in POLICIES:
                    config = hmsim.load_config("mascots16", settings).with_policy(policy)
                    axes = {"load": load, "lines": lines, "threads": threads}
                    yield point(config, workload, axes=axes)


def policies(_: Path) -> Documents:
    """Draw what a second queue, the harmonic arbiter and all techniques gain."""
    with TemporaryDirectory() as folder:
        table = hmsim.run_points([*_mixes()], folder, jobs=1)
    keys = ["load", "lines", "threads"]
    values = {"core's rate": "agent.0.rate", "I/O rate": "agent.1.rate"}
    times = {
        name: _gains(table, "policy", POLICIES[0], value, keys) / 100 + 1
        for name, value in values.items()
    }

    def paint(figure: Figure) -> None:
        panels = figure.subplots(2, len(LOADS), sharex=True, sharey="row")
        for row, (what, ratio), ticks in zip(panels, times.items(), TICKS):
            for axes, load in zip(row, LOADS):
                for policy, name, colour, width in zip(POLICIES[1:], NAMES, CYCLE, (5, 2.5, 1)):
                    for lines, style in zip(LINES, ("-", ":")):
                        curve = ratio[policy][load][lines]
                        label = f"{name}, {lines} lines"
                        axes.plot(curve.index, curve, style, color=colour, lw=width, label=label)
                log_axis(axes, "x", (1, 4, 16, 64))
                log_axis(axes, "y", ticks)
                axes.grid(True, axis="both", alpha=0.3)
                axes.set(title=load, xlabel="threads")
            row[0].set_ylabel(f"{what},\ntimes that of one queue")
        legend_below(figure, panels[0][0], 3)

    yield DOCS / "policies-by-load.svg", svg(paint, (7.1, 5.6))
