# SPDX-License-Identifier: BSD-3-Clause
"""Write amplification of uniform overwrites against closed forms: docs/trust.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from hmsim._core import untimed_amplification
from hmsim.config.configuration import load_config
from hmsim.config.settings import from_mapping
from hmsim.reproduce.validate.bench import PAGE
from hmsim.reproduce.validate.row import Row
from hmsim.runs.runner import run
from hmsim.workloads.workload import Agent, Workload

BLOCKS = 2048
PAGES = 32  # flash pages in a block

# Expectations for one LUN of 4096 blocks of 128 pages, by over-provisioning in percent.
OVER_PROVISIONING = (7, 15, 28)
AMPLIFICATION: tuple[tuple[str, dict[str, int], tuple[float, float, float], str], ...] = (
    ("greedy", {}, (7.43, 3.91, 2.44), "Monte Carlo"),
    ("fifo", {}, (7.817, 4.016, 2.481), "a / (a + W0(-a e^-a)), Desnoyers 2012"),
    ("random_victim", {}, (107 / 7, 115 / 15, 128 / 28), "(1 + OP) / OP"),
    ("d_choices", {"d": 2}, (10.48, 5.37, 3.26), "mean field, Van Houdt 2013"),
    ("d_choices", {"d": 10}, (7.65, 4.02, 2.503), "mean field, Van Houdt 2013"),
)

# Overrides by size of flash pages. With greedy victims, the result depends on one block more or
# less, because all victims are alike and each pads its last program. With fifo victims it does not.
OTHER_PAGES = {4 * PAGE: {"nvdimm.ftl.frontier": "shared", "nvdimm.ftl.victim": "fifo"}}


def _timed(
    blocks: int,
    overwrites: int,
    requests: int,
    pattern: Mapping[str, Any],
    page: int = PAGE,
    partial_writes: str = "combine",
) -> float:
    """Return the write amplification of page writes to one small, full LUN of OP 28 %."""
    pages = blocks * PAGES * (page // PAGE) * 100 // 128
    keys = {
        "nvdimm.ftl.partial_writes": partial_writes,
        "nvdimm.precondition.overwrite": overwrites,
    }
    values = {"kind": "synthetic", "target": "nvdimm", "read_ratio": 0, "outstanding": 128}
    values.update(pattern, footprint=f"{pages * PAGE}B", requests=requests)
    return _measured(blocks, [values], keys, page=page)["nvdimm.ftl.waf"]


def _measured(
    blocks: int,
    agents: list[dict[str, Any]],
    overrides: Mapping[str, Any],
    warmup: str | None = None,
    page: int = PAGE,
) -> dict[str, float]:
    """Return the statistics of agents that write to such a LUN."""
    config = load_config(
        "mascots16",
        {
            "nvdimm.capacity": f"{blocks * PAGES * page}B",
            "nvdimm.nand.channels": 1,
            "nvdimm.nand.chips": 1,
            "nvdimm.nand.page_size": f"{page}B",
            "nvdimm.nand.pages_per_block": PAGES,
            "nvdimm.ftl.over_provisioning": 28,
            **OTHER_PAGES.get(page, {}),
            "nvdimm.ftl.gc_threshold": 0,
            "nvdimm.buffer.read_size": "64KiB",
            "nvdimm.buffer.write_size": "64KiB",
            "nvdimm.precondition.fill": 1,
            **overrides,
        },
        where="validate",
    )
    work = tuple(Agent(tuple(from_mapping(each, "validate")), "validate", None) for each in agents)
    return run(config, Workload("writes", work), warmup=warmup, check=True).stats


def timed_runs() -> Iterator[Row]:
    """Runs with timing against the FTL without time, and without and with copies."""
    got = _timed(256, 0, 20_000, {"pattern": "strided", "stride": f"{PAGE}B"})
    yield Row("ftl", "write amplification, sequential", 1, got, "", 0, "no valid page to copy")
    # Spec 4.7, Monte Carlo of greedy victims with 32 pages a block.
    got = _timed(1024, 4, 100_000, {"pattern": "random"})
    source = "Monte Carlo, greedy, 32 pages a block"
    yield Row("ftl", "write amplification, random, OP 28 %", 2.33, got, "", 0.05, source)
    source = "the FTL without time"
    small = untimed_amplification("greedy", [], 1024, PAGES, 28, 4, 4, 1)
    yield Row("ftl", "write amplification, timed run", small, got, "", 0.02 * small, source)
    for partial_writes in ("combine", "pad", "merge"):
        got = _timed(256, 4, 40_000, {"pattern": "random"}, 4 * PAGE, partial_writes)
        expected = untimed_amplification(
            *("fifo", [], 256, PAGES, 28, 4, 4, 1), parts=4, partial_writes=partial_writes
        )
        name = f"16 KiB, {partial_writes}, fifo, timed run"
        yield Row("ftl", name, expected, got, "", 0.02 * expected, source)


def victims() -> Iterator[Row]:
    for victim, parameters, values, source in AMPLIFICATION:
        for over_provisioning, expected in zip(OVER_PROVISIONING, values):
            own = [(f"policies.{victim}.{key}", str(value)) for key, value in parameters.items()]
            got = untimed_amplification(victim, own, 4096, 128, over_provisioning, 4, 2, 1)
            text = "".join(f" {key}={value}" for key, value in parameters.items())
            name = f"write amplification, {victim}{text}, OP {over_provisioning} %"
            yield Row("ftl", name, expected, got, "", 0.02 * expected, source)


def _root(increasing: Callable[[float], float]) -> float:
    """Return the zero of an increasing function between 0 and 8."""
    low, high = 1e-9, 8.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if increasing(middle) > 0 else (middle, high)
    return low


def greedy(space: float, pages: int) -> float:
    """Return the write amplification of uniform overwrites with greedy victims.

    ``space`` is the number of pages of full blocks by valid page. A block with i valid pages loses
    one in V / i writes, where V is the number in all blocks. A victim has one of two numbers.
    """
    waited = 1 / pages
    for valid in range(pages - 1, 0, -1):
        missing, step = space * (pages - valid) - pages * waited, pages / valid - space
        if missing <= step:
            return pages / (pages - valid + missing / step)
        waited += 1 / valid
    return 1.0


def placements() -> Iterator[Row]:
    """Streams gain nothing with uniform overwrites, and nearly part two populations.

    Greedy victims have equally many valid pages in both, so either is a uniform drive.
    """
    blocks, pages, spare = 1024, 64, 28
    expected = greedy((blocks - 2) * pages / (blocks * pages * 100 // (100 + spare)), pages)
    measure = partial(untimed_amplification, "greedy", [], blocks, pages, spare, 5, 3, 1)
    for placement in ("single", "round_robin_streams", "hot_cold_frequency", "hot_cold_recency"):
        name = f"write amplification, {placement}"
        got = measure(placement=placement)
        source = "greedy victims, infinitely many blocks"
        yield Row("ftl", f"{name}, uniform", expected, got, "", 0.01 * expected, source)
        if placement.startswith("hot_cold"):
            got = measure(placement=placement, hot_pages=20, hot_writes=80)
            source = "each population a uniform drive"
            yield Row("ftl", f"{name}, 80/20", expected, got, "", 0.08 * expected, source)


def streams() -> Iterator[Row]:
    """Two writers of one region, with a placement handle each, cause equally many copies."""
    blocks = 256
    writes = {"kind": "io_pattern", "read_share": 0, "threads": 8, "requests": 40_000}
    writes["footprint"] = f"{blocks * PAGES * 100 // 128 * PAGE}B"
    keys = {"nvdimm.ftl.placement": "by_handle", "nvdimm.precondition.overwrite": 4}
    stats = _measured(blocks, [{**writes, "handle": handle} for handle in (0, 1)], keys, "60s")
    expected = greedy((blocks - 4) * 1.28 / blocks, PAGES)
    for stream in (0, 1):
        got = stats[f"nvdimm.ftl.stream.{stream}.waf"]
        source = "greedy victims, infinitely many blocks"
        name = f"write amplification, stream {stream}"
        yield Row("ftl", name, expected, got, "", 0.03 * expected, source)


def levelling() -> Iterator[Row]:
    """While each block is erased, each block with cold pages moves once."""
    blocks, threshold, hot = 256, 2, 50
    cold = blocks * 100 // 128 - hot
    values = {"kind": "synthetic", "target": "nvdimm", "read_ratio": 0, "outstanding": 128}
    values |= {"pattern": "strided", "stride": f"{PAGE}B", "footprint": f"{hot * PAGES * PAGE}B"}
    keys = {"nvdimm.ftl.wear": "erase_table", "policies.erase_table.threshold": threshold}
    stats = _measured(blocks, [{**values, "requests": 120_000}], keys)
    moved = stats["nvdimm.ftl.levelled_blocks"]
    expected = cold / (threshold * blocks)
    got = moved / (stats["nvdimm.gc.count"] + moved)
    source = "cold blocks / (threshold x blocks)"
    yield Row("ftl", "moves per erase, erase_table", expected, got, "", 0.05 * expected, source)


def map_entries() -> Iterator[Row]:
    """Which lookups of a cached map hit, by what its policy loads."""
    blocks, cached, per_page = 256, 1024, 64
    pages = blocks * PAGES * 100 // 128
    keys = {"nvdimm.ftl.map": "cached", "nvdimm.ftl.map_cache": f"{cached * 8}B"}
    keys["nvdimm.ftl.map_entry"] = f"{PAGE // per_page}B"
    values = {"kind": "synthetic", "target": "nvdimm", "read_ratio": 1, "outstanding": 1}
    values |= {"requests": 4 * pages, "footprint": f"{pages * PAGE}B"}
    loaded = {"lru_entries": 1, "two_level_map": 9, "lru_pages": per_page}
    for policy, entries in loaded.items():
        keys["nvdimm.ftl.map_replacement"] = policy
        for name, pattern in (
            ("in order", {"pattern": "strided", "stride": f"{PAGE}B"}),
            ("at random", {"pattern": "random"}),
        ):
            misses = math.ceil(per_page / entries) / per_page
            expected = 1 - misses if name == "in order" else cached / pages
            stats = _measured(blocks, [{**values, **pattern}], keys)
            got = stats["nvdimm.ftl.map.hit_ratio"]
            source = "entries loaded at once" if name == "in order" else "entries cached / pages"
            yield Row("ftl", f"map hits, {policy}, {name}", expected, got, "", 0.01, source)


def fifo(parts: int, over_provisioning: float, partial_writes: str) -> float:
    """Return the write amplification of uniform overwrites, blocks collected in order."""
    if partial_writes == "merge":
        return parts * fifo(1, over_provisioning, "combine")
    space = 1 + over_provisioning / 100
    used = space * (1 - (parts - 1) / (2 * parts * PAGES))
    taken = 1 if partial_writes == "combine" else parts  # of a flash page, by a page of the host
    return space / _root(lambda h: h * (taken + 1 / math.expm1(h)) - used)


def random_victim(parts: int, over_provisioning: float, partial_writes: str) -> float:
    """Return the same for victims that are drawn from all full blocks with equal probability."""
    if partial_writes == "merge":
        return parts * random_victim(1, over_provisioning, "combine")
    spare = over_provisioning / (100 + over_provisioning)
    whole = parts * PAGES
    taken = 1 if partial_writes == "combine" else parts
    return taken * whole / (whole * spare - (parts - 1) / 2)


def large_pages() -> Iterator[Row]:
    """Flash pages of 8 and 16 KiB, by mode of partial writes."""
    for parts, partial_writes in ((2, "combine"), (4, "combine"), (4, "pad"), (4, "merge")):
        for victim, form in (("fifo", fifo), ("random_victim", random_victim)):
            for spare in (15, 28):
                expected = form(parts, spare, partial_writes)
                got = untimed_amplification(
                    *(victim, [], BLOCKS, PAGES, spare, 2, 1, 1),
                    parts=parts,
                    partial_writes=partial_writes,
                )
                name = f"{4 * parts} KiB, {partial_writes}, {victim}, OP {spare} %"
                source = "docs/trust.md"
                yield Row("ftl", name, expected, got, "", 0.03 * expected, source)
