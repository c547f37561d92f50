# SPDX-License-Identifier: BSD-3-Clause
"""docs/open-loop.svg: latency against offered load, of the sweep offered_load."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import hmsim
from hmsim.reproduce.figures.style import CYCLE
from matplotlib.figure import Figure

from pages import DOCS, Documents
from pages.pictures import log_axis, svg

RATE = "agent.0.arrival_rate"
LATENCY = "agent.0.request_latency_us.read"
SYSTEMS = {
    "mascots16": "NVDIMM of flash (mascots16)",
    "ddr_pcm": "NVDIMM of PCM (ddr_pcm)",
    "moneta": "Moneta",
    "nvme": "NVMe drive",
}


def page(_: Path) -> Documents:
    """Draw the mean and p99 of each system; points where arrivals are dropped are hollow."""
    with TemporaryDirectory() as folder:
        table = hmsim.run_sweep("offered_load", Path(folder) / "runs", jobs=1)

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        for (name, label), colour in zip(SYSTEMS.items(), CYCLE):
            rows = table[table["config"] == name].sort_values(RATE)
            load = rows[RATE] / 1000
            kept = rows["agent.0.arrivals.dropped"] == 0
            for part, style in (("mean", "-"), ("p99", ":")):
                latency = rows[f"{LATENCY}.{part}"]
                axes.plot(load, latency, style, color=colour, label=f"{label}, {part}")
                axes.plot(load[kept], latency[kept], "o", ms=4, color=colour)
                axes.plot(load[~kept], latency[~kept], "o", ms=4, mfc="white", color=colour)
        log_axis(axes, "x", (3.125, 12.5, 50, 200, 800, 3_200))
        log_axis(axes, "y", (10, 100, 1_000, 10_000, 100_000))
        axes.set(xlabel="offered load (thousand requests/s)", ylabel="latency from arrival (us)")
        axes.grid(True, axis="both", alpha=0.3)
        axes.legend(fontsize=8, loc="upper left")

    yield DOCS / "open-loop.svg", svg(paint, (7, 4.5))
