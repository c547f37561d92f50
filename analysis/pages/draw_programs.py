# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of programs on systems, docs/figures/storage-*.svg."""

from __future__ import annotations

from pathlib import Path

import hmsim
import pandas as pd
from hmsim.reproduce.figures.style import PAGE_WIDTH, PAPER, Made, legend_below
from hmsim.reproduce.validate import storage_applications as claimed
from hmsim.reproduce.validate import storage_paging as pages
from matplotlib.figure import Figure

from pages import Documents
from pages.pictures import RELATIVE, bars, draw, log_axis

# Label of each capture, the unit of its rate, and the number of units in the capture.
APPLICATIONS = {
    "berkeley_btree": ("B-tree", "transactions a second", claimed.TRANSACTIONS),
    "berkeley_hash": ("hash table", "transactions a second", claimed.TRANSACTIONS),
    "postmark": ("Postmark", "transactions a second", 2_000),
    "build": ("build", "builds an hour", 3_600),
}
POSTMARKS = 100_000  # transactions of MICRO 2010's, taken to be as many as SC 2010's


# Settings of systems without claims; ext4 takes 2 us a request (Zhong et al., OSDI 2022).
EXT4 = {
    "storage/nvme": {"storage.path.file_system.time": "2us"},
    "mascots16": {"frontend.block.request_time": "4500ns"},
}


def captured_time(config: str, workload: str) -> float:
    """Return seconds that an application takes under a file system."""
    if config not in EXT4:
        return claimed.seconds(config, workload)
    cached = workload == "build" and config.startswith("storage/")
    overrides = {**EXT4[config], **(claimed.PAGE_CACHE if cached else {})}
    loaded = hmsim.load_config(config, overrides)
    return float(hmsim.run(loaded, workload).stats["sim.ticks"]) / 1e12


def applications() -> Made:
    """Captured applications on each system, beside what MICRO 2010 has."""
    configs = {
        "raid_disk_moneta": "four disks",
        "raid_ssd_moneta": "four SSDs",
        "fusion_moneta": "Fusion-IO",
        "moneta": "Moneta",
        "haste_pcm": "HASTE, PCM",
        "storage/nvme": "Optane P4800X",
        "ddr_pcm": "PCM as a RAM disk",
        "mascots16": "NVDIMM of flash",
    }
    published = dict(claimed.RATES)
    published["postmark"] = tuple(POSTMARKS / time for time in claimed.SECONDS["postmark"])
    rows = []
    for workload, (_, unit, count) in APPLICATIONS.items():
        rates = {config: count / captured_time(config, workload) for config in configs}
        if workload == "build":  # in relation to Moneta, which is ours
            times = claimed.SECONDS[workload]
            published[workload] = tuple(rates["moneta"] * times[-1] / time for time in times)
        stated = dict(zip(claimed.MICRO, published[workload]))
        rows += [
            (workload, config, system, unit, rates[config], stated.get(config))
            for config, system in configs.items()
        ]
    names = ("workload", "config", "system", "unit", "rate", "stated")
    data = pd.DataFrame(rows, columns=names)

    def paint(figure: Figure) -> None:
        panels = figure.subplots(2, 2, sharey=True)
        for axes, (workload, (name, unit, _)) in zip(panels.flat, APPLICATIONS.items()):
            part = data[data["workload"] == workload]
            beyond = 1.06 if workload == "build" else 1.4
            ends = beyond * part[["rate", "stated"]].max(axis=1)
            bars(axes, part["system"], part["rate"], ends)
            marker = RELATIVE if workload == "build" else PAPER
            label = "MICRO 2010, Moneta being ours" if workload == "build" else "MICRO 2010"
            axes.plot(part["stated"], part["system"], **marker, zorder=5, label=label)
            if workload != "build":
                log_axis(axes, "x", (10, 100, 1000, 10_000))
                axes.set_xlim(10, 90_000)
            else:
                axes.set_xlim(0, 600)
            axes.set_title(name)
            axes.set_xlabel(unit, fontsize=8.5)
        panels[0][0].invert_yaxis()
        legend_below(figure, panels[0][0], 3, more=panels[1][1].lines)

    return Made(data, paint, size=(PAGE_WIDTH, 5.6))


def paging() -> Made:
    """Draw the slowdown of programs that page to each system because memory is too small."""
    systems = {
        "haste_dram": "HASTE, DRAM",
        "haste_pcm": "HASTE, PCM",
        "moneta": "Moneta",
        "nvme": "Optane P4800X",
        "raid_ssd_sc10": "four SSDs",
        "fusion_sc10": "Fusion-IO",
        "raid_disk_sc10": "four disks",
    }
    published = {  # SC 2010: the least and the most, over 16 threads that thrash; means of programs
        "haste_dram": ((516, 683), None),
        "haste_pcm": ((516, 683), 5.8),
        "raid_ssd_sc10": ((1000, 4000), 11),
        "fusion_sc10": ((1000, 4000), 33),
        "raid_disk_sc10": ((20_000, 20_000), None),
    }
    rows = []
    for config, system in systems.items():
        (least, most), mean = published.get(config, ((None, None), None))
        slower = pages.thrash(config, pages.ALL) / pages.thrash(config)
        rows.append((config, system, slower, least, most, pages.slowdown(config), mean))
    names = ("config", "system", "thrash", "least", "most", "programs", "mean")
    data = pd.DataFrame(rows, columns=names)

    def paint(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, values, stated, title in (
            (left, "thrash", ("least", "most"), "16 threads that update at random"),
            (right, "programs", ("mean",), "two programs: mcf's jumps, a sweep"),
        ):
            ends = 1.8 * data[[values, stated[-1]]].max(axis=1)
            bars(axes, data["system"], data[values], ends)
            for number, column in enumerate(stated):
                label = None if number else "SC 2010 (left: from, to; right: other programs)"
                axes.plot(data[column], data["system"], **PAPER, zorder=5, label=label)
            log_axis(axes, "x", (1, 100, 10_000, 1_000_000))
            axes.set_xlim(1, 5_000_000)
            axes.set_title(title, fontsize=9)
            axes.set_xlabel("times slower than with memory for all", fontsize=8.5)
        left.invert_yaxis()
        legend_below(figure, left, 2)

    return Made(data, paint, size=(PAGE_WIDTH, 3.6))


def pictures(_: Path) -> Documents:
    """Yield the pictures and their data."""
    yield from draw((applications, paging))
