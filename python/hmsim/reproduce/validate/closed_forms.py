# SPDX-License-Identifier: BSD-3-Clause
"""Closed forms of every area, on whole systems as users run them.

`tests/cc` derives many more, part by part. These rows repeat timings and energies of the data
sheets, so that a wrong number in a build or a configuration causes a mismatch.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from hmsim.config.configuration import load_config
from hmsim.config.harmonic_table import DEPTHS, find_table
from hmsim.reproduce.validate.bench import LINE, NEXT_ROW, PAGE, STEP, Bench
from hmsim.reproduce.validate.row import Row
from hmsim.reproduce.validate.storage_bench import KIB, Load, lone, steady
from hmsim.runs.runner import run
from hmsim.runs.system import System

ROW_LINES = {"mascots16": 256, "validate_lpddr5": 128, "validate_hbm3": 128}  # of each group
MEDIA = {"pcm": 67_500, "sttram": 29_500}  # read, ps
PCM_ENERGIES = (2.47, 16.82)  # read, write, pJ a bit
PSI = 100

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
HARDWARE = {
    "write": 1.31 + 4 * 0.602 + 4 * 0.280 + 2.750 + 4 * 0.090 + 0.150 + 0.1,
    "read": 2.952 + 4 * 0.115 + 0.048 + 4 * 0.430 + 4 * 0.650 + 0.1,
}


def dram_latency() -> Iterator[Row]:
    """Spec 8.2: 15, 26 and 37 cycles from the first command to the last data beat."""
    bench = Bench("validate_ddr3", dram__refresh=False)
    t = bench.cycles
    hit = t["CL"] + t["burst"]
    for name, address, expected in (
        ("read of a closed bank", 0, hit + t["tRCD"]),
        ("read of the open row", LINE, hit),
        ("read of another row", NEXT_ROW, hit + t["tRCD"] + t["tRP"]),
    ):
        got = bench.latency(address) / bench.period
        bench.system.advance(bench.system.now + STEP)  # tRAS is over
        yield Row("dram", name, expected, got, "cycles", 0, "CL + BL/2 (+ tRCD) (+ tRP)")
    for standard in ("LPDDR5", "HBM3"):
        bench = Bench(f"validate_{standard.lower()}", dram__refresh=False)
        t = bench.cycles
        expected = 1 + t["tRCD"] + t["CL"] + t["burst"] + t["burst_gap"]
        got = bench.latency(0) / bench.period
        source = "second half of ACT + tRCD + RL + both halves of a line"
        name = f"{standard}: read of a closed bank"
        yield Row("dram", name, expected, got, "cycles", 0, source)


def _lost_to_a_refresh(config: str, **overrides: Any) -> tuple[dict[str, int], float]:
    """Return a part's timing, and the cycles by which a refresh interrupts a stream of row hits."""
    bench = Bench(config, **overrides)
    t = bench.cycles
    count = 20 * t["tREFI"] // t["burst"]
    lines = ROW_LINES[config]
    ends = bench.stream((index % lines * LINE for index in range(count)), bench.period)
    lost = (ends[-1] - ends[0]) / bench.period - (count - 1) * t["burst"]
    return t, lost / bench.system.stats["dram.refreshes"]


def dram_refresh() -> Iterator[Row]:
    t, got = _lost_to_a_refresh("mascots16", nvdimm__present=False)
    expected = t["tRTP"] + t["tRP"] + t["tRFC"] + t["tRCD"] - t["tCCD"]
    source = "tRTP + tRP + tRFC + tRCD - tCCD"
    yield Row("dram", "data-bus cycles lost to a refresh", expected, got, "cycles", 1, source)
    for standard, columns in (("LPDDR5", 1), ("HBM3", 2)):
        t, got = _lost_to_a_refresh(f"validate_{standard.lower()}", dram__ranks=1)
        last = (columns - 1) * t["tCCD_L"]  # read of a line, which is precharged after tRTP
        expected = last + t["tRTP"] + t["tRP"] + t["tRFC"] + t["tRCD"] - t["tCCD"]
        source = "tRTP + tRP + tRFC + tRCD - tCCD" + (" + tCCD_L" if columns > 1 else "")
        name = f"{standard}: cycles lost to a refresh"
        yield Row("dram", name, expected, got, "cycles", 4, source)


def dram_energy() -> Iterator[Row]:
    """Micron TN-41-01, on ranks of eight devices, in microjoules."""

    def row(bench: Bench, name: str, statistic: str, current: float, source: str) -> Row:
        """``current``: amperes times cycles of a device."""
        expected = 8 * bench.power["VDD"] * current * bench.period * 1e-6
        got = bench.system.stats[f"dram.energy.{statistic}_j"] * 1e6
        return Row("dram", name, expected, got, "uJ", 1e-9 * expected, source)

    time = 1_000_000_000  # ps
    bench = Bench("validate_ddr3", dram__refresh=False)
    bench.system.advance(time)
    i, t = bench.power, bench.cycles
    idle = bench.ranks * i["IDD2N"] * time / bench.period
    yield row(bench, "energy of idle ranks in 1 ms", "total", idle, "VDD IDD2N T")
    bench = Bench("validate_ddr3", dram__refresh=False)
    count = 1000
    bench.stream((index * NEXT_ROW for index in range(count)), bench.period)
    beyond = i["IDD0"] * t["tRC"] - i["IDD3N"] * t["tRAS"] - i["IDD2N"] * (t["tRC"] - t["tRAS"])
    source = "n VDD (IDD0 tRC - IDD3N tRAS - IDD2N (tRC - tRAS))"
    yield row(bench, f"energy of {count} activates", "activate", count * beyond, source)
    beyond = (i["IDD4R"] - i["IDD3N"]) * t["burst"]
    source = "n VDD (IDD4R - IDD3N) BL/2"
    yield row(bench, f"energy of {count} reads", "read", count * beyond, source)


def flash_reads() -> Iterator[Row]:
    """One line of each page: the flash array is the bottleneck."""
    bench = Bench("mascots16")
    pages = 1600
    ends = bench.stream((bench.nvdimm + index * PAGE for index in range(pages)), STEP)
    part = ends[pages // 4], ends[3 * pages // 4]
    rate = pages // 2 * PAGE / (part[1] - part[0]) * 1e6
    expected = 8 * PAGE / 70.48
    source = "8 LUNs, tR + transfer of 4 KiB"
    yield Row("flash", "page reads", expected, rate, "MB/s", 0.01 * expected, source)


def flash_programs() -> Iterator[Row]:
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


def nvdimm() -> Iterator[Row]:
    """Requests and a flush, one by one on an idle channel."""
    bench = Bench("mascots16", dram__refresh=False)
    t = bench.cycles
    lookup = -(-52_000 // bench.period)
    base = 1 + lookup + 1 + t["burst"]
    flash = 300_000 + 50_000_000 + 20_480_000
    miss = bench.latency(bench.nvdimm) / 1e6
    expected = ((base + t["CL"]) * bench.period + flash) / 1e6
    yield Row("nvdimm", "read miss", expected, miss, "us", 0.06, "tAT + tR + transfer")
    flush = bench.flush_latency() / bench.period
    yield Row("nvdimm", "flush", 1 + lookup, flush, "cycles", 0, "command, lookup")
    hit = bench.latency(bench.nvdimm + LINE) / bench.period
    yield Row("nvdimm", "read hit", base + t["CL"], hit, "cycles", 0, "Fig. 11")
    write = bench.latency(bench.nvdimm + PAGE, write=True) / bench.period
    yield Row("nvdimm", "write hit", base + t["CWL"], write, "cycles", 0, "Fig. 11")


def media_latency() -> Iterator[Row]:
    """One read and one write of an idle system, with a grant after the ack."""
    for kind, read in MEDIA.items():
        bench = Bench(kind, dram__refresh=False)
        t = bench.cycles
        got = bench.latency(bench.nvdimm) / bench.period
        expected = 1 + -(-read // bench.period) + 1 + t["CL"] + t["burst"]
        source = "1 + tR + 1 + CL + BL/2"
        yield Row("media", f"read, {kind}", expected, got, "cycles", 0, source)
        got = bench.latency(bench.nvdimm + LINE, write=True) / bench.period
        expected = 1 + 1 + t["CWL"] + t["burst"]
        yield Row("media", f"write, {kind}", expected, got, "cycles", 0, "1 + 1 + CWL + BL/2")


def media_writes() -> Iterator[Row]:
    """Energy of cells, and wear and amplification by Start-Gap."""
    bench = Bench("pcm", dram__refresh=False, nvdimm__media__start_gap__psi="off")
    for count, is_write in ((100, False), (50, True)):
        lines = range(bench.nvdimm, bench.nvdimm + count * LINE, LINE)
        bench.stream(lines, 20_000, write=is_write)
    bench.system.advance(bench.system.now + 10**8)
    expected = (100 * PCM_ENERGIES[0] + 50 * PCM_ENERGIES[1]) * LINE * 8 / 1e6
    got = bench.system.stats["nvdimm.media.energy.total"] * 1e6
    yield Row("media", "energy of cells", expected, got, "uJ", 1e-9 * expected, "bits x pJ a bit")
    banks, regions, places = 64, 4, 65
    for name, psi, writes, spread, source in (
        ("one line", 1, 64 * 65, 1, "64 x 65 moves: each place 64 writes and 64 copies"),
        ("one line, psi off", "off", 100, places, "all writes in one of 65 places"),
    ):
        bench = Bench(
            "pcm",
            dram__refresh=False,
            nvdimm__capacity=f"{banks * regions * (places - 1) * LINE}B",
            nvdimm__media__banks=banks,
            nvdimm__media__start_gap__regions=regions,
            nvdimm__media__start_gap__psi=psi,
        )
        for _ in range(writes):
            bench.latency(bench.nvdimm, write=True)
            bench.system.advance(bench.system.now + 10**6)
        got = bench.system.stats["nvdimm.media.wear.spread"] / (banks * regions)
        yield Row("media", f"start-gap: wear of {name}", spread, got, "", 1e-9, source)
    keys = {"nvdimm__capacity": "1MiB", "nvdimm__media__banks": 4}
    bench = Bench("pcm", dram__refresh=False, **keys)
    numbers = random.Random(1)
    anywhere = (bench.nvdimm + numbers.randrange(16384) * LINE for _ in range(20_000))
    bench.stream(anywhere, 20_000, write=True)
    bench.system.advance(bench.system.now + 10**9)
    got = bench.system.stats["nvdimm.media.waf"]
    name = "start-gap: write amplification"
    yield Row("media", name, 1 + 1 / PSI, got, "", 0.001, "1 + 1 / psi")


def policy_order() -> Iterator[Row]:
    """Rows 0, 1, 0 of one bank, in this order of arrival: when does the last one end?"""
    for scheduler, expected in (("fcfs", 3), ("fr_fcfs", 2)):
        bench = Bench("validate_ddr3", dram__refresh=False, controller__scheduler=scheduler)
        for address in (0, NEXT_ROW, LINE):
            last = bench.system.enqueue(address)
        bench.system.advance(STEP)
        order = [completion.id for completion in bench.system.completions()]
        name = f"place of a late row hit, {scheduler}"
        yield Row("policies", name, expected, 1 + order.index(last or 0), "", 0, "row hits first")


def policy_slots() -> Iterator[Row]:
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


def policy_table() -> Iterator[Row]:
    """Cells of the shipped table of hms, and its decisions beside those of exact rates."""
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
        expected = 12 * PAGE / LINE / pages * 1e3
        name = "table of hms: 1/12 writes, 2 in flight"
        source = "miss 70.85 us, hit 59 cycles, write 56 cycles"
        got = table.nvdimm[0]
        yield Row("policies", name, expected, got, "requests/ms", 0.005 * expected, source)
    stats = run("quick", "demo", policy="hms").stats
    contests = stats["arbiter.dram_wins"] + stats["arbiter.nvdimm_wins"]
    alike = 1 - stats["arbiter.disagreements"] / contests
    name = "decisions of hms alike, exact and table"
    yield Row("policies", name, 1, alike, "", 0.1, "docs/schedulers.md: at least 90 %")


def storage_latency() -> Iterator[Row]:
    """Single requests of 4 KB on all versions of Moneta."""
    for config, software in SOFTWARE.items():
        for (way, hardware), soft in zip(HARDWARE.items(), software):
            keys = {"storage.memory.start_gap": "off"}
            stats = lone(f"storage/{config}", 4 * KIB, way == "read", keys)
            got = stats[f"storage.{way}_latency_us.mean"]
            name = f"4 KB {way}, {config}"
            yield Row("storage", name, soft + hardware, got, "us", 1e-9, "S1: sum of stages")


def storage_power() -> Iterator[Row]:
    """Power of Moneta, expected from busy shares and written bits."""
    stats = steady("storage/moneta", [Load(8 * KIB, 0, 64)])
    device = "storage.device."
    both = (stats[f"{device}link.to_host.busy"] + stats[f"{device}link.from_host.busy"]) / 2
    ring, controllers = stats[f"{device}ring.busy"], stats[f"{device}controllers.busy"]
    blocks = 0.3 + 0.12 + 0.00126 + both * (1.3 - 0.3 + 0.4 - 0.12 + 0.00437 - 0.00126)
    blocks += 0.03 + ring * 0.03
    blocks += 4 * (0.24 + 0.00126 + controllers * (0.34 - 0.24 + 0.00437 - 0.00126))
    rows, moves = stats[f"{device}rows_written"], stats[f"{device}gap_moves"]
    bits = 8192 * 8 * (rows * (16.82 + 1.02) + moves * (16.82 + 2.47)) / stats["sim.ticks"]
    expected = blocks + bits + 512 * 264e-6
    # Both count a write once a controller has started it, even if it is not completed.
    got = stats[f"{device}power_w"]
    source = "S10-S12: blocks, bits, dies"
    yield Row("storage", "power, 8 KB writes", expected, got, "W", 1e-3, source)
