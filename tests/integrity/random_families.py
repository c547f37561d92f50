# SPDX-License-Identifier: BSD-3-Clause
"""Families of random systems: what each has, what is often drawn, and which agents use it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, NamedTuple

from agent_values import AGENTS
from designs import POPULATIONS
from hmsim._core import Simulation
from hmsim.common.paths import shipped
from keys import keys
from memory_values import BASE, HBF, SPLIT
from storage_values import BASES, BUS, COLLECTING
from test_policy_parameters import BASE as QUICK
from test_policy_parameters import TABLE

Settings = Mapping[str, Any]


def agent(kind: str, **keys: Any) -> Settings:
    return {"kind": kind, **AGENTS[kind], **keys}


LINES = (
    agent("synthetic", target="nvdimm", footprint="256KiB", read_ratio=0.4, requests=9_000),
    agent("synthetic", target="nvdimm", footprint="3MiB", read_ratio=0.6, requests=3_000),
    agent("synthetic", target="nvdimm", footprint="2MiB", pattern="sequential", read_ratio=0)
    | {"outstanding": 192, "requests": 30_000},
    agent("synthetic", target="nvdimm", footprint="48KiB", read_ratio=0.7, requests=9_000),
    agent("pattern", target="nvdimm", write_ratio=0.5, write_randomness=0.7, requests=9_000),
)
BLOCKS = (
    agent("io_pattern", footprint="2MiB", requests=600),
    agent("io_pattern", footprint="3MiB", size="16KiB", depth=4, threads=2, requests=400),
    agent("io_pattern", footprint="4MiB", access="sequential", fua=True, trim_share=0.4)
    | {"read_share": 0.3, "requests": 400, "flush_every": 40},
    agent("block_trace", loop=6),
    agent("block_trace", path="flushes", format="blkparse", loop=6),
)
PROGRAMS = (
    agent("llc_trace"),
    agent("cpu_trace"),
    agent("memory_trace", target="nvdimm"),
    agent("llc_trace", path="packed", format="hmsim"),
)
PAGED = tuple({**each, "paged": True} for each in (agent("synthetic_core"), agent("llc_trace")))
LLM = (
    agent("llm_decode"),
    agent("llm_decode", kv="dram", prefill=True, flops=1_000),
    agent("llm_decode", weights="dram", output=2, flops=1_000),
)
# Writes to raw flash are in order.
RAW = (
    agent("synthetic", target="nvdimm", footprint="1MiB", requests=1_000),
    {**LINES[2], "requests": 640},
    agent("io_pattern", footprint="2MiB", read_share=1, flush_every=0, requests=300),
)
BUSY = (
    agent("synthetic", read_ratio=0.6, outstanding=48, requests=4_000),
    agent("synthetic", pattern="sequential", footprint="1MiB", read_ratio=0.7),
    agent("pattern"),
)
IDLE = (
    agent("synthetic", read_ratio=0.5, outstanding=1, interval="1500ns", requests=200),
    agent("synthetic", read_ratio=0.7, outstanding=8, interval="150ns", pattern="strided"),
)
DRAM = (*BUSY, *IDLE, agent("synthetic_core"), agent("memory_trace"))

# Flash so quick and so small that a short run collects.
FLASH: Settings = {
    **BASE,
    **{name: value for name, value in QUICK.items() if name.startswith("policies.")},
    "policies.harmonic.table": TABLE.text(),
    "nvdimm.capacity": "16MiB",
    "nvdimm.ftl.over_provisioning": 110,
    **keys("nvdimm.nand.", "channels=2 read_time=2us program_time=6us erase_time=12us"),
    **keys("nvdimm.precondition.", "fill=1 overwrite=2"),
}
ANY: Settings = {}
CXL: Settings = {"nvdimm.attach": "cxl"}
PCM: Settings = {"nvdimm.kind": "pcm", "nvdimm.capacity": "8MiB"}
WIDE: Settings = {**PCM, "nvdimm.media.line": "256B", "nvdimm.media.interleave": "1KiB"}
STTRAM: Settings = {**PCM, "nvdimm.kind": "sttram"}
UNMAPPED = {**HBF, "nvdimm.precondition.fill": 0, "nvdimm.precondition.overwrite": 0}
HOST_FTL = {**HBF, "hbf.ftl": "host"}
MAP_IN_HBM = {**HOST_FTL, "hbf.map_in": "hbm"}
PAGE_CACHE = {**BASES["cache"], **BUS, "storage.cache.mover": "lines"}
MESSAGES = {"path": "messages", "nodes": "0-1", "tasks": 2}
BUNDLES = (None, *sorted(shipped("configs/policies")))


def parts(*standards: str) -> tuple[Settings, ...]:
    """Return systems of DRAM alone, with parts of each standard in equal numbers."""
    parameters = Simulation.parameters()
    known = next(each for each in parameters if each["name"] == "dram.preset")["range"].split(" | ")
    return tuple(
        {"dram.preset": preset, "nvdimm.present": False}
        for standard in standards
        for preset in random.Random(standard).choices(
            [name for name in known if name.startswith(standard)], k=20
        )
    )


# Beginnings of parameters.
CHANNEL = (
    *("controller.channels", "controller.queue_depth", "controller.structure"),
    *("controller.page_policy", "controller.bank_hash", "dram.ranks", "dram.refresh"),
    *("dram.power_down", "dram.self_refresh", "frontend.translation"),
)
MODULE = (
    *CHANNEL,
    *("controller.outstanding", "controller.ack", "nvdimm.count", "nvdimm.interleave"),
    *("dram.preset", "system.", "nvdimm.precondition.overwrite", "nvdimm.buffer.release"),
)
CELLS = (
    *("nvdimm.nand.page_size", "nvdimm.nand.planes", "nvdimm.nand.multi_plane"),
    *("nvdimm.nand.cache", "nvdimm.nand.suspend", "nvdimm.ftl.victim", "nvdimm.ftl.map"),
    *("nvdimm.buffer.granularity", "nvdimm.buffer.replacement"),
)
POLICIES = (
    *("controller.scheduler", "controller.nvdimm_scheduler", "controller.arbiter"),
    *("nvdimm.buffer.manager", "nvdimm.gc.scheduler", "nvdimm.ftl.victim", "controller.writes"),
)
FAILS = ("nvdimm.nand.program_failure",)
WEAR = ("nvdimm.nand.endurance", "nvdimm.nand.wear_failure", "nvdimm.nand.read_retry")
MODULE_INSIDE = (
    *("storage.flash.buffer.", "storage.flash.ftl.", "storage.flash.gc."),
    *("storage.flash.nand.planes", "storage.flash.nand.multi_plane", "storage.flash.nand.cache"),
)
MEMORY = ("controller.", "dram.", "frontend.", "nvdimm.", "policies.")


class Family(NamedTuple):
    """One kind of system."""

    agents: tuple[Settings, ...]  # one or two are drawn
    variants: tuple[Settings, ...] = (ANY,)  # one is drawn
    often: tuple[str, ...] = ()  # beginnings of parameters
    seldom: tuple[str, ...] = MEMORY
    base: Settings = FLASH
    configs: tuple[str, ...] = ("mascots16",)  # one is drawn
    bundles: tuple[str | None, ...] = (None,)  # one is drawn
    # One is drawn: up to two other agents, and the limit of simulated time. Flash needs more.
    beside: tuple[tuple[tuple[Settings, ...], str], ...] = (
        *((BUSY, "400us"), (IDLE, "3ms"), (IDLE, "3ms")),
    )


ALL = (*LINES, *BLOCKS)
ALONE = (None, "atlas", "bliss", "firm", "fr_fcfs_cap", "par_bs", "tcm", "unified_fcfs")
LONG = (((), "10ms"), ((), "200ms"))
FAMILIES: dict[str, Family] = {
    "lines": Family(
        *(LINES, ({"nvdimm.access": "line"},), (*MODULE, *CELLS, *WEAR)),
        configs=("mascots16", "quick"),
        bundles=BUNDLES,
    ),
    "blocks": Family(
        *(BLOCKS, ({"nvdimm.access": "block"},), (*MODULE, *CELLS, "storage.path.")),
        configs=("mascots16", "quick"),
        bundles=BUNDLES,
    ),
    "policies": Family(ALL, (SPLIT, ANY), (*MODULE, *POLICIES)),
    "nvdimm_p": Family(
        *(ALL, ({"controller.ack": "nvdimm_p"}, {**PCM, "controller.ack": "nvdimm_p"})),
        (*MODULE, *CELLS, "controller.nvdimm_p."),
        bundles=BUNDLES,
    ),
    "media": Family(
        *(ALL, (PCM, STTRAM, WIDE), (*MODULE, "nvdimm.media.")),
        configs=("pcm", "sttram"),
        bundles=BUNDLES,
    ),
    "unlike": Family(
        *(ALL, (POPULATIONS["unlike"], {**PCM, **POPULATIONS["unlike, PCM first"]})),
        (*CHANNEL, *CELLS),
        bundles=BUNDLES,
    ),
    "ddr": Family(
        *(DRAM, parts("table3", "ddr3_", "ddr4_", "ddr5_", "ddr5_"), (*CHANNEL, "dram.RAAIMT")),
        ("controller.", "dram.", "policies."),
        bundles=ALONE,
    ),
    "lpddr_hbm": Family(
        *(DRAM, parts("lpddr5_", "hbm3_"), CHANNEL, ("controller.", "dram.", "policies.")),
        bundles=ALONE,
    ),
    "cxl": Family(
        *(ALL, (CXL, {**PCM, **CXL}), (*MODULE, "cxl.")),
        configs=("ddr5_cxl_flash",),
        bundles=BUNDLES,
    ),
    "expander": Family(
        *(
            DRAM,
            tuple({**each, "controller.channels": 2} for each in (CXL, {"nvdimm.present": False})),
        ),
        (*CHANNEL, "expander."),
        base={**FLASH, "expander.channels": 2},
    ),
    "host": Family(
        ALL,
        tuple({"host.queue": q, **each} for q in ("shared", "divided") for each in (ANY, CXL)),
        (*MODULE, "host."),
        bundles=BUNDLES,
    ),
    "hbf_raw": Family(RAW, (UNMAPPED,), ("hbf.", "host.", *FAILS), ("nvdimm.nand.", "dram.")),
    "hbf_host": Family(
        *(ALL, (HOST_FTL, MAP_IN_HBM), ("hbf.", "host.", "nvdimm.gc.scheduler", "system.", *FAILS)),
        ("nvdimm.nand.", "nvdimm.ftl.", "policies."),
    ),
    "llm": Family(
        LLM,
        (ANY, HOST_FTL, MAP_IN_HBM, PCM, CXL),
        (*CHANNEL, "hbf.merge", "hbf.pending_writes"),
    ),
    "storage": Family(
        *(BLOCKS, (ANY,), (), ("storage.", "dram.refresh"), ANY),
        tuple(
            f"storage/{name}"
            for name in sorted(shipped("configs/storage"))
            if not name.startswith(("fusion", "mqsim", "raid_ssd_sc10"))  # gigabytes of flash
        ),
        beside=LONG,
    ),
    "devices": Family(
        *((*BLOCKS, *PAGED), (*BASES.values(), PAGE_CACHE)),
        ("storage.cache.r", "storage.cache.window", "storage.write_cache."),
        ("storage.",),
        base={"storage.paging.memory": "64KiB", "storage.path.driver": "none"},
        configs=("storage/moneta",),
        beside=LONG,
    ),
    "drives": Family(
        *(BLOCKS, ({**BASES["flash"], **COLLECTING},), MODULE_INSIDE, ("storage.",)),
        base=keys("storage.flash.nand.", "program_time=20us read_time=5us erase_time=40us"),
        configs=("storage/moneta",),
        beside=LONG,
    ),
    "programs": Family((*PROGRAMS, *BLOCKS), (ANY, PCM), (*MODULE, "frontend."), bundles=BUNDLES),
    "jobs": Family(
        (agent("job"), agent("job", path="transfers", format="hmsim")),
        (ANY, BASES["table"], BASES["flash"]),
        (*MODULE, "frontend.node."),
        (*MEMORY, "storage.path."),
    ),
    "nodes": Family(
        (agent("job", **MESSAGES), *PROGRAMS),
        ({"frontend.nodes.count": 2},),
        (*MODULE, "frontend.node.", "frontend.nodes.", "frontend.network."),
    ),
}
