# SPDX-License-Identifier: BSD-3-Clause
"""Closed forms of LPDDR5 and HBM3: lines in two halves, and commands that need more than one slot.

LPDDR5 starts a data clock before bursts and splits activates; HBM3 has two command buses that two
pseudo-channels share.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hmsim.validate.bench import LINE, STEP, Bench
from hmsim.validate.flash_oracles import Oracle

GROUPS = 4
BANKS = 16  # of a rank
FOUR_ACTIVATES = 28  # cycles, longer than the parts' own, so that nothing else binds


class _Part:
    """A part whose groups are lowest in the map, then its columns (and, with them, ranks)."""

    def __init__(self, name: str, config: str, columns: int, ranks: int = 1) -> None:
        self.name = name
        self.config = config
        self.columns = columns * ranks  # lines of a row, of all ranks
        self.ranks = ranks

    def bench(self, **overrides: Any) -> Bench:
        return Bench(self.config, **overrides)

    @property
    def next_row(self) -> int:
        """Return the distance of two rows of a bank in bytes."""
        return BANKS * self.columns * LINE

    def rows(self, count: int) -> Iterator[int]:
        """Yield one address in each of ``count`` rows, each in another bank than the last."""
        places = GROUPS * self.ranks
        for index in range(count):
            place, bank = index % places, index // places % (BANKS // GROUPS)
            row = index // (BANKS * self.ranks)
            yield row * self.next_row + (bank * self.columns * GROUPS + place) * LINE


LPDDR5 = _Part("LPDDR5", "validate_lpddr5", 32)
HBM3 = _Part("HBM3", "validate_hbm3", 16, 2)


def line_of(t: dict[str, int]) -> int:
    """Return the cycles from the first to the last beat of a line: its halves lie apart."""
    return t["burst"] + t["burst_gap"]


def clock_start() -> Iterator[Oracle]:
    """CAS issues while tRCD passes; on an open row it costs a cycle, unless WCK runs."""
    bench = LPDDR5.bench(dram__refresh=False)
    t = bench.cycles
    data = t["CL"] + line_of(t)
    row = GROUPS * LINE  # the next line of the bank
    cases = (
        ("read of a closed bank", 0, 1 + t["tRCD"] + data, "ACT-2 + tRCD + RL + BL/n_min"),
        ("read of the open row, WCK stopped", row, 1 + data, "CAS + RL + BL/n_min"),
        (
            "read of another row",
            LPDDR5.next_row,
            t["tRP"] + 1 + t["tRCD"] + data,
            "tRP + ACT-2 + tRCD + RL + BL/n_min",
        ),
    )
    for name, address, expected, source in cases:
        got = bench.latency(address) / bench.period
        bench.system.advance(bench.system.now + STEP)  # tRAS is over, and WCK has stopped
        yield Oracle(f"LPDDR5: {name}", expected, got, "cycles", 0, source)
    # WCK runs for this read: the read before it, in the cycle after its own CAS, keeps WCK on.
    runs = 1 + data + t["tWCKPST"]
    for name, distance, start in (("last", runs, 0), ("first", runs + 1, 1)):
        system = bench.system
        bench.latency(LPDDR5.next_row)
        system.advance(-(-(system.now + STEP) // bench.period) * bench.period)
        system.enqueue(LPDDR5.next_row + row)
        system.advance(system.now + distance * bench.period)
        system.completions()
        got = bench.latency(LPDDR5.next_row + 2 * row) / bench.period
        source = "tWCKPST after the data before" if start == 0 else "and a cycle later: CAS"
        where = f"read of the open row, {name} cycle {'with' if start == 0 else 'without'} WCK"
        yield Oracle(f"LPDDR5: {where}", start + data, got, "cycles", 0, source)
    write = bench.latency(LPDDR5.next_row + 3 * row, write=True) / bench.period
    bench = LPDDR5.bench(dram__refresh=False, dram__timing__tWCK_WR=t["CWL"] + 6)
    bench.latency(0)
    bench.system.advance(bench.system.now + STEP)
    slow = bench.latency(row, write=True) / bench.period
    source = "tWCK_WR - WL: the data wait for WCK"
    yield Oracle("LPDDR5: later write data, slow WCK", 5, slow - write, "cycles", 0, source)


def _streams(part: _Part, columns: int) -> Iterator[Oracle]:
    """Yield the rates of consecutive lines of ``columns`` reads each, and of rows."""
    lines = part.columns * GROUPS  # one row of each group
    t = part.bench().cycles
    several = f"{columns} " if columns > 1 else ""
    share = f" / {part.ranks}" if part.ranks > 1 else ""
    for name, step, cycles, source in (
        ("cycles of a line, groups in turn", LINE, t["burst"], "burst"),
        ("cycles of a line, one group", GROUPS * LINE, columns * t["tCCD_L"], several + "tCCD_L"),
    ):
        bench = part.bench(dram__refresh=False)
        ends = bench.stream((index * step for index in range(lines * LINE // step)), bench.period)
        count = (len(ends) - 9) // 4 * 4  # whole pairs of each rank, with all rows open
        got = (ends[-1] - ends[-1 - count]) / bench.period / count
        expected = cycles / part.ranks
        yield Oracle(f"{part.name}: {name}", expected, got, "cycles", 0, source + share)
    bench = part.bench(dram__refresh=False, dram__timing__tFAW=FOUR_ACTIVATES)
    ends = bench.stream(part.rows(2_000), bench.period)
    got = (ends[-1] - ends[0]) / bench.period / (len(ends) - 1)
    expected = FOUR_ACTIVATES / 4 / part.ranks
    source = f"tFAW / 4{share}"
    yield Oracle(f"{part.name}: cycles of a row", expected, got, "cycles", 0.05, source)


def _refreshes(part: _Part, columns: int) -> Iterator[Oracle]:
    """Yield the number of refreshes, and the cycles that each costs a stream of lines.

    ``columns``: reads of each line.
    """
    bench = part.bench()
    time = 1_000_000_000  # ps
    bench.system.advance(time)
    t = bench.cycles
    expected = time // (t["tREFI"] * bench.period)
    got = bench.system.stats["dram.refreshes"] / bench.ranks
    yield Oracle(f"{part.name}: refreshes of a rank in 1 ms", expected, got, "", 1, "T / tREFI")
    bench = part.bench(dram__ranks=1)
    intervals = 20
    count = intervals * t["tREFI"] // t["burst"]
    lines = part.columns * GROUPS
    ends = bench.stream((index % lines * LINE for index in range(count)), bench.period)
    cycles = (ends[-1] - ends[0]) / bench.period - (count - 1) * t["burst"]
    got = cycles / bench.system.stats["dram.refreshes"]
    last = (columns - 1) * t["tCCD_L"]  # read of a line, which is precharged after tRTP
    lost = last + t["tRTP"] + t["tRP"] + t["tRFC"] + 1 + t["tRCD"] - t["tCCD"]
    source = "tRTP + tRP + tRFC + 1 + tRCD - tCCD" + (" + tCCD_L" if columns > 1 else "")
    yield Oracle(f"{part.name}: cycles lost to a refresh", lost, got, "cycles", 4, source)


def _bank_refreshes(part: _Part, turns: int) -> Oracle:
    """Return the number of per-bank refreshes, ``turns`` of which refresh each bank once."""
    bench = part.bench(dram__refresh_mode="same_bank")
    time = 1_000_000_000  # ps
    bench.system.advance(time)
    expected = time // (bench.cycles["tREFI"] // turns * bench.period)
    got = bench.system.stats["dram.refreshes"] / bench.ranks
    name = f"{part.name}: per-bank refreshes of a rank in 1 ms"
    return Oracle(name, expected, got, "", 1, f"{turns} T / tREFI")


def lpddr5() -> Iterator[Oracle]:
    yield from clock_start()
    yield from _streams(LPDDR5, 1)
    yield from _refreshes(LPDDR5, 1)
    yield _bank_refreshes(LPDDR5, 8)


def hbm3() -> Iterator[Oracle]:
    bench = HBM3.bench(dram__refresh=False)
    t = bench.cycles
    data = t["CL"] + line_of(t)
    cases = (
        ("read of a closed bank", 0, 1 + t["tRCD"] + data, "ACT + tRCD + RL + tCCDL + BL/4"),
        ("read of the open row", 2 * GROUPS * LINE, data, "RL + tCCDL + BL/4"),
        (
            "read of another row",
            HBM3.next_row,
            t["tRP"] + 1 + t["tRCD"] + data,
            "tRP + ACT + tRCD + RL + tCCDL + BL/4",
        ),
    )
    for name, address, expected, source in cases:
        got = bench.latency(address) / bench.period
        bench.system.advance(bench.system.now + STEP)  # tRAS is over
        yield Oracle(f"HBM3: {name}", expected, got, "cycles", 0, source)
    yield from _streams(HBM3, 2)
    yield from _refreshes(HBM3, 2)
    yield _bank_refreshes(HBM3, 16)


ORACLES = (lpddr5, hbm3)
