# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of Moneta by itself, docs/figures/storage-*.svg."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd
from hmsim.reproduce.figures.style import PAGE_WIDTH, PAPER, Made, legend_below
from hmsim.reproduce.validate.storage_bench import KIB, Load, steady
from matplotlib.figure import Figure

from pages import Documents
from pages.pictures import (
    RELATIVE,
    SIZES,
    STEPS,
    byte_axis,
    config_of,
    curves,
    draw,
    log_axis,
    requests_time,
)

WAYS = {"reads": 1.0, "writes": 0.0, "mix, half reads": 0.5}
# GB/s of the link: the stated value, and that of its ns per KiB in configs/storage/moneta.yaml.
NOMINAL = dict(zip(WAYS, (2, 2, 4)))
IDEAL = dict(zip(WAYS, (KIB / 650, KIB / 602, 2 * KIB / 650)))
# GB/s per thousand requests of 4 KB a second.
PAGE = 4096 / 1e6


class Mark(NamedTuple):
    """Value that a paper states, in the axes' units."""

    panel: str
    x: float
    y: float


def bandwidth() -> Made:
    """Bandwidth by size of requests, for each of Moneta's steps, 16 threads."""
    rows = []
    for way, reads in WAYS.items():
        for step in STEPS:
            for size in SIZES:
                stats = steady(config_of(step), [Load(size, reads)], {}, requests_time(size))
                rows.append((way, step, size, stats["storage.bandwidth_gb_per_s"]))
    data = pd.DataFrame(rows, columns=["requests", "step", "bytes", "gb_per_s"])
    data["share_of_link"] = data["gb_per_s"] / data["requests"].map(NOMINAL)
    marks = (
        Mark("reads", 512, 1156.779 * 512 / 1e6),
        Mark("reads", 4 * KIB, 368.534 * PAGE),
        Mark("writes", 512, 1043.793 * 512 / 1e6),
        Mark("writes", 4 * KIB, 389.859 * PAGE),
        Mark("mix, half reads", 4 * KIB, 541 * PAGE),
        Mark("mix, half reads", 512 * KIB, 1.62),
        Mark("mix, half reads", 512 * KIB, 2.84),
    )

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, 3, sharey=True)
        for axes, (way, own) in zip(panels, data.groupby("requests", sort=False)):
            axes.axhline(NOMINAL[way], color="black", ls="--", lw=1, label="the link, nominal")
            axes.axhline(IDEAL[way], color="black", ls=":", lw=1, label="less packets' overhead")
            curves(axes, own.groupby("step", sort=False), "bytes", "gb_per_s", 3.5, lw=1.2)
            axes.plot(
                *([m.x for m in marks if m.panel == way], [m.y for m in marks if m.panel == way]),
                **{**PAPER, "ms": 6, "zorder": 5, "label": "the paper (MICRO 2010)"},
            )
            axes.set_title(way)
            byte_axis(axes)
            log_axis(axes, "y", (0.05, 0.1, 0.2, 0.5, 1, 2, 4))
        panels[0].set_ylabel("GB/s")
        legend_below(figure, panels[0], 4)

    return Made(data, paint, size=(PAGE_WIDTH, 4.0))


def controllers() -> Made:
    """Bandwidth of 4 KB mixes by the time of cells, with 1 to 8 controllers."""
    times = [4 << step for step in range(15)]
    rows = []
    for count in (1, 2, 4, 8):
        for time in times:
            overrides = {
                "storage.memory.controllers": count,
                "storage.memory.capacity": "64GiB",
                "storage.memory.read_time": f"{time}ns",
                "storage.memory.write_time": f"{time}ns",
            }
            stats = steady("storage/moneta", [Load(4 * KIB, 0.5)], overrides)
            rows.append((count, time / 1e3, stats["storage.bandwidth_gb_per_s"]))
    data = pd.DataFrame(rows, columns=["controllers", "cells_us", "gb_per_s"])
    data["share_of_link"] = data["gb_per_s"] / NOMINAL["mix, half reads"]
    fast = data[data["controllers"] == 8]["gb_per_s"].iloc[0]

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        curves(axes, data.groupby("controllers"), "cells_us", "gb_per_s")
        axes.plot([4], [0.8 * fast], **RELATIVE, zorder=5, label="8: -20 %\n(MICRO 2010)")
        log_axis(axes, "x", (0.004, 0.016, 0.064, 0.25, 1, 4, 16, 64))
        axes.grid(True, axis="both")
        axes.set(xlabel="time of cells, us", ylabel="GB/s of 4 KB, half reads", ylim=(0, None))
        figure.legend(loc="outside right center", fontsize=8, title="controllers")

    return Made(data, paint, size=(PAGE_WIDTH, 3.2))


def power() -> Made:
    """Power of Moneta by size of requests, and what a watt brings."""
    cases = {
        "reads": (1.0, {}),
        "writes": (0.0, {}),
        "writes of changed bytes alone": (0.0, {"storage.memory.selective_writes": True}),
    }
    rows = []
    for case, (reads, overrides) in cases.items():
        for size in SIZES:
            stats = steady("storage/moneta", [Load(size, reads)], overrides, requests_time(size))
            watts, rate = stats["storage.device.power_w"], stats["storage.bandwidth_gb_per_s"]
            rows.append((case, size, watts, 1e3 * rate / watts))
    data = pd.DataFrame(rows, columns=["requests", "bytes", "watts", "mb_per_joule"])
    writes = data[data["requests"] == "writes"].set_index("bytes")["mb_per_joule"]

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, 2)
        for axes, (column, label) in zip(
            panels, {"watts": "power, W", "mb_per_joule": "MB/s for each W"}.items()
        ):
            curves(axes, data.groupby("requests", sort=False), "bytes", column)
            byte_axis(axes)
            axes.set_ylabel(label)
            axes.set_ylim(bottom=0)
        most = "all but cells, at most (MICRO 2010)"
        panels[0].axhline(3.19, color="black", ls="--", lw=1, label=most)
        panels[0].set_ylim(0, 3.5)
        panels[1].plot([512], [0.15 * writes[8 * KIB]], **RELATIVE, zorder=5)
        panels[0].plot([], [], **RELATIVE, label="writes, -85 % (MICRO 2010)")
        legend_below(figure, panels[0], 3)

    return Made(data, paint, size=(PAGE_WIDTH, 3.7))


def pictures(_: Path) -> Documents:
    """Yield the pictures and their data."""
    yield from draw((bandwidth, controllers, power))
