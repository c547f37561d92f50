# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of docs/where-policies-pay.md: gains by threads and lines, and by the limit."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import hmsim
import pandas as pd
from hmsim.reproduce.figures.style import CYCLE, legend_below
from matplotlib.figure import Figure

from pages import DOCS, Documents
from pages.pictures import log_axis, svg

COPIES = ((16, 10), (16, 16), (64, 10), (16, 64))  # threads, lines of each
ORDERS = {"ready": "acks when ready", "command": "acks in order of commands"}
LOADS = {  # by the buffer at the start
    "none": "reads from flash",
    "resident": "reads of a full buffer",
    "dirty": "writes, write part full",
}
LINES = (10, 64)
BASE = "unified_fr_fcfs,drained"
NAMES = {
    "split,drained": "two queues",
    "hms,drained": "two queues, harmonic",
    "all,drained": "all techniques",
}
TICKS = ((0.5, 1, 3, 10, 30, 100, 300, 1_000), (0.5, 1, 2, 5, 10))


def _ratio(
    sweep: str, by: str, base: str, values: tuple[str, ...], keys: list[str]
) -> pd.DataFrame:
    """Return statistics over those with ``base``, by statistic, value of ``by``, and ``keys``."""
    with TemporaryDirectory() as folder:
        table = hmsim.run_sweep(sweep, Path(folder) / "runs", jobs=1)
    wide = {name: table.pivot_table(index=keys, columns=by, values=name) for name in values}
    return pd.concat({name: own.div(own[base], axis=0) for name, own in wide.items()}, axis=1)


def order(_: Path) -> Documents:
    """Draw what page-aware scheduling gains for each limit of outstanding commands."""
    keys = ["nvdimm.ack_order", "agent.0.threads", "agent.0.window", "controller.outstanding"]
    by, rate = "controller.nvdimm_scheduler", "agent.0.rate"
    gain = (_ratio("page_order", by, "fcfs", (rate,), keys)[rate, "pas"] - 1) * 100

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (name, title) in zip(panels, ORDERS.items()):
            for (threads, lines), colour in zip(COPIES, CYCLE):
                curve = gain[name, threads, lines]
                label = f"{threads} threads x {lines} lines"
                axes.plot(curve.index, curve, color=colour, lw=1, label=label)
            axes.set(title=title, xlabel="limit of outstanding commands", xticks=range(0, 129, 16))
            axes.grid(True, axis="both", alpha=0.3)
        panels[0].set_ylabel("gain of the rate (%)")
        panels[1].legend(fontsize=8)

    yield DOCS / "page-order.svg", svg(paint, (7.1, 3.4))


def policies(_: Path) -> Documents:
    """Draw what a second queue, the harmonic arbiter and all techniques gain."""
    keys = ["nvdimm.precondition.buffer", "agent.1.window", "agent.1.threads"]
    rates = {"core's rate": "agent.0.rate", "I/O rate": "agent.1.rate"}
    times = _ratio("policies_by_load", "policy", BASE, tuple(rates.values()), keys)

    def paint(figure: Figure) -> None:
        panels = figure.subplots(2, len(LOADS), sharex=True, sharey="row")
        for row, (what, rate), ticks in zip(panels, rates.items(), TICKS):
            for axes, (buffer, load) in zip(row, LOADS.items()):
                for (policy, name), colour, width in zip(NAMES.items(), CYCLE, (5, 2.5, 1)):
                    for lines, style in zip(LINES, ("-", ":")):
                        curve = times[rate, policy][buffer, lines]
                        label = f"{name}, {lines} lines"
                        axes.plot(curve.index, curve, style, color=colour, lw=width, label=label)
                log_axis(axes, "x", (1, 4, 16, 64))
                log_axis(axes, "y", ticks)
                axes.grid(True, axis="both", alpha=0.3)
                axes.set(title=load, xlabel="threads")
            row[0].set_ylabel(f"{what},\ntimes that of one queue")
        legend_below(figure, panels[0][0], 3)

    yield DOCS / "policies-by-load.svg", svg(paint, (7.1, 5.6))
