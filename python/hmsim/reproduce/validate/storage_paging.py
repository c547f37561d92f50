# SPDX-License-Identifier: BSD-3-Clause
"""Claims on paging to a device from a memory that is too small (SC 2010, MICRO 2010).

The papers have 8 GB of memory and footprints of up to 60 GB. Here both are scaled down to a
thousandth or less, because only their ratio matters. As in the papers, each page is touched once
before measuring. Bands are written down before the run.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hmsim.common.paths import data_directory
from hmsim.config.configuration import load_config
from hmsim.config.settings import from_mapping
from hmsim.reproduce.validate.row import AT_LEAST, RISES, Row
from hmsim.reproduce.validate.storage_claims import CALIBRATED, claim
from hmsim.runs.runner import run
from hmsim.workloads.workload import Agent, Workload

PAGE = 4096
LINE = 64
THREADS = 16
REGION = 1024  # pages of a thread that updates, of 16
MEMORY = "8MiB"  # an eighth of all regions
GAP = 100  # instructions of an update
UPDATES = 2_000  # measured, of each thread ...
WARM = 500  # ... behind these
ALL = "1GiB"  # memory for everything

# A stream represents programs that sweep through their data (BT, SP, LU, UA); mcf's misses
# represent programs that jump. Memory is a quarter of the pages that a program touches.
SWEEP = {"rpki": 16, "wpki": 8, "pattern": "stream", "footprint": "8MiB", "dependence": 0}
SWEEP_MEMORY, SWEEP_INSTRUCTIONS = "2MiB", 8_200_000  # of a sweep: as many again to warm up
JUMPS_MEMORY, JUMPS_INSTRUCTIONS = "10MiB", 2_000_000

# Linux gives up 32 pages together (SWAP_CLUSTER_MAX) and reads up to 8 (vm.page-cluster).
CLUSTERS = (("storage.paging.write_cluster", 32), ("storage.paging.read_cluster", 8))

# Reasons for missed claims.
ALONE = "each page is read and written at its own place; Linux writes neighbours"
READS = "four disks read 632 pages a second at random; the paper's factor needs 3,300 updates"
HOST_BURDEN = (
    "the reason why the card was slower than SSDs is unknown; its driver uses the host's memory"
)


def rate_of(
    config: str,
    agents: list[dict[str, object]],
    memory: str,
    warmup: int,
    overrides: tuple[tuple[str, object], ...] = (),
) -> float:
    """Return the instructions per simulated second of all agents, which are paged.

    Args:
        config: of configs/storage.
        agents: keys of each, on a core of its own.
        memory: page frames of all of them.
        warmup: instructions of each before measuring.
        overrides: further parameters.
    """
    made = []
    for core, agent in enumerate(agents):
        keys = from_mapping({**agent, "core": core, "paged": True}, "validate")
        named = Path(str(agent["path"])) if "path" in agent else None
        made.append(Agent(tuple(keys), "validate", named))
    settings = {"storage.paging.memory": memory, **dict(overrides)}
    system = load_config(f"storage/{config}", settings, where="validate")
    stats = run(system, Workload("paging", tuple(made)), warmup=warmup).stats
    return sum(float(stats[f"agent.{number}.rate"]) for number in range(len(agents)))


def updates(seed: int) -> str:
    """Return a thread's trace: each of its pages written once, then updates of words at random."""
    draw = random.Random(seed)
    pages = [*range(REGION), *(draw.randrange(REGION) for _ in range(WARM + UPDATES))]
    places = (page * PAGE + LINE * draw.randrange(PAGE // LINE) for page in pages)
    return "".join(f"{GAP - 1} {place} {place}\n" for place in places)


@cache
def thrash(
    config: str, memory: str = MEMORY, overrides: tuple[tuple[str, object], ...] = ()
) -> float:
    """Return the updates per second of 16 threads that each update a private region."""
    with tempfile.TemporaryDirectory() as folder:
        agents: list[dict[str, object]] = []
        for number in range(THREADS):
            path = Path(folder, f"{number}.trace")
            path.write_text(updates(number + 1), encoding="ascii")
            keys = {"kind": "llc_trace", "format": "ramulator", "instructions": UPDATES * GAP}
            agents.append({**keys, "path": str(path)})
        return rate_of(config, agents, memory, (REGION + WARM) * GAP, overrides) / GAP


@cache
def slowdown(config: str) -> float:
    """Return the geometric mean of two programs' slowdowns by too little memory."""
    mcf = data_directory() / "workloads" / "demo" / "network_simplex.hmsim.zst"
    jumps = {"kind": "llc_trace", "format": "hmsim", "path": str(mcf)}
    product = 1.0
    for agent, memory, count in (
        ({"kind": "synthetic_core", **SWEEP}, SWEEP_MEMORY, SWEEP_INSTRUCTIONS),
        (jumps, JUMPS_MEMORY, JUMPS_INSTRUCTIONS),
    ):
        keys = [{**agent, "instructions": count}]
        product *= rate_of(config, keys, ALL, count) / rate_of(config, keys, memory, count)
    return math.sqrt(product)


def thrashing() -> Iterator[Row]:
    """Yield update rates in far too little memory, and slowdowns against enough memory."""
    for config in ("haste_dram", "haste_pcm"):
        got = thrash(config) / 1e3
        name = f"thrash, {config}"
        yield claim(name, 80, 120, got, "1000/s", "S34: 1e5, of which 5 us", CALIBRATED)
    got = thrash("haste_pcm") / thrash("haste_dram")
    yield claim("thrash, HASTE with PCM over DRAM", 0.9, 1.1, got, "x", "S34: equal")
    for name, config, low, high, why in (
        ("HASTE", "haste_pcm", 516, 683, ""),
        ("SSDs", "raid_ssd_sc10", 1000, 4000, ""),
        ("Fusion-IO", "fusion_sc10", 1000, 4000, ""),
        ("disks", "raid_disk_sc10", 20_000, 20_000, ALONE),
    ):
        got = thrash(config, ALL) / thrash(config)
        published = f"S34: {low}" + (f" to {high}" if high > low else "")
        yield claim(f"thrash, slower on {name}", low / 2, 2 * high, got, "x", published, missed=why)
    got = thrash("raid_disk_sc10", ALL) / thrash("raid_disk_sc10", overrides=CLUSTERS)
    name = "thrash, slower on disks, in clusters"
    yield claim(name, 10_000, 40_000, got, "x", "S34: 20000", missed=READS)


def programs() -> Iterator[Row]:
    """Yield the order of systems by the slowdown of programs that page to them."""
    for fast, slow, source, why in (
        ("haste_pcm", "raid_ssd_sc10", "S35: 11 over 5.8", ""),
        ("raid_ssd_sc10", "fusion_sc10", "S35: 33 over 11", HOST_BURDEN),
        ("fusion_sc10", "raid_disk_sc10", "S35: 32 to 1515 over 33", ""),
        ("moneta", "raid_ssd_moneta", "S35: 13.3 over 5.9", ""),
        ("moneta", "fusion_moneta", "S35: 14.7 over 5.9", ""),
        ("raid_ssd_moneta", "raid_disk_moneta", "S35: 83 over 13.3", ""),
        ("fusion_moneta", "raid_disk_moneta", "S35: 83 over 14.7", ""),
    ):
        got = slowdown(slow) / slowdown(fast)
        name = f"paging, {slow} over {fast}"
        yield claim(name, RISES, 10_000, got, "x", source, missed=why, side=AT_LEAST, trend=True)


CLAIMS = (thrashing, programs)
