# SPDX-License-Identifier: BSD-3-Clause
"""Closed forms of byte-addressable media (docs/nvdimm.md), and Start-Gap (Qureshi, MICRO 2009)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from hmsim._core import start_gap_places
from hmsim.validate.bench import LINE, Bench
from hmsim.validate.flash_oracles import Oracle

TECHNOLOGIES = {"pcm": (67_500, 215_000), "sttram": (29_500, 95_000)}  # read, write, ps
ENERGIES = {"pcm": (2.47, 16.82)}  # read, write, pJ a bit
BANKS = 16
PSI = 100


def _bench(kind: str, **overrides: Any) -> Bench:
    return Bench(kind, dram__refresh=False, **overrides)


def latencies() -> Iterator[Oracle]:
    """Yield one read and one write of an idle system, with a grant after the ack."""
    for kind, (read, _) in TECHNOLOGIES.items():
        bench = _bench(kind)
        t = bench.cycles
        ready = -(-read // bench.period)
        got = bench.latency(bench.nvdimm) / bench.period
        expected = 1 + ready + 1 + t["CL"] + t["burst"]
        yield Oracle(f"read, {kind}", expected, got, "cycles", 0, "1 + tR + 1 + CL + BL/2")
        got = bench.latency(bench.nvdimm + LINE, write=True) / bench.period
        expected = 1 + 1 + t["CWL"] + t["burst"]
        yield Oracle(f"write, {kind}", expected, got, "cycles", 0, "1 + 1 + CWL + BL/2")


def rates() -> Iterator[Oracle]:
    """Yield the bandwidth of banks that are always busy."""
    for kind, (read, write) in TECHNOLOGIES.items():
        psi = PSI if kind == "pcm" else "off"
        moved = (read + write) / PSI if kind == "pcm" else 0
        keys = {"nvdimm__media__banks": 4, "nvdimm__media__start_gap__psi": psi}
        for name, time, source in (
            ("writes", write + moved, "banks x 64 B / (tW + (tR + tW) / psi)"),
            ("reads", read, "banks x 64 B / tR"),
        ):
            bench = _bench(kind, **keys)
            lines = range(bench.nvdimm, bench.nvdimm + 8000 * LINE, LINE)
            ends = bench.stream(lines, 20_000, write=name == "writes")
            first, last = len(ends) // 4, 3 * len(ends) // 4
            got = (last - first) * LINE / (ends[last] - ends[first]) * 1e6
            expected = 4 * LINE / time * 1e6
            yield Oracle(f"{name}, {kind}, 4 banks", expected, got, "MB/s", 0.01 * expected, source)


def energies() -> Iterator[Oracle]:
    """Yield the cells' energy for 100 reads and 50 writes of a line, for each kind of medium."""
    for kind, (read, write) in ENERGIES.items():
        bench = _bench(kind, nvdimm__media__start_gap__psi="off")
        for count, is_write in ((100, False), (50, True)):
            lines = range(bench.nvdimm, bench.nvdimm + count * LINE, LINE)
            bench.stream(lines, 20_000, write=is_write)
        bench.system.advance(bench.system.now + 10**8)
        expected = (100 * read + 50 * write) * LINE * 8 / 1e6
        got = bench.system.stats["nvdimm.media.energy.total"] * 1e6
        source = "bits x pJ a bit"
        yield Oracle(f"energy of cells, {kind}", expected, got, "uJ", 1e-9 * expected, source)


def start_gap() -> Iterator[Oracle]:
    """Yield start-gap's misplaced lines, its wear by one hot line, and its write amplification."""
    lines = 37
    period = lines * (lines + 1)
    by_hand: list[int | None] = [*range(lines), None]
    wrong = 0
    for moved in start_gap_places(lines, 2 * period):
        wrong += sum(by_hand[place] != line for line, place in enumerate(moved))
        wrong += lines - len(set(moved))
        gap = by_hand.index(None)
        by_hand[gap], by_hand[gap - 1] = by_hand[gap - 1], None
    source = "lines copied one by one into the gap"
    yield Oracle(f"start-gap: misplaced lines, {2 * period} moves", 0, wrong, "", 0, source)
    banks, regions, places = 64, 4, 65
    for name, psi, writes, spread, source in (
        ("one line", 1, 64 * 65, 1, "64 x 65 moves: each place 64 writes and 64 copies"),
        ("one line, psi off", "off", 100, places, "all writes in one of 65 places"),
    ):
        bench = _bench(
            "pcm",
            nvdimm__capacity=f"{banks * regions * (places - 1) * LINE}B",
            nvdimm__media__banks=banks,
            nvdimm__media__start_gap__regions=regions,
            nvdimm__media__start_gap__psi=psi,
        )
        for _ in range(writes):
            bench.latency(bench.nvdimm, write=True)
            bench.system.advance(bench.system.now + 10**6)
        got = bench.system.stats["nvdimm.media.wear.spread"] / (banks * regions)
        yield Oracle(f"start-gap: wear of {name}", spread, got, "", 1e-9, source)
    bench = _bench("pcm", nvdimm__capacity="1MiB", nvdimm__media__banks=4)
    numbers = random.Random(1)
    count = 20_000
    anywhere = (bench.nvdimm + numbers.randrange(16384) * LINE for _ in range(count))
    bench.stream(anywhere, 20_000, write=True)
    bench.system.advance(bench.system.now + 10**9)
    stats = bench.system.stats
    expected = 1 + 1 / PSI
    got = stats["nvdimm.media.waf"]
    yield Oracle("start-gap: write amplification", expected, got, "", 0.001, "1 + 1 / psi")
