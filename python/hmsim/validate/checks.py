# SPDX-License-Identifier: BSD-3-Clause
"""Self-checks: closed forms against what the simulator does, request by request.

The protocol checker judges every command meanwhile.

A check is a function that yields rows; `CHECKS` lists them by group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hmsim._core import (
    InputError,
    harmonic_table_bytes,
    nearest_name,
    untimed_amplification,
)
from hmsim.config.configuration import load_config
from hmsim.config.harmonic_table import DEPTHS, find_table
from hmsim.config.settings import from_mapping
from hmsim.running.runner import run
from hmsim.running.system import System
from hmsim.running.workload import Agent, Workload
from hmsim.validate import (
    dram_oracles,
    flash_oracles,
    map_oracles,
    media_oracles,
    page_oracles,
    policy_checks,
    replay,
    slot_oracles,
    storage_applications,
    storage_claims,
    storage_device_claims,
    storage_nas,
    storage_oracles,
    storage_paging,
)
from hmsim.validate.bench import LINE, NEXT_ROW, STEP, Bench
from hmsim.validate.row import Row

PAGE = 4096  # bytes
LINES = PAGE // LINE


def _dram() -> Iterator[Row]:
    for oracles in dram_oracles.ORACLES:
        for oracle in oracles():
            yield Row("dram", *oracle)


def _slots() -> Iterator[Row]:
    for oracles in slot_oracles.ORACLES:
        for oracle in oracles():
            yield Row("dram", *oracle)


def _nvdimm_latency() -> Iterator[Row]:
    for ack in ("grant", "auto", "nvdimm_p"):
        bench = Bench("mascots16", dram__refresh=False, controller__ack=ack)
        t = bench.cycles
        lookup = -(-52_000 // bench.period)
        granted = 0 if ack == "auto" else 1
        source = "read ready, SEND" if ack == "nvdimm_p" else "Fig. 11"
        base = 1 + lookup + granted + t["burst"]
        flash = 300_000 + 50_000_000 + 20_480_000
        miss = bench.latency(bench.nvdimm) / 1e6
        expected = ((base + t["CL"]) * bench.period + flash) / 1e6
        yield Row("nvdimm", f"read miss, {ack}", expected, miss, "us", 0.06, "tAT + tR + transfer")
        flush = bench.flush_latency() / bench.period
        yield Row("nvdimm", f"flush, {ack}", 1 + lookup, flush, "cycles", 0, "command, lookup")
        hit = bench.latency(bench.nvdimm + LINE) / bench.period
        yield Row("nvdimm", f"read hit, {ack}", base + t["CL"], hit, "cycles", 0, source)
        write = bench.latency(bench.nvdimm + PAGE, write=True) / bench.period
        if ack == "nvdimm_p":  # neither command nor ack
            posted = t["CWL"] + t["burst"]
            yield Row("nvdimm", f"write, {ack}", posted, write, "cycles", 0, "CWL + burst")
            continue
        yield Row("nvdimm", f"write hit, {ack}", base + t["CWL"], write, "cycles", 0, "Fig. 11")


def _nvdimm_streaming() -> Iterator[Row]:
    """Read pages line by line: the first line misses, the others hit or share its flash read."""
    bench = Bench("mascots16")
    bench.stream((bench.nvdimm + index * LINE for index in range(100 * LINES)), STEP)
    got = bench.system.stats["nvdimm.buffer.read_hit_ratio"]
    yield Row("nvdimm", "read hits of a sequential stream", 63 / 64, got, "", 0, "63 of 64 lines")


def _cached_map() -> Iterator[Row]:
    for oracle in map_oracles.cached_map():
        yield Row("ftl", *oracle)


def _large_pages() -> Iterator[Row]:
    for oracle in page_oracles.amplification():
        yield Row("ftl", *oracle)
    for partial_writes in ("combine", "pad", "merge"):
        got = _amplification(256, 4, 40_000, {"pattern": "random"}, 4 * PAGE, partial_writes)
        expected = untimed_amplification(
            *("fifo", [], 256, 32, 28, 4, 4, 1), parts=4, partial_writes=partial_writes
        )
        name = f"16 KiB, {partial_writes}, fifo, timed run"
        source = "the FTL without time"
        yield Row("ftl", name, expected, got, "", 0.02 * expected, source)


def _media() -> Iterator[Row]:
    for oracles in (
        media_oracles.latencies,
        media_oracles.rates,
        media_oracles.energies,
        media_oracles.start_gap,
    ):
        for oracle in oracles():
            yield Row("media", *oracle)


def _flash_stages() -> Iterator[Row]:
    for oracles in (
        flash_oracles.stages,
        flash_oracles.slow_pages,
        flash_oracles.limits,
        page_oracles.transfers,
        page_oracles.devices,
    ):
        for oracle in oracles():
            yield Row("flash", *oracle)


def _flash_read() -> Iterator[Row]:
    """One line of each page: the flash array is the bottleneck."""
    bench = Bench("mascots16")
    pages = 1600
    ends = bench.stream((bench.nvdimm + index * PAGE for index in range(pages)), STEP)
    part = ends[pages // 4], ends[3 * pages // 4]
    rate = pages // 2 * PAGE / (part[1] - part[0]) * 1e6
    expected = 8 * PAGE / 70.48
    source = "8 LUNs, tR + transfer of 4 KiB"
    yield Row("flash", "page reads", expected, rate, "MB/s", 0.01 * expected, source)


def _flash_program() -> Iterator[Row]:
    """Pages are written line by line in groups of 128, so that the buffer evicts whole pages.

    A group has pages of every LUN, so each LUN always has work.
    """
    bench = Bench("mascots16", nvdimm__buffer__write_size="1MiB")
    group = 128 * PAGE
    marks = []
    for first in range(bench.nvdimm, bench.nvdimm + 8 * group, group):
        for line in range(0, PAGE, LINE):
            bench.stream(range(first + line, first + line + group, PAGE), STEP, write=True)
        marks.append((bench.system.now, bench.system.stats["nvdimm.nand.programs"]))
    (start, before), (end, after) = marks[3], marks[-1]
    rate = (after - before) * PAGE / (end - start) * 1e6
    expected = 8 * PAGE / 670.48
    source = "8 LUNs, transfer of 4 KiB + program"
    yield Row("flash", "page programs", expected, rate, "MB/s", 0.01 * expected, source)


# Overrides by size of flash pages. With greedy victims, the result depends on one block more or
# less, because all victims are alike and each pads its last program. With fifo victims it does not.
OTHER_PAGES = {4 * PAGE: {"nvdimm.ftl.frontier": "shared", "nvdimm.ftl.victim": "fifo"}}


def _amplification(
    blocks: int,
    overwrites: int,
    requests: int,
    pattern: Mapping[str, Any],
    page: int = PAGE,
    partial_writes: str = "combine",
) -> float:
    """Return the write amplification of page writes to one small, full LUN of OP 28 %."""
    pages_per_block = 32
    pages = blocks * pages_per_block * (page // PAGE) * 100 // 128
    config = load_config(
        "mascots16",
        {
            "nvdimm.capacity": f"{blocks * pages_per_block * page}B",
            "nvdimm.nand.channels": 1,
            "nvdimm.nand.chips": 1,
            "nvdimm.nand.page_size": f"{page}B",
            "nvdimm.nand.pages_per_block": pages_per_block,
            "nvdimm.ftl.over_provisioning": 28,
            "nvdimm.ftl.partial_writes": partial_writes,
            **OTHER_PAGES.get(page, {}),
            "nvdimm.ftl.gc_threshold": 0,
            "nvdimm.buffer.read_size": "64KiB",
            "nvdimm.buffer.write_size": "64KiB",
            "nvdimm.precondition.fill": 1,
            "nvdimm.precondition.overwrite": overwrites,
        },
        where="validate",
    )
    values = {"kind": "synthetic", "target": "nvdimm", "read_ratio": 0, "outstanding": 128}
    values.update(pattern, footprint=f"{pages * PAGE}B", requests=requests)
    agent = Agent(tuple(from_mapping(values, "validate")), "validate", None)
    return run(config, Workload("writes", (agent,)), check=True).stats["nvdimm.ftl.waf"]


def _write_amplification() -> Iterator[Row]:
    got = _amplification(256, 0, 20_000, {"pattern": "strided", "stride": f"{PAGE}B"})
    yield Row("ftl", "write amplification, sequential", 1, got, "", 0, "no valid page to copy")
    # Spec 4.7, Monte Carlo of greedy victims with 32 pages a block.
    got = _amplification(1024, 4, 100_000, {"pattern": "random"})
    source = "Monte Carlo, greedy, 32 pages a block"
    yield Row("ftl", "write amplification, random, OP 28 %", 2.33, got, "", 0.05, source)
    # The same without time: what preconditioning does.
    small = untimed_amplification("greedy", [], 1024, 32, 28, 4, 4, 1)
    source = "the FTL without time"
    yield Row("ftl", "write amplification, timed run", small, got, "", 0.02 * small, source)


# Write amplification of uniform overwrites of one LUN of 4096 blocks of 128 pages, by
# over-provisioning in percent: docs/validation-ftl.md.
OVER_PROVISIONING = (7, 15, 28)
AMPLIFICATION: tuple[tuple[str, dict[str, int], tuple[float, float, float], str], ...] = (
    ("greedy", {}, (7.43, 3.91, 2.44), "Monte Carlo"),
    ("fifo", {}, (7.817, 4.016, 2.481), "a / (a + W0(-a e^-a)), Desnoyers 2012"),
    ("random_victim", {}, (107 / 7, 115 / 15, 128 / 28), "(1 + OP) / OP"),
    ("d_choices", {"d": 2}, (10.48, 5.37, 3.26), "mean field, Van Houdt 2013"),
    ("d_choices", {"d": 10}, (7.65, 4.02, 2.503), "mean field, Van Houdt 2013"),
)


def _victim_selectors() -> Iterator[Row]:
    for victim, parameters, values, source in AMPLIFICATION:
        for over_provisioning, expected in zip(OVER_PROVISIONING, values):
            own = [(f"policies.{victim}.{key}", str(value)) for key, value in parameters.items()]
            got = untimed_amplification(victim, own, 4096, 128, over_provisioning, 4, 2, 1)
            text = "".join(f" {key}={value}" for key, value in parameters.items())
            name = f"write amplification, {victim}{text}, OP {over_provisioning} %"
            yield Row("ftl", name, expected, got, "", 0.02 * expected, source)


def _policy_order() -> Iterator[Row]:
    """Rows 0, 1, 0 of one bank, in this order of arrival: when does the last one end?"""
    for scheduler, expected in (("fcfs", 3), ("fr_fcfs", 2)):
        bench = Bench("validate_ddr3", dram__refresh=False, controller__scheduler=scheduler)
        for address in (0, NEXT_ROW, LINE):
            last = bench.system.enqueue(address)
        bench.system.advance(STEP)
        order = [completion.id for completion in bench.system.completions()]
        name = f"place of a late row hit, {scheduler}"
        yield Row("policies", name, expected, 1 + order.index(last or 0), "", 0, "row hits first")


def _policy_slots() -> Iterator[Row]:
    """With as many NVDIMM reads under way as their queue takes, how many DRAM reads get in?"""
    for policy, expected in (("unified_fr_fcfs", 0), ("unified_256", 0), ("split", 128)):
        system = System(load_config("mascots16").with_policy(policy), check=True)
        nvdimm = 2 * 1024**3
        while system.enqueue(nvdimm) is not None:
            nvdimm += PAGE
        got = 0
        while system.enqueue(got * LINE) is not None:
            got += 1
        name = f"DRAM reads let in, {policy}"
        yield Row("policies", name, expected, got, "", 0, "Fig. 7")


def _harmonic() -> Iterator[Row]:
    """The table's size; its cells against closed forms; exact rates against the table on a mix."""
    paper, used = harmonic_table_bytes()
    source = "4 x 6 + 4 x 48 + 5 x 576 (R9)"
    yield Row("policies", "table of hms, the paper's formula", 3096, paper, "bytes", 0, source)
    source = "48 + 576 stages, 44 bounds of 2 bytes"
    yield Row("policies", "table of hms, looked up directly", 712, used, "bytes", 0, source)
    found = find_table(load_config("mascots16"))
    if found is not None:
        table, _ = found
        peak = 200_000 * (1 - 112 / 6240)
        name = "table of hms: row hits, 96 in flight"
        got = table.dram[2 * len(DEPTHS) - 1]
        source = "peak less refreshes"
        yield Row("policies", name, peak, got, "requests/ms", 0.01 * peak, source)
        # 11 of 12 pages are read: the first line of each misses, the others hit, two at a time.
        pages = 11 * (70.85 + 31 * 0.07375) + 32 * 0.07
        expected = 12 * LINES / pages * 1e3
        name = "table of hms: 1/12 writes, 2 in flight"
        source = "miss 70.85 us, hit 59 cycles, write 56 cycles"
        got = table.nvdimm[0]
        yield Row("policies", name, expected, got, "requests/ms", 0.005 * expected, source)
    stats = run("quick", "demo", policy="hms").stats
    contests = stats["arbiter.dram_wins"] + stats["arbiter.nvdimm_wins"]
    alike = 1 - stats["arbiter.disagreements"] / contests
    name = "decisions of hms alike, exact and table"
    yield Row("policies", name, 1, alike, "", 0.1, "docs/schedulers.md: at least 90 %")


def _policy_vectors() -> Iterator[Row]:
    """Schedulers without a channel, on the vectors that their papers' rules lead to."""
    for name, expected, got, unit, tolerance, source in policy_checks.vectors():
        yield Row("policies", name, expected, got, unit, tolerance, source)


def _replay() -> Iterator[Row]:
    """Inferred replays of block traces, compared with the programs that were traced."""
    for name, got in replay.within_target():
        source = "docs/block-drivers.md: at most 10 %"
        yield Row("replay", name, 1, got, "", 0.1, source)


def _storage_forms() -> Iterator[Row]:
    for oracles in storage_oracles.ORACLES:
        for oracle in oracles():
            yield Row("storage", *oracle)


def _storage_claims() -> Iterator[Row]:
    """Claims of papers: the expected value is the band's middle, the tolerance half its width."""
    kinds = (
        *(storage_claims, storage_device_claims, storage_applications, storage_paging),
        storage_nas,
    )
    for claims in (claims for kind in kinds for claims in kind.CLAIMS):
        for claim in claims():
            middle, half = (claim.low + claim.high) / 2, (claim.high - claim.low) / 2
            source = f"{claim.source}; {claim.missed}" if claim.missed else claim.source
            details = (claim.unit, half, source, claim.unjudged, claim.missed)
            kind = (True, claim.side, claim.trend)
            yield Row("storage", claim.name, middle, claim.got, *details, *kind)


CHECKS: dict[str, tuple[Callable[[], Iterator[Row]], ...]] = {
    "dram": (_dram, _slots),
    "flash": (_flash_stages, _flash_read, _flash_program),
    "ftl": (_write_amplification, _victim_selectors, _large_pages, _cached_map),
    "media": (_media,),
    "nvdimm": (_nvdimm_latency, _nvdimm_streaming),
    "policies": (_policy_order, _policy_slots, _policy_vectors, _harmonic),
    "replay": (_replay,),
    "storage": (_storage_forms, _storage_claims),
}


def validate(group: str, report: Callable[[str, float], None] | None = None) -> list[Row]:
    """Run the checks of a group, or of ``all``.

    Args:
        group: ``dram``, ``flash``, ``ftl``, ``media``, ``nvdimm``, ``policies``,
            ``replay``, ``storage`` or ``all``.
        report: called with the check that begins and the share that is done.

    Returns:
        The rows, in a fixed order.

    Raises:
        InputError: there is no such group.
    """
    known = [*CHECKS, "all"]
    if group not in known:
        near = nearest_name(group, known)
        hint = f"; did you mean '{near}'?" if near else f"; known: {', '.join(known)}"
        raise InputError(f"validate: unknown group '{group}'{hint}")
    chosen = [check for name in CHECKS if group in (name, "all") for check in CHECKS[name]]
    rows: list[Row] = []
    for index, check in enumerate(chosen):
        if report:
            report(check.__name__.strip("_").replace("_", " "), index / len(chosen))
        rows += check()
    return rows
