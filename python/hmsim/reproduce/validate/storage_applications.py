# SPDX-License-Identifier: BSD-3-Clause
"""Claims on applications: Berkeley DB, Postmark and a build, captured and replayed on each system.

Bands are written down before the run. A speed that MICRO 2010 measured (S37) has a factor of 3,
because machines, memory and sizes differ. Other bands are the order of systems, and less than 1.3
for programs that the processor limits (S33). Systems within a tenth of each other in a paper have
no order. As in both papers, all data are under XFS. Access is direct, except for the build, whose
page cache holds all its data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import combinations

from hmsim.config.configuration import load_config
from hmsim.reproduce.validate.row import RISES, Row
from hmsim.reproduce.validate.storage_claims import claim
from hmsim.runs.runner import run

TRANSACTIONS = 4_000  # of each capture of Berkeley DB
FACTOR = 3
ALIKE = 1.1
COMPUTE_BOUND = 1.3
PAGE_CACHE = {"storage.cache.first": "64MiB"}
# The RAID controller's 256 MB are a sixteenth of MICRO 2010's store; here stores have 33 and 44 MB.
WRITE_CACHE = {"storage.write_cache.size": "2MiB"}

# XFS as in configs/storage/*_xfs.yaml, for each paper's machine.
XFS_MICRO = {
    "storage.path.file_system.time": "5us",
    "storage.path.file_system.read_hold": "12us",
    "storage.path.file_system.write_hold": "19.5us",
}
XFS_SC = {**XFS_MICRO, "storage.path.file_system.read_hold": "1.3us"}
XFS_LINES = {"frontend.block.software_time": "7260ns"}  # 5 us more

MICRO = ("raid_disk_moneta", "raid_ssd_moneta", "fusion_moneta", "moneta")
NAMES = {"berkeley_btree": "B-tree", "berkeley_hash": "hash table"}

# Why claims are missed.
LOG_WAITS = "a commit waits for a turn of the disk, 8 ms, without the controller's cache of 256 MB"
MANY_THREADS = "the table has rates of 16 threads: a lone read takes 190 us, the SSD's own 75"
PROGRAM_WAITS = "a lone write waits until a page of the buffer is programmed, 200 us"
MISSED = {
    ("berkeley_btree", "raid_disk_moneta"): LOG_WAITS,
    ("berkeley_hash", "raid_disk_moneta"): LOG_WAITS,
    ("postmark", "raid_ssd_moneta"): MANY_THREADS,
    ("postmark", "fusion_moneta"): PROGRAM_WAITS,
}

# Table V of the MICRO 2010 paper: seconds, or transactions per second.
SECONDS = {"postmark": (4080, 46.8, 36.7, 27.4), "build": (80.9, 36.9, 37.6, 36.9)}
RATES = {"berkeley_btree": (253, 6071, 5975, 14884), "berkeley_hash": (191, 4355, 6200, 10980)}


@cache
def seconds(config: str, workload: str, write_cache: bool = False) -> float:
    """Return the run time in seconds of a captured program on storage/``config``.

    With ``write_cache``, a RAID controller's cache takes writes.
    """
    lines = config.startswith("ddr")
    overrides = XFS_LINES if lines else XFS_MICRO if config in MICRO else XFS_SC
    if workload == "build" and not lines:
        overrides = {**overrides, **PAGE_CACHE}
    if write_cache:
        overrides = {**overrides, **WRITE_CACHE}
    loaded = load_config(f"storage/{config}", overrides, where="validate")
    return float(run(loaded, workload).stats["sim.ticks"]) / 1e12


def out_of_order(speeds: Mapping[str, float], workload: str) -> int:
    """Return the number of pairs of systems whose order is not that of the paper.

    Args:
        speeds: the paper's, of each system; more is faster.
        workload: the program that runs on the systems.
    """
    pairs = (sorted(pair, key=speeds.__getitem__) for pair in combinations(speeds, 2))
    return sum(
        speeds[fast] > ALIKE * speeds[slow] and seconds(fast, workload) >= seconds(slow, workload)
        for slow, fast in pairs
    )


def databases() -> Iterator[Row]:
    """Yield transactions a second on Berkeley DB."""
    for workload, published in RATES.items():
        for config, rate in zip(MICRO, published):
            got = TRANSACTIONS / seconds(config, workload)
            name = f"{NAMES[workload]}, {config.removesuffix('_moneta')}"
            source, missed = f"S37: {rate}", MISSED.get((workload, config), "")
            yield claim(name, rate / FACTOR, FACTOR * rate, got, "1/s", source, missed=missed)
        got = TRANSACTIONS / seconds("raid_disk_moneta", workload, write_cache=True)
        name, rate = f"{NAMES[workload]}, raid_disk and its write cache", published[0]
        yield claim(name, rate / FACTOR, FACTOR * rate, got, "1/s", f"S37: {rate}")
        wrong = out_of_order(dict(zip(MICRO, published)), workload)
        name = f"{NAMES[workload]}, pairs of systems out of order"
        yield claim(name, 0, 0, wrong, "", "S37: order")
        for config in ("haste_pcm", "ddr_pcm"):
            got = seconds("raid_disk_sc10", workload) / seconds(config, workload)
            name = f"{NAMES[workload]}, {config} over disks"
            yield claim(name, 58 / FACTOR, 97 * FACTOR, got, "x", "S32: 58 to 97")


def files() -> Iterator[Row]:
    """Yield claims on Moneta's speedup over the other devices, for Postmark and a build."""
    for workload, published in SECONDS.items():
        for config, time in zip(MICRO[:-1], published):
            gain = time / published[-1]
            got = seconds(config, workload) / seconds("moneta", workload)
            name = f"{workload}, Moneta over {config.removesuffix('_moneta')}"
            low, high = gain / FACTOR, gain * FACTOR
            if gain > ALIKE:
                low = max(low, RISES)
            if workload == "build" and gain < COMPUTE_BOUND:
                low, high = 1 / COMPUTE_BOUND, COMPUTE_BOUND
            source, missed = f"S37: {gain:.2f}", MISSED.get((workload, config), "")
            yield claim(name, low, high, got, "x", source, missed=missed)
        speeds = {config: 1 / time for config, time in zip(MICRO, published)}
        wrong = out_of_order(speeds, workload)
        yield claim(f"{workload}, pairs of systems out of order", 0, 0, wrong, "", "S37: order")
    speeds = {"raid_disk_sc10": 1.0, "fusion_sc10": 2.9, "ddr_pcm": 3.3, "haste_pcm": 3.5}
    wrong = out_of_order(speeds, "postmark")
    yield claim("postmark, pairs out of order (SC 2010)", 0, 0, wrong, "", "S33: order")
    for config in ("haste_pcm", "ddr_pcm"):
        got = seconds("raid_disk_sc10", "build") / seconds(config, "build")
        yield claim(f"build, {config} over disks", RISES, COMPUTE_BOUND, got, "x", "S33: 1.1")


CLAIMS: tuple[Callable[[], Iterator[Row]], ...] = (databases, files)
