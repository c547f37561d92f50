# SPDX-License-Identifier: BSD-3-Clause
"""Closed forms of DRAM: latency, refresh, energy; and other models on the same traces."""

from __future__ import annotations

from collections.abc import Iterator

from hmsim.validate import dram_comparison
from hmsim.validate.bench import LINE, NEXT_ROW, STEP, Bench
from hmsim.validate.flash_oracles import Oracle

MODEL_REQUESTS = 40_000  # of each trace through the models of DRAM


def latency() -> Iterator[Oracle]:
    """Spec 8.2: 15, 26 and 37 cycles from the first command to the last data beat."""
    bench = Bench("validate_ddr3", dram__refresh=False)
    t = bench.cycles
    hit = t["CL"] + t["burst"]
    cases = (
        ("read of a closed bank", 0, hit + t["tRCD"]),
        ("read of the open row", LINE, hit),
        ("read of another row", NEXT_ROW, hit + t["tRCD"] + t["tRP"]),
    )
    for name, address, expected in cases:
        got = bench.latency(address) / bench.period
        bench.system.advance(bench.system.now + STEP)  # tRAS is over
        yield Oracle(name, expected, got, "cycles", 0, "CL + BL/2 (+ tRCD) (+ tRP)")


def refreshes() -> Iterator[Oracle]:
    bench = Bench("validate_ddr3")
    time = 1_000_000_000  # ps
    bench.system.advance(time)
    expected = time // (bench.cycles["tREFI"] * bench.period)
    got = bench.system.stats["dram.refreshes"] / bench.ranks
    yield Oracle("refreshes of a rank in 1 ms", expected, got, "", 1, "T / tREFI")


def refresh_loss() -> Iterator[Oracle]:
    """A stream of row hits pauses for each refresh."""
    bench = Bench("mascots16", nvdimm__present=False)
    t = bench.cycles
    intervals = 20
    count = intervals * t["tREFI"] // t["burst"]
    ends = bench.stream((index % 256 * LINE for index in range(count)), bench.period)
    cycles = (ends[-1] - ends[0]) / bench.period
    busy = (count - 1) * t["burst"]
    count = bench.system.stats["dram.refreshes"]
    expected = t["tRTP"] + t["tRP"] + t["tRFC"] + t["tRCD"] - t["tCCD"]
    got = (cycles - busy) / count
    source = "tRTP + tRP + tRFC + tRCD - tCCD"
    yield Oracle("data-bus cycles lost to a refresh", expected, got, "cycles", 1, source)


def same_bank_refreshes() -> Iterator[Oracle]:
    """DDR5: the banks of each of the four bank numbers are refreshed twice in tREFI."""
    bench = Bench(
        "validate_ddr3",
        dram__preset="ddr5_4800b_16gb_x8",
        dram__refresh_mode="same_bank",
        controller__address_map="default",
        dram__ranks=2,
    )
    time = 1_000_000_000  # ps
    bench.system.advance(time)
    expected = time // (bench.cycles["tREFI"] // 2 // 4 * bench.period)
    got = bench.system.stats["dram.refreshes"] / bench.ranks
    yield Oracle("same-bank refreshes of a rank in 1 ms", expected, got, "", 1, "8 T / tREFI")


def energy() -> Iterator[Oracle]:
    """Micron TN-41-01, on ranks of eight devices, in microjoules."""
    micro = 1e-6

    def joules(bench: Bench, current: float, cycles: float) -> float:
        return 8 * bench.power["VDD"] * current * cycles * bench.period * 1e-12

    def row(bench: Bench, name: str, statistic: str, expected: float, source: str) -> Oracle:
        got = bench.system.stats[f"dram.energy.{statistic}_j"] / micro
        expected /= micro
        return Oracle(name, expected, got, "uJ", 1e-9 * expected, source)

    time = 1_000_000_000  # ps
    idle = Bench("validate_ddr3", dram__refresh=False)
    idle.system.advance(time)
    i = idle.power
    expected = idle.ranks * joules(idle, i["IDD2N"], time / idle.period)
    yield row(idle, "energy of idle ranks in 1 ms", "total", expected, "VDD IDD2N T")

    refreshed = Bench("validate_ddr3")
    refreshed.system.advance(time)
    count = refreshed.system.stats["dram.refreshes"]
    expected = count * joules(refreshed, i["IDD5"] - i["IDD3N"], refreshed.cycles["tRFC"])
    source = "n VDD (IDD5 - IDD3N) tRFC"
    yield row(refreshed, "energy of refreshes in 1 ms", "refresh", expected, source)

    activated = Bench("validate_ddr3", dram__refresh=False)
    t = activated.cycles
    rows = 1000
    activated.stream((index * NEXT_ROW for index in range(rows)), activated.period)
    beyond = i["IDD0"] * t["tRC"] - i["IDD3N"] * t["tRAS"] - i["IDD2N"] * (t["tRC"] - t["tRAS"])
    source = "n VDD (IDD0 tRC - IDD3N tRAS - IDD2N (tRC - tRAS))"
    expected = rows * joules(activated, beyond, 1)
    yield row(activated, f"energy of {rows} activates", "activate", expected, source)
    expected = rows * joules(activated, i["IDD4R"] - i["IDD3N"], t["burst"])
    source = "n VDD (IDD4R - IDD3N) BL/2"
    yield row(activated, f"energy of {rows} reads", "read", expected, source)

    asleep = Bench(
        "validate_ddr3",
        dram__refresh=False,
        dram__power_down="fast",
        dram__power_down_idle="1us",
    )
    asleep.system.advance(time)
    # The ranks' commands share a bus: one after another in successive cycles.
    entered = sum(1_000_000 + rank * asleep.period for rank in range(asleep.ranks))
    cycles = (asleep.ranks * time - entered) / asleep.period
    expected = joules(asleep, i["IDD2P"], cycles)
    source = "VDD IDD2P T"
    yield row(asleep, "energy of power-down until 1 ms", "power_down", expected, source)


def models() -> Iterator[Oracle]:
    """Yield comparisons with DRAMsim3, if the build includes it, on the same traces.

    They compare with its devices and with the whole of it.
    """
    if not dram_comparison.available():
        return
    for backend, mend, expected in (("native", False, 5), ("dramsim3", False, 4)):
        got = dram_comparison.write_gap(backend, mend)
        source = "burst (+ tRTRS, which DRAMsim3 leaves out)"
        yield Oracle(f"writes to two ranks, {backend}", expected, got, "cycles", 0, source)
    unlike: dict[str, list[int]] = {}
    for case in dram_comparison.comparisons(MODEL_REQUESTS, steady=True):
        channel = f"{case.part.split()[0]}, ranks {case.ranks}"
        unlike.setdefault(channel, []).append(case.differing[0])
        if case.tolerance is not None and case.steady is not None:
            got, cycles = case.steady
            source = "the whole DRAMsim3 at equal capacity, second half"
            name = f"{channel}: {case.trace}"
            yield Oracle(name, cycles, got, "cycles", case.tolerance * cycles, source)
    for channel, counts in unlike.items():
        name = f"{channel}: unlike commands, {len(counts)} traces"
        source = "DRAMsim3's devices, timing table mended"
        yield Oracle(name, 0, sum(counts), "", 0, source)


ORACLES = (latency, refreshes, refresh_loss, same_bank_refreshes, energy, models)
