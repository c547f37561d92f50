# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of storage systems, docs/figures/storage-*.svg, and their data.

A hollow diamond is a value that a paper states.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from hmsim.reproduce.figures.style import CYCLE, PAGE_WIDTH, PAPER, Made, legend_below
from hmsim.reproduce.validate.storage_bench import KIB, Load, lone, steady
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pages import DOCS, Documents
from pages.pictures import log_axis

SIZES = tuple(512 << step for step in range(11))
STEPS = ("base", "nosched", "atomic", "spin", "2q", "balance")
WAYS = {"reads": 1.0, "writes": 0.0, "mix, half reads": 0.5}
# GB/s of the link: the stated value, and that of its ns per KiB in configs/storage/moneta.yaml.
NOMINAL = dict(zip(WAYS, (2, 2, 4)))
IDEAL = dict(zip(WAYS, (KIB / 650, KIB / 602, 2 * KIB / 650)))
# GB/s per thousand requests of 4 KB a second.
PAGE = 4096 / 1e6
LAYERS = {
    "entry": "entry",
    "queue": "block layer's queue",
    "tag": "tag and issue",
    "issue": "tag and issue",
    "copy_in": "copies",
    "link": "link",
    "ring": "ring, buffers",
    "buffer": "ring, buffers",
    "cells": "controller and cells",
    "end": "end, device's logic",
    "lines": "lines by the processor",
    "interrupt": "interrupt, wake-up",
    "wake": "interrupt, wake-up",
    "copy_out": "copies",
    "leave": "way back",
}
INSIDE = ("link", "ring", "buffer", "cells", "end")


def config_of(step: str) -> str:
    """Return the configuration of one of Moneta's steps."""
    return "storage/moneta" if step == "balance" else f"storage/moneta_{step}"


def requests_time(size: int) -> int:
    """Return milliseconds in which many requests of a size end."""
    return 20 if size < 256 * KIB else 400


def byte_axis(axes: Axes) -> None:
    """Label an axis of sizes."""
    axes.set_xscale("log", base=2)
    shown = SIZES[::2]
    names = [f"{size // KIB} KB" if size >= KIB else f"{size} B" for size in shown]
    axes.set_xticks(shown, names, rotation=45, ha="right", rotation_mode="anchor", fontsize=8)
    axes.set_xlabel("size of requests")
    axes.grid(True, axis="both")


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
    stated = {
        "reads": ((512, 1156.779 * 512 / 1e6), (4 * KIB, 368.534 * PAGE)),
        "writes": ((512, 1043.793 * 512 / 1e6), (4 * KIB, 389.859 * PAGE)),
        "mix, half reads": ((4 * KIB, 541 * PAGE), (512 * KIB, 1.62), (512 * KIB, 2.84)),
    }

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, 3, sharey=True)
        for axes, (way, own) in zip(panels, data.groupby("requests", sort=False)):
            axes.axhline(NOMINAL[way], color="black", ls="--", lw=1, label="the link, nominal")
            axes.axhline(IDEAL[way], color="black", ls=":", lw=1, label="less packets' overhead")
            steps = own.groupby("step", sort=False)
            for (step, line), colour, marker in zip(steps, CYCLE, "osv^Xd"):
                keys = {"marker": marker, "ms": 3.5, "lw": 1.2, "color": colour}
                axes.plot(line["bytes"], line["gb_per_s"], label=str(step), **keys)
            axes.plot(
                *zip(*stated[str(way)]),
                **{**PAPER, "ms": 6, "zorder": 5, "label": "the paper (MICRO 2010)"},
            )
            axes.set_title(way)
            byte_axis(axes)
            log_axis(axes, "y", (0.05, 0.1, 0.2, 0.5, 1, 2, 4))
        panels[0].set_ylabel("GB/s")
        legend_below(figure, panels[0], 4)

    return Made(data, paint, size=(PAGE_WIDTH, 4.0))


def parts_of(name: str, config: str, way: str) -> Iterator[tuple[str, float]]:
    """Yield the layers of lone 4 KB requests with their us, which add up to the latency."""
    stats = lone(config, 4 * KIB, way == "read")
    if "storage.reads" not in stats:
        lines = stats["nvdimm.response_time_us.mean"]
        yield "entry", 1e6 / stats["agent.0.rate"] - lines
        yield "lines", lines
        return
    for layer in LAYERS:
        where = "device." if layer in INSIDE else ""
        yield layer, stats.get(f"storage.{where}{way}.{layer}_us", 0.0)


def layers() -> Made:
    """Latency of lone 4 KB requests by layer."""
    systems = {step: config_of(step) for step in STEPS}
    systems |= {"NVMe, interrupt (P4800X)": "storage/nvme"}
    systems |= {"NVMe, polled (P5800X)": "storage/nvme_poll"}
    systems |= {"NVDIMM of PCM, lines": "storage/ddr_pcm"}
    systems |= {"NVDIMM of DRAM, lines": "storage/ddr_dram"}
    rows = [
        (f"{way}s", name, LAYERS[layer], time)
        for way in ("write", "read")
        for name, config in systems.items()
        for layer, time in parts_of(name, config, way)
    ]
    data = pd.DataFrame(rows, columns=["requests", "system", "layer", "us"])
    data = data.groupby(["requests", "system", "layer"], sort=False, as_index=False).sum()
    stated = {
        "writes": {"base": 21, "nosched": 19, "atomic": 18, "spin": 12},
        "reads": {"NVMe, interrupt (P4800X)": 8.9},
    }
    both = {"NVDIMM of DRAM, lines": 3.0}

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, way in zip(panels, ("writes", "reads")):
            wide = data[data["requests"] == way].pivot(index="system", columns="layer", values="us")
            left = pd.Series(0.0, index=list(systems))
            colours = (*CYCLE, "#F0E442", "#bbbbbb", "#222222", "#c0a080")
            for layer, colour in zip(dict.fromkeys(LAYERS.values()), colours):
                widths = wide[layer].reindex(left.index).fillna(0.0)
                axes.barh(range(len(left)), widths, left=left, color=colour, label=layer)
                left += widths
            published = {**stated[way], **both}
            for place, (name, total) in enumerate(left.items()):
                end = max(total + 0.5, published.get(name, 0) + 1.0)  # a mark is 1 us wide
                axes.text(end, place, f"{total:.1f}", va="center", fontsize=8)
            axes.plot(
                *(published.values(), [list(systems).index(name) for name in published]),
                **{**PAPER, "ms": 5.5, "zorder": 5, "label": "documents"},
            )
            names = [name.replace(" (", "\n(") for name in systems]
            axes.set_yticks(range(len(systems)), names, fontsize=8)
            axes.set_title(f"4 KB {way}")
            axes.set_xlabel("us")
            axes.set_xlim(0, 25)
            axes.grid(True, axis="x")
            axes.grid(False, axis="y")
        panels[0].invert_yaxis()
        legend_below(figure, panels[0], 4)

    return Made(data, paint, size=(PAGE_WIDTH, 4.8))


def pictures(_: Path) -> Documents:
    """Yield figures/storage-NAME.svg of each picture, and .csv of its data."""
    for picture in (bandwidth, layers):
        made = picture()
        path = DOCS / "figures" / f"storage-{picture.__name__}.svg"
        yield path, made.image("svg").decode()
        yield path.with_suffix(".csv"), made.csv()
