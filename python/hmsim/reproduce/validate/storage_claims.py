# SPDX-License-Identifier: BSD-3-Clause
"""Claims of the papers on Moneta (MICRO 2010), HASTE (SC 2010) and today's NVMe, with their bands.

Bands come from the papers' words and numbers, and were set before the run. The band of an effect
excludes no effect (`row.LOSS`). Two kinds of claims are shown but not judged:
calibrated ones, whose numbers went into the parameters, and the authors' estimates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from hmsim.reproduce.validate.row import AT_MOST, LOSS, RISES, Row
from hmsim.reproduce.validate.storage_bench import KIB, Load, lone, steady

CALIBRATED = "calibrated"
# Why a claim is missed.
PEAKS = "the paper adds the peaks of all blocks to the cells; here idle parts count as idle"

# Why claims are missed.
PROCESSORS = (
    "a spinning thread keeps one of the 10 processors, so fewer of 16 requests are in flight; with "
    "16 processors it adds 80 MB/s at 512 B and 26 at 1 KB"
)
TWO_BUFFERS = "two buffers bound writes of 2 KB and more, whatever a completion costs"
BY_REQUEST = "a file system costs a time for each request, which 4 MB hide"


def claim(
    name: str,
    low: float,
    high: float,
    got: float,
    unit: str,
    source: str,
    unjudged: str = "",
    missed: str = "",
    side: str = "",
    trend: bool = False,
) -> Row:
    """Return the row of a paper's claim, which the band from ``low`` to ``high`` judges."""
    source = f"{source}; {missed}" if missed else source
    middle, half = (low + high) / 2, (high - low) / 2
    return Row(
        *("storage", name, middle, got, unit, half, source, unjudged, missed),
        claim=True,
        side=side,
        trend=trend,
    )


def _latency(config: str, size: int, way: str, overrides: Mapping[str, Any] = {}) -> float:
    stats = lone(f"storage/{config}", size, way == "read", overrides)
    return float(stats[f"storage.{way}_latency_us.mean"])


@cache
def _steady(
    config: str,
    size: int,
    reads: float,
    overrides: tuple[tuple[str, Any], ...] = (),
    time: int = 20,
) -> Mapping[str, Any]:
    return steady(f"storage/{config}", [Load(size, reads)], dict(overrides), time)


def _rate(config: str, size: int, reads: float, overrides: Mapping[str, Any] = {}) -> float:
    """Return GB/s of 16 threads."""
    time = 20 if size < 256 * KIB else 400
    stats = _steady(config, size, reads, tuple(overrides.items()), time)
    return float(stats["storage.bandwidth_gb_per_s"])


def _turn(
    low: float, high: float, width: float, holds: Callable[[float], bool]
) -> tuple[float, float]:
    """Return the ends of an interval, at most this wide, in which ``holds`` turns false."""
    while high - low > width:
        middle = (high + low) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def software() -> Iterator[Row]:
    """Yield latencies of Moneta's versions, and the part of them that is software."""
    steps = ("moneta_base", "moneta_nosched", "moneta_atomic", "moneta_spin")
    base, nosched, atomic, spin = (_latency(config, 4 * KIB, "write") for config in steps)
    seed = "S16: 21, -2, -1, -6, -9 us"
    yield claim("4 KB write, base", 20, 22.5, base, "us", seed, CALIBRATED)
    yield claim("4 KB write, saved by nosched", 1.5, 2.5, base - nosched, "us", seed, CALIBRATED)
    yield claim("4 KB write, saved by atomic", 0.5, 1.5, nosched - atomic, "us", seed, CALIBRATED)
    yield claim("4 KB write, saved by spin", 4.5, 7, atomic - spin, "us", seed, CALIBRATED)
    yield claim("4 KB write, saved by all", 7.5, 10, base - spin, "us", seed, CALIBRATED)
    device = lone("storage/moneta_base", 4 * KIB, 0)["storage.write.device_us"]
    share = 100 * (1 - device / base)
    yield claim("software's share, base", 58, 65, share, "%", "S17: 62 %", CALIBRATED)
    saved = 100 * (base - spin) / (base - device)
    yield claim("software removed in all", 55, 70, saved, "%", "S17: 60 to 67 %", CALIBRATED)
    small = _latency("moneta", 512, "write")
    yield claim("512 B write", 8, 10, small, "us", "S18: 9 us")
    yield claim("processors for 500,000 a second", 4, 7, spin / 2, "", "S19: 5")


def rates() -> Iterator[Row]:
    """Yield requests and bytes a second of Moneta's versions."""
    thousand = {
        (config, size, reads): _steady(config, size, reads)["storage.iops"] / 1e3
        for config in ("moneta_base", "moneta_spin")
        for size, reads in ((512, 1), (512, 0), (4 * KIB, 1), (4 * KIB, 0))
    }
    gain = thousand["moneta_spin", 512, 1] / thousand["moneta_base", 512, 1]
    yield claim("512 B, spin over base", 13, 20, gain, "x", "S20: up to 18", CALIBRATED)
    base, nosched, atomic = (
        1e3 * _rate(config, 4 * KIB, 0)
        for config in ("moneta_base", "moneta_nosched", "moneta_atomic")
    )
    yield claim(
        "4 KB writes, nosched over base", 3.3, 4.7, nosched / base, "x", "S21: 4", CALIBRATED
    )
    yield claim("4 KB writes, added by atomic", 300, 750, atomic - nosched, "MB/s", "S21: 460")
    yield from _spinning()
    for size, reads, published, width in (
        (4 * KIB, 1, 368.534, 0.12),
        (4 * KIB, 0, 389.859, 0.12),
        (512, 1, 1156.779, 0.20),
        (512, 0, 1043.793, 0.20),
    ):
        name = f"{size} B {'reads' if reads else 'writes'}, spin"
        source = f"{'S22' if size > 512 else 'S22b'}: {published}"
        low, high = published * (1 - width), published * (1 + width)
        yield claim(name, low, high, thousand["moneta_spin", size, reads], "1000/s", source)
    mix = _steady("moneta_2q", 4 * KIB, 0.5)["storage.iops"] / 1e3
    yield claim("4 KB mix, two queues", 430, 650, mix, "1000/s", "S22c: 541")
    before, after = _rate("moneta_spin", 512 * KIB, 0.5), _rate("moneta_2q", 512 * KIB, 0.5)
    yield claim("512 KB mix, one queue", 1.5, 1.8, before, "GB/s", "S23: 1.62")
    yield claim("512 KB mix, two queues", 2.5, 3.0, after, "GB/s", "S23: 2.84", CALIBRATED)
    for size, word in ((16 * KIB, "not at 16 KB"), (128 * KIB, "at 128 KB")):
        share = _rate("moneta_base", size, 0) / _rate("moneta_base", 512 * KIB, 0)
        low, high = (0.0, 0.9) if size < 32 * KIB else (0.9, 1.1)
        name, side = f"base fills the link, {word}", "" if low else AT_MOST
        yield claim(name, low, high, share, "", "S23b: at 64 KB and more", side=side)
    half, whole = _rate("moneta_4x", 4 * KIB, 0.5), _rate("moneta", 4 * KIB, 0.5)
    yield claim("4 KB mix on half the link", 0.45, 0.55, half / whole, "", "S23h: half", "estimate")


def _spinning() -> Iterator[Row]:
    """Yield what spinning adds to writes: "for 512-4096 byte requests by up to 250 MB/s"."""
    for size, name, missed in (
        (512, "512 B", PROCESSORS),
        (KIB, "1 KB", PROCESSORS),
        (2 * KIB, "2 KB", TWO_BUFFERS),
        (4 * KIB, "4 KB", TWO_BUFFERS),
    ):
        asleep, spin = (1e3 * _rate(each, size, 0) for each in ("moneta_atomic", "moneta_spin"))
        least = (RISES - 1) * asleep
        source = "S21: up to 250"
        yield claim(
            *(f"{name} writes, added by spin", least, 250, spin - asleep, "MB/s", source),
            missed=missed,
        )


def sharing() -> Iterator[Row]:
    """Yield claims on the bandwidth of 4 KB readers beside 512 KB readers."""
    loads = [Load(4 * KIB, 1, 4), Load(512 * KIB, 1, 4)]
    queue = steady("storage/moneta_2q", loads, time=400)
    balance = steady("storage/moneta", loads, time=400)
    one, other = (
        [stats[f"agent.{number}.rate"] * 4096 / 1e6 for number in (0, 1)]
        for stats in (queue, balance)
    )
    yield claim("4 KB beside 512 KB, fifo", 13.6, 18.4, one[0], "MB/s", "S23c: 16")
    yield claim("512 KB beside 4 KB, fifo", 1275, 1725, one[1], "MB/s", "S23c: 1.5 GB/s")
    yield claim("4 KB, balance over fifo", 8, 22, other[0] / one[0], "x", "S23d: 12")
    yield claim("512 KB, lost by balance", 100, 450, one[1] - other[1], "MB/s", "S23d: 190")
    both = 100 * (sum(one) - sum(other)) / sum(one)
    yield claim("both, lost by balance", -10, 10, both, "%", "S23d: 0")


def controllers() -> Iterator[Row]:
    """Yield claims on more controllers, which hide the time of cells."""

    def rate(count: int, microseconds: float) -> float:
        keys = {
            "storage.memory.controllers": count,
            "storage.memory.capacity": "64GiB",
            "storage.memory.read_time": f"{1000 * microseconds:.0f}ns",
            "storage.memory.write_time": f"{1000 * microseconds:.0f}ns",
        }
        return _rate("moneta", 4 * KIB, 0.5, keys)

    fast = rate(8, 0.004)
    lost = 100 * (1 - rate(8, 1) / fast)
    yield claim("8 controllers, lost at 1 us", 0, 8, lost, "%", "S23f: hidden")
    lost = 100 * (1 - rate(8, 4) / fast)
    yield claim("8 controllers, lost at 4 us", 12, 30, lost, "%", "S23g: 20 %")
    slow = [1e3 * rate(count, 4) for count in (1, 2, 4, 8)]
    for count, less, more in zip((2, 4, 8), slow, slow[1:]):
        name = f"{count} controllers over {count // 2} at 4 us"
        yield claim(name, 250, 650, more - less, "MB/s", "S23g: about 400")


def power() -> Iterator[Row]:
    """Yield watts of Moneta, and what small writes cost."""
    device = "storage.device."
    stats = steady("storage/moneta", [Load(8 * KIB, 0.5, 32)])
    seconds = stats["sim.ticks"] / 1e12
    energies = {name: value for name, value in stats.items() if ".energy_j." in name}
    cells = energies.pop(f"{device}energy_j.cells") / seconds
    energies.pop(f"{device}energy_j.background")
    blocks = sum(energies.values()) / seconds
    most, source = 1.05 * 3.19, "S23i: at most 3.19"
    yield claim("all but cells, 8 KB mix", 0, most, blocks, "W", source, side=AT_MOST)
    rate = stats["storage.bandwidth_gb_per_s"] / 4
    yield claim("cells at 2 + 2 GB/s", 0.2, 0.5, cells / rate, "W", "S23i: at most 0.4")
    dies = stats[f"{device}energy_j.background"] / seconds
    yield claim("dies, idle", 0.95 * 0.13, 1.05 * 0.13, dies, "W", "S23i: 0.13", CALIBRATED)
    total = _steady("moneta", 8 * KIB, 0)[f"{device}power_w"]
    name, low, high = "all, 8 KB writes", 0.95 * 3.47, 1.05 * 3.47
    yield claim(name, low, high, total, "W", "S23i: 3.47", missed=PEAKS)
    per_watt = []
    for size in (512, 8 * KIB):
        run = _steady("moneta", size, 0)
        per_watt.append(run["storage.bandwidth_gb_per_s"] / run[f"{device}power_w"])
    lost = 100 * (1 - per_watt[0] / per_watt[1])
    yield claim("GB/s W of 512 B writes, lost", 75, 97, lost, "%", "S23i: 85 %")


def sc_2010() -> Iterator[Row]:
    """Yield the RAM disks and HASTE of SC 2010."""
    bus = {"controller.channels": 8, "frontend.block.software_time": "3.9us"}
    loads = [Load(4 * KIB, 0.5, 8)]
    disks = {
        name: steady(f"storage/ddr_{name}", loads, bus, 2)["agent.0.rate"] * 4096 / 1e9
        for name in ("dram", "sttram", "pcm")
    }
    yield claim("RAM disk, 4 KB", 6, 8, disks["dram"], "GB/s", "S24: 7.1", CALIBRATED)
    lost = {name: 100 * (1 - rate / disks["dram"]) for name, rate in disks.items()}
    yield claim("RAM disk, lost with STT-RAM", LOSS, 22, lost["sttram"], "%", "S24: 4 %")
    yield claim("RAM disk, lost with PCM", 35, 48, lost["pcm"], "%", "S24: 42 %", CALIBRATED)
    for reads, large, small in ((1, 1.5, 1.33), (0, 1.7, 1.37)):
        way = "reads" if reads else "writes"
        got = _rate("haste_dram", 4096 * KIB, reads)
        yield claim(f"HASTE, 4 MB {way}", 0.88 * large, 1.12 * large, got, "GB/s", f"S25: {large}")
        got = _rate("haste_dram", 4 * KIB, reads)
        seed = f"S25: {small}"
        yield claim(f"HASTE, 4 KB {way}", 0.88 * small, 1.12 * small, got, "GB/s", seed, CALIBRATED)
    for name in ("sttram", "pcm"):
        share = _rate(f"haste_{name}", 4 * KIB, 0.5) / _rate("haste_dram", 4 * KIB, 0.5)
        yield claim(f"HASTE, {name} over DRAM", 0.97, 1.03, share, "x", "S25: equal")
    for name in ("dram", "sttram", "pcm"):
        got = (_latency(f"haste_{name}", 4 * KIB, "read")
               + _latency(f"haste_{name}", 4 * KIB, "write")) / 2  # fmt: skip
        yield claim(f"HASTE, 4 KB, {name}", 13.5, 17.6, got, "us", "S26: 15 to 16", CALIBRATED)
    yield from _crossing()
    yield from _knee()


def _crossing() -> Iterator[Row]:
    """Yield the latency, added to lines and rows alike, at which a RAM disk is as slow as HASTE."""

    def faster(added: float) -> bool:
        time = f"{25 + 1000 * added:.0f}ns"
        disk = lone("storage/ddr_dram", 4 * KIB, 1, {"nvdimm.media.read_time": time})
        row = lone("storage/haste_dram", 4 * KIB, 1, {"storage.memory.read_time": time})
        return bool(1e6 / disk["agent.0.rate"] < row["storage.read_latency_us.mean"])

    meet = 500 * sum(_turn(0.1, 1.6, 0.01, faster))
    yield claim("RAM disk meets HASTE at", 650, 950, meet, "ns", "S27: 800 ns", CALIBRATED)


def _knee() -> Iterator[Row]:
    """Up to which added latency does HASTE keep 90 % of its rate of 4 KB requests?"""

    def rate(added: float) -> float:
        time = f"{25 + 1000 * added:.0f}ns"
        return _rate("haste_dram", 4 * KIB, 1, {"storage.memory.read_time": time})

    flat = rate(0)
    below, _ = _turn(0.0, 51.2, 0.2, lambda added: rate(added) > 0.9 * flat)
    yield claim("HASTE's rate is flat to", 10, 16, below, "us", "S28: 12.8 us")


def file_systems() -> Iterator[Row]:
    """Yield claims on the bandwidth under XFS, for small and large requests."""
    got = 1e3 * _rate("haste_pcm_xfs", 4 * KIB, 0)
    yield claim("HASTE, XFS, 4 KB writes", 158, 262, got, "MB/s", "S31: 210", CALIBRATED)
    got = 1e3 * _rate("moneta_xfs", 4 * KIB, 0.5)
    yield claim("Moneta, XFS, 4 KB mix", 196, 326, got, "MB/s", "S31: 261", CALIBRATED)
    for name, config, reads, seed in (
        ("HASTE, XFS, 4 MB writes, lost", "haste_pcm", 0, "S31: 3 %"),
        ("Moneta, XFS, 4 MB mix, lost", "moneta", 0.5, "S37: 5 %"),
    ):
        raw, under = (_rate(each, 4096 * KIB, reads) for each in (config, f"{config}_xfs"))
        yield claim(name, LOSS, 10, 100 * (1 - under / raw), "%", seed, missed=BY_REQUEST)


def today() -> Iterator[Row]:
    """Yield NVMe SSDs of Optane."""
    got = _latency("nvme", 4 * KIB, "read")
    yield claim("P4800X, 4 KB read", 8.01, 9.79, got, "us", "S39: 8.9 us", CALIBRATED)
    got = _steady("nvme", 4 * KIB, 1)["storage.iops"] / 1e3
    yield claim("P4800X, 4 KB reads, depth 16", 526.5, 643.5, got, "1000/s", "S39: 585")
    file_system = {
        "storage.path.driver": "nvme_interrupt",
        "storage.path.file_system.time": "2006ns",
    }
    got = _latency("nvme_poll", 512, "read", file_system)
    yield claim("P5800X, 512 B read, ext4", 5.33, 7.21, got, "us", "S40: 6.27 us", CALIBRATED)
    got = _latency("nvme_poll", 512, "read")
    yield claim("P5800X, 512 B read, polled", 2.89, 3.91, got, "us", "S40: 3.4 us")
    got = _steady("nvme_poll", 512, 1)["storage.iops"] / 1e6
    yield claim("P5800X, polled, depth 16", 1.75, 2.37, got, "10^6/s", "S40: 2.06", CALIBRATED)


CLAIMS: tuple[Callable[[], Iterator[Row]], ...] = (
    software,
    rates,
    sharing,
    controllers,
    power,
    sc_2010,
    file_systems,
    today,
)
