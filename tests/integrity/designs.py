# SPDX-License-Identifier: BSD-3-Clause
"""NVDIMMs into which random runs put data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shadow import LINE, PAGE, Shadow

PAGES = 120  # of 121 logical ones
PARTS = {"4KiB": 1, "8KiB": 2, "16KiB": 4}  # pages of a flash page
KINDS: dict[str, dict[str, Any]] = {
    "full": {},
    "cached": {
        "nvdimm.ftl.map": "cached",
        "nvdimm.ftl.map_entry": "256B",
        "nvdimm.ftl.map_cache": "512B",
    },
    "pcm": {
        "nvdimm.kind": "pcm",
        "nvdimm.capacity": "1MiB",
        "nvdimm.media.banks": 4,
        "nvdimm.media.write_queue": 6,
        "nvdimm.media.start_gap.psi": 2,
        "nvdimm.media.start_gap.regions": 16,
    },
}
# NVDIMMs of a channel. For unlike NVDIMMs, the first and the last pages are used.
POPULATIONS: dict[str, dict[str, Any]] = {
    "one": {},
    "two": {"nvdimm.count": 2},
    "behind a port": {
        "nvdimm.attach": "cxl",
        "cxl.credits": 5,
        "host.queue": "shared",
        "host.entries": 12,
        "host.limiter": "service_limit",
    },
    "three": {"nvdimm.count": 3, "nvdimm.interleave": "device"},
    "unlike": {
        "nvdimm.count": 2,
        "nvdimm.interleave": "device",
        "nvdimm.devices": "1: kind=pcm, capacity=1MiB, media.banks=4, media.write_queue=6",
    },
    "unlike, PCM first": {
        "nvdimm.kind": "pcm",
        "nvdimm.count": 2,
        "nvdimm.interleave": "device",
        "nvdimm.devices": "1: kind=flash",
    },
}
BAD: dict[str, dict[str, Any]] = {
    "factory": {"nvdimm.nand.factory_bad": 0.05},
    "grown": {
        "nvdimm.nand.program_failure": 0.001,
        "nvdimm.nand.endurance": 5,
        "nvdimm.nand.wear_failure": 0.02,
        "nvdimm.buffer.release": "program",
    },
}
# Values of settings, and of what decides several.
CHOICES: dict[str, tuple[Any, ...]] = {
    "nvdimm.ftl.victim": ("greedy", "fifo", "random_victim", "d_choices", "cost_benefit"),
    "nvdimm.ftl.placement": ("single", "hot_cold_frequency", "hot_cold_recency"),
    "nvdimm.buffer.release": ("program", "datain"),
    "nvdimm.buffer.granularity": ("page", "item"),
    "controller.queues": ("unified", "split"),
    "nvdimm.buffer.manager": ("on_demand", "prefetch", "preevict", "prefetch_preevict"),
    "nvdimm.buffer.replacement": ("lru", "lirs"),
    "controller.scheduler": ("fr_fcfs", "pas"),
    "nvdimm.precondition.fill": (0, 1),
    "nvdimm.gc.scheduler": (
        *("reactive", "reactive_copyback", "background", "preemptive", "proactive"),
    ),
    "nvdimm.buffer.flush": ("none", "writeback"),
    "controller.ack": ("grant", "auto", "nvdimm_p"),
    "access": ("line", "block"),
    "kind": ("full", "full", "cached", "cached", "pcm"),
    "bad": ("none", "factory", "grown"),
    "nvdimm.nand.suspend": ("none", "both"),
    "frontend.node.persistence": ("controller", "module"),
    "population": ("one", "one", "one", *POPULATIONS),
    "nvdimm.nand.page_size": ("4KiB", "4KiB", "8KiB", "16KiB"),
    "nvdimm.ftl.partial_writes": ("combine", "pad", "merge"),
}


class Design:
    """System in data mode with a value of each of `CHOICES`, and the pages that runs use.

    Attributes:
        blocks: whether a request may have several lines.
        nvdimms: number of NVDIMMs of the channel.
    """

    def __init__(self, drawn: Mapping[str, Any]) -> None:
        kind, population, size = drawn["kind"], drawn["population"], drawn["nvdimm.nand.page_size"]
        # Each item may need a page at a power failure.
        items = drawn["nvdimm.buffer.granularity"] == "item"
        self.pages = PAGES if kind == "full" and not items else 2 * PAGES
        room = 1 if drawn["nvdimm.ftl.placement"] == "single" else 2  # for more open blocks
        settings = {
            **{name: value for name, value in drawn.items() if "." in name},
            "controller.nvdimm_scheduler": drawn["controller.scheduler"],
            "controller.nvdimm_p.credits": 3,
            "nvdimm.buffer.write_size": "4KiB" if items else "16KiB",
            "nvdimm.capacity": f"{(1 if self.pages == PAGES else 2) * PARTS[size] * room}MiB",
            "nvdimm.ftl.over_provisioning": (210 if size == "4KiB" else 250) * room - 100,
            "nvdimm.ftl.reserve_blocks": 6,  # collection may be put off until 4 are left
        }
        if drawn["bad"] != "none":
            settings |= {"nvdimm.capacity": f"{4 * PARTS[size]}MiB", **BAD[drawn["bad"]]}
        if kind == "pcm" and "PCM" in population:
            population = "unlike"
        if population == "behind a port":
            # A write on the link is not safe yet, although the port has accepted it.
            settings |= {"controller.ack": "grant", "frontend.node.persistence": "module"}
        settings |= {**KINDS[kind], **POPULATIONS[population]}
        flash = kind != "pcm" and population in ("one", "two", "three")
        self.blocks = drawn["access"] == "block" and flash and drawn["controller.ack"] != "nvdimm_p"
        self.blocks = self.blocks and not items
        settings["nvdimm.access"] = "block" if self.blocks else "line"
        if kind == "cached":
            settings["nvdimm.ftl.map_cache"] = f"{512 * PARTS[size]}B"
        self.shadow = Shadow(**settings)
        self.apart = POPULATIONS[population].get("nvdimm.interleave") == "device"
        self.nvdimms = POPULATIONS[population].get("nvdimm.count", 1)

    def address(self, page: int, line: int) -> int:
        """Return the address of a line; of unlike NVDIMMs, the first and last pages are used."""
        page %= self.pages
        if self.apart and page % 2:
            page = self.shadow.pages - 1 - page // 2
        return self.shadow.nvdimm + page * PAGE + line * LINE
