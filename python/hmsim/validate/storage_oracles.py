# SPDX-License-Identifier: BSD-3-Clause
"""Closed forms of block storage: sums of stages, bounds of rates, energies (docs/storage.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hmsim.validate.flash_oracles import Oracle
from hmsim.validate.storage_bench import KIB, Load, lone, steady

# Software time of 4 KB writes and reads on Moneta, in us. Base: MICRO 2010, Fig. 3. Others: base
# minus the savings that the text gives for each step.
SOFTWARE = {
    "moneta_base": (13.30, 12.20),
    "moneta_nosched": (11.30, 10.20),
    "moneta_atomic": (10.30, 9.16),
    "moneta_spin": (4.81, 4.93),
    "moneta_2q": (4.81, 4.93),
    "moneta": (4.81, 4.93),
}
# Hardware time of 4 KB in us: link, ring, controller, end.
WRITE = 1.31 + 4 * 0.602 + 4 * 0.280 + 2.750 + 4 * 0.090 + 0.150 + 0.1
READ = 2.952 + 4 * 0.115 + 0.048 + 4 * 0.430 + 4 * 0.650 + 0.1
EXACT = 1e-9  # of sums of picoseconds, as floating-point microseconds
NO_GAP: dict[str, Any] = {"storage.memory.start_gap": "off"}
WIDE = {**NO_GAP, "storage.path.driver": "none", "storage.path.contexts": 4096}
MANY = {**WIDE, "storage.memory.controllers": 64}


def _tolerance(expected: float, share: float) -> float:
    return share * expected


def latencies() -> Iterator[Oracle]:
    """Yield latencies of single requests on all versions of Moneta, and the cost of slow rows."""
    for config, (write, read) in SOFTWARE.items():
        for way, software, hardware in (("write", write, WRITE), ("read", read, READ)):
            stats = lone(f"storage/{config}", 4 * KIB, way == "read", NO_GAP)
            got = stats[f"storage.{way}_latency_us.mean"]
            name = f"4 KB {way}, {config}"
            yield Oracle(name, software + hardware, got, "us", EXACT, "S1: sum of stages")
    for added in (0.8, 12.8):
        row = {"storage.memory.read_time": f"{25 + 1000 * added:.0f}ns"}
        slow = lone("storage/haste_dram", 4 * KIB, 1, row)["storage.read_latency_us.mean"]
        plain = lone("storage/haste_dram", 4 * KIB, 1)["storage.read_latency_us.mean"]
        name = f"HASTE, rows {added} us slower"
        yield Oracle(name, added, slow - plain, "us", EXACT, "S8: a row's time once")


def lines() -> Iterator[Oracle]:
    """Yield the cost of slow lines for 4 KB that the processor copies four lines at a time."""
    added = 800
    rows = {"nvdimm.media.read_time": f"{25 + added}ns"}
    plain = lone("storage/ddr_dram", 4 * KIB, 1)["nvdimm.response_time_us.mean"]
    slow = lone("storage/ddr_dram", 4 * KIB, 1, rows)["nvdimm.response_time_us.mean"]
    expected = 64 / 4 * added / 1000
    source = "S7: 64 lines, 4 at a time"
    yield Oracle("RAM disk, lines 0.8 us slower", expected, slow - plain, "us", 0.2, source)


def little() -> Iterator[Oracle]:
    """Yield mean numbers of outstanding requests; expected: rate times latency."""
    for config in ("moneta_base", "moneta", "haste_pcm", "nvme"):
        stats = steady(f"storage/{config}", [Load(4 * KIB, 0.5)], time=10)
        done = [
            stats[f"storage.{way}s"] * stats[f"storage.{way}_latency_us.mean"]
            for way in ("read", "write")
        ]
        expected = sum(done) / (stats["sim.ticks"] / 1e6)
        got = stats["storage.outstanding"]
        tolerance = _tolerance(expected, 0.003)
        yield Oracle(f"outstanding, {config}", expected, got, "", tolerance, "S2: Little's law")


def bounds() -> Iterator[Oracle]:
    """Yield rates where one part is the bottleneck."""
    cases = (
        ("two buffers, 4 KB writes", 4, 0, 2 * 4.096 / (1.31 + 4 * 0.882), "S4: DMA + ring"),
        ("link, 8 KB writes", 8, 0, 1.024 / 0.602, "S4: 1 KiB / 602 ns"),
        ("link, 8 KB reads", 8, 1, 1.024 / 0.650, "S4: 1 KiB / 650 ns"),
    )
    one_queue = {**MANY, "storage.array.queues": 1, "storage.array.order": "fifo"}
    for name, kib, reads, expected, source in cases:
        stats = steady("storage/moneta", [Load(kib * KIB, reads, 256)], one_queue)
        got = stats["storage.bandwidth_gb_per_s"]
        yield Oracle(name, expected, got, "GB/s", _tolerance(expected, 0.01), source)
    buffers = {**MANY, "storage.array.buffers": 16}
    stats = steady("storage/moneta", [Load(8 * KIB, 0.5, 256)], buffers)
    expected = 2.048 / 0.71
    got = stats["storage.bandwidth_gb_per_s"]
    source = "S5: 2 KiB / (280 + 430 ns)"
    yield Oracle("ring, 8 KB mix", expected, got, "GB/s", _tolerance(expected, 0.05), source)
    for config, hold in (("moneta_base", 16.4), ("moneta_nosched", 4.1), ("haste_dram", 3.05)):
        stats = steady(f"storage/{config}", [Load(512, 0.5)])
        expected = 1e3 / hold
        got = stats["storage.iops"] / 1e3
        name = f"512 B, {config}"
        tolerance = _tolerance(expected, 0.002)
        yield Oracle(name, expected, got, "1000/s", tolerance, "S3: 1 / hold")


def sharing() -> Iterator[Oracle]:
    """Yield the ratio of requests of 4 KB and of 512 KB threads in one queue."""
    loads = [Load(4 * KIB, 1, 4), Load(512 * KIB, 1, 4)]
    stats = steady("storage/moneta_spin", loads, time=200)
    small, large = (stats[f"agent.{number}.rate"] / pages for number, pages in ((0, 1), (1, 128)))
    source = "S6: FIFO, one each in turn"
    yield Oracle("4 KB requests a 512 KB request", 1, small / large, "", 0.5, source)


def energies() -> Iterator[Oracle]:
    """Yield power, expected from busy shares and written bits, and rows moved by start-gap."""
    config = "storage/moneta"
    stats = steady(config, [Load(8 * KIB, 0, 64)])
    device = "storage.device."
    seconds = stats["sim.ticks"] / 1e12
    both = (stats[f"{device}link.to_host.busy"] + stats[f"{device}link.from_host.busy"]) / 2
    ring, controllers = stats[f"{device}ring.busy"], stats[f"{device}controllers.busy"]
    blocks = 0.3 + 0.12 + 0.00126 + both * (1.3 - 0.3 + 0.4 - 0.12 + 0.00437 - 0.00126)
    blocks += 0.03 + ring * 0.03
    blocks += 4 * (0.24 + 0.00126 + controllers * (0.34 - 0.24 + 0.00437 - 0.00126))
    rows, moves = stats[f"{device}rows_written"], stats[f"{device}gap_moves"]
    bits = 8192 * 8 * (rows * (16.82 + 1.02) + moves * (16.82 + 2.47)) * 1e-12 / seconds
    expected = blocks + bits + 512 * 264e-6
    # Both count a write once a controller has started it, even if it is not completed.
    got = stats[f"{device}power_w"]
    yield Oracle("power, 8 KB writes", expected, got, "W", 1e-3, "S10-S12: blocks, bits, dies")
    expected, got = rows / 100, moves
    yield Oracle("rows that start-gap moves", expected, got, "rows", 4, "S13: writes / psi")


ORACLES = (latencies, lines, little, bounds, sharing, energies)
