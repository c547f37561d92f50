# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of systems side by side, docs/figures/storage-*.svg."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import hmsim
import pandas as pd
from hmsim.reproduce.figures.style import CYCLE, GREY, PAGE_WIDTH, PAPER, Made, legend_below
from hmsim.reproduce.validate.storage_bench import KIB, Load, lone, steady
from matplotlib.figure import Figure

from pages import Documents
from pages.pictures import STEPS, bars, config_of, curves, draw, log_axis

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


def sweeps() -> Made:
    """Latency and bandwidth of 4 KB reads by added latency: per row in HASTE, per line in DIMMs."""
    added = [0.0, *(0.025 * 2**step for step in range(12))]
    rows = []
    bus = {"controller.channels": 8, "frontend.block.software_time": "3.9us"}
    for more in added:
        time = f"{25 + 1000 * more:.0f}ns"
        haste = {"storage.memory.read_time": time}
        slow = lone("storage/haste_dram", 4 * KIB, 1, haste)["storage.read_latency_us.mean"]
        many = steady("storage/haste_dram", [Load(4 * KIB, 1)], haste)
        rows.append(("HASTE", more, slow, many["storage.bandwidth_gb_per_s"]))
        if more <= 1.6:
            disk = {"nvdimm.media.read_time": time}
            slow = 1e6 / lone("storage/ddr_dram", 4 * KIB, 1, disk)["agent.0.rate"]
            many = steady("storage/ddr_dram", [Load(4 * KIB, 1, 8)], {**disk, **bus}, 2)
            rows.append(("RAM disk", more, slow, many["agent.0.rate"] * 4096 / 1e9))
    data = pd.DataFrame(rows, columns=["system", "added_us", "latency_us", "gb_per_s"])
    stated = {
        "latency_us": ((0.0, 3.0), (0.8, 16.8)),
        "gb_per_s": ((0.0, 1.33), (0.0, 7.1)),
    }

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, 2)
        ends = {
            "latency_us": ("latency of a lone 4 KB read, us", (3, 5, 10, 20, 50)),
            "gb_per_s": ("GB/s of many threads' 4 KB reads", (0.3, 0.5, 1, 2, 5)),
        }
        for axes, (column, (label, ticks)) in zip(panels, ends.items()):
            curves(axes, data.groupby("system", sort=False), "added_us", column)
            axes.plot(*zip(*stated[column]), **PAPER, zorder=5, label="the paper (SC 2010)")
            log_axis(axes, "y", ticks)
            axes.set_ylabel(label)
            axes.set_xlabel("added to each row (HASTE)\nor line (RAM disk), us")
            axes.set_xscale("symlog", linthresh=0.025, linscale=0.5)
            shown = (0, 0.025, 0.1, 0.4, 1.6, 6.4, 25.6)
            axes.set_xticks(shown, [f"{tick:g}" for tick in shown], fontsize=8)
            axes.set_xticks([], minor=True)
            axes.set_xlim(-0.005, 70)
            axes.grid(True, axis="both")
        panels[0].axvline(0.8, color=GREY, lw=0.8, ls=":", label="crossing, the paper (0.8 us)")
        label = "rate flat to, the paper (12.8 us)"
        flat = panels[1].axvline(12.8, color=GREY, lw=0.8, ls="--", label=label)
        legend_below(figure, panels[0], 3, more=[flat])

    return Made(data, paint, size=(PAGE_WIDTH, 3.8))


def systems() -> Made:
    """The same mixed 4 KB requests at random, 16 threads, on nine systems."""
    configs = {
        "mascots16": "NVDIMM of flash (mascots16)",
        "pcm": "NVDIMM of PCM (pcm)",
        "storage/ddr_pcm": "PCM as a RAM disk (ddr_pcm)",
        "storage/moneta": "Moneta (moneta)",
        "storage/moneta_base": "Moneta under Linux (moneta_base)",
        "storage/nvme": "Optane P4800X (nvme)",
        "storage/fusion_moneta": "Fusion-IO (fusion_moneta)",
        "storage/raid_ssd_moneta": "four SSDs (raid_ssd_moneta)",
        "storage/raid_disk_moneta": "four disks (raid_disk_moneta)",
    }
    stated = {
        "storage/moneta": 1753,
        "storage/fusion_moneta": 142,
        "storage/raid_ssd_moneta": 32,
        "storage/raid_disk_moneta": 1.8,
    }
    rows = []
    for config, name in configs.items():
        rate = hmsim.run(hmsim.load_config(config), "xdd/random_mixed").stats["agent.0.rate"]
        rows.append((config, name, rate, rate * 4096 / 1e6))
    data = pd.DataFrame(rows, columns=["config", "system", "requests_per_s", "mb_per_s"])

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        ends = [1.25 * max(rate, stated.get(c, 0)) for c, rate in zip(configs, data["mb_per_s"])]
        bars(axes, data["system"], data["mb_per_s"], ends, digits=1)
        places = [list(configs).index(config) for config in stated]
        axes.plot(list(stated.values()), places, **PAPER, zorder=5, label="MICRO 2010, Table V")
        axes.invert_yaxis()
        log_axis(axes, "x", (1, 10, 100, 1000, 10_000))
        axes.set_xlim(0.8, 30_000)
        axes.set_xlabel("MB/s of 4 KB requests at random, half reads, 16 threads")
        legend_below(figure, axes, 2)

    return Made(data, paint, size=(PAGE_WIDTH, 3.8))


def buffer_cache() -> Made:
    """Draw a page cache's second level: by its latency, its size and the size of requests."""
    rows = []
    for size in (4 * KIB, 16 * KIB, 64 * KIB):
        load = [Load(size, 0.7, 4, 8 << 20)]
        for second, slow_down in (*((each, 1) for each in (0, 1, 2, 3, 4, 6)),
                                  *((4, 10**each) for each in range(1, 5))):  # fmt: skip
            overrides = {
                "storage.cache.first": "2MiB",
                "storage.cache.second": f"{second}MiB",
                "storage.cache.slow_down": slow_down,
            }
            stats = steady("storage/buffer_cache", load, overrides, 50_000)
            cache = {
                name: stats.get(f"storage.device.cache.{name}", 0.0)
                for name in ("second_hit_ratio", "device_reads", "device_writes")
            }
            asked = stats["storage.reads"] + stats["storage.writes"]
            asked *= size // (4 * KIB)
            disk = (cache["device_reads"] + cache["device_writes"]) / asked
            hits = 100 * cache["second_hit_ratio"]
            rows.append((size, second, slow_down, hits, disk, stats["storage.iops"]))
    names = ("bytes", "second_mib", "slow_down", "second_hits_percent", "disk_per_page", "iops")
    data = pd.DataFrame(rows, columns=names)

    def paint(figure: Figure) -> None:
        panels = figure.subplots(2, 3, sharex="row")
        for row, (axis, fixed) in zip(
            panels, (("second_mib", data["slow_down"] == 1), ("slow_down", data["second_mib"] == 4))
        ):
            for axes, (column, label) in zip(
                row,
                {
                    "second_hits_percent": "hits of the second level, %",
                    "disk_per_page": "disk's requests\nfor each page",
                    "iops": "requests a second",
                }.items(),
            ):
                for (size, line), colour, marker in zip(data[fixed].groupby("bytes"), CYCLE, "osv"):
                    axes.plot(
                        *(line[axis], line[column]),
                        **{"marker": marker, "ms": 4, "color": colour},
                        label=f"requests of {size // KIB} KB",
                    )
                    if (axis, column) == ("slow_down", "iops"):
                        without = data[(data["second_mib"] == 0) & (data["bytes"] == size)]
                        axes.axhline(without["iops"].iloc[0], color=colour, lw=0.8, ls=":")
                axes.set_ylabel(label, fontsize=8.5)
                axes.set_ylim(0, 1.08 * data[fixed][column].max())
                axes.grid(True, axis="both")
                if axis == "slow_down":
                    axes.set_xscale("log")
                    axes.set_xlabel("times slower than DRAM\n(4 MiB)", fontsize=8.5)
                else:
                    axes.set_xlabel("second level, MiB\n(as fast as DRAM)", fontsize=8.5)
        legend_below(figure, panels[0][0], 3)

    return Made(data, paint, size=(PAGE_WIDTH, 5.0))


def pictures(_: Path) -> Documents:
    """Yield the pictures and their data."""
    yield from draw((layers, sweeps, systems, buffer_cache))
