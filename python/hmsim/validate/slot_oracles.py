# SPDX-License-Identifier: BSD-3-Clause
"""Closed forms of LPDDR5: the start of its data clock, split activates, lines in two halves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hmsim.validate.bench import LINE, STEP, Bench
from hmsim.validate.flash_oracles import Oracle

GROUPS = 4
BANKS = 16  # of a rank
FOUR_ACTIVATES = 28  # cycles, longer than the parts' own, so that nothing else binds


class _Part:
    """A part whose map is ``row|bank|rank|column|group|channel``, and what its lines take."""

    def __init__(self, name: str, config: str, columns: int) -> None:
        self.name = name
        self.config = config
        self.columns = columns  # lines of a row

    def bench(self, **overrides: Any) -> Bench:
        return Bench(self.config, **overrides)

    @property
    def next_row(self) -> int:
        """Return the distance of two rows of a bank in bytes."""
        return BANKS * self.columns * LINE

    def rows(self, count: int) -> Iterator[int]:
        """Yield an address in each of so many rows, each in another bank than the one before."""
        for index in range(count):
            group, bank, row = index % GROUPS, index // GROUPS % (BANKS // GROUPS), index // BANKS
            yield row * self.next_row + bank * self.columns * GROUPS * LINE + group * LINE


LPDDR5 = _Part("LPDDR5", "validate_lpddr5", 32)


def line_of(t: dict[str, int]) -> int:
    """Return the cycles from the first to the last beat of a line: its halves lie apart."""
    return t["burst"] + t["burst_gap"]


def clock_start() -> Iterator[Oracle]:
    """CAS goes while tRCD passes, or costs a cycle; none is needed while WCK runs."""
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
    # WCK runs for this one: the read before it, in the cycle after its CAS, keeps it running.
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


def _streams(part: _Part) -> Iterator[Oracle]:
    """Yield the rates of lines that follow one another, and of rows."""
    lines = part.columns * GROUPS  # one row of each group
    for name, step, form in (
        ("cycles of a line, groups in turn", LINE, "burst"),
        ("cycles of a line, one group", GROUPS * LINE, "tCCD_L"),
    ):
        bench = part.bench(dram__refresh=False)
        ends = bench.stream((index * step for index in range(lines * LINE // step)), bench.period)
        count = (len(ends) - 9) // 2 * 2  # whole pairs, with all rows open
        got = (ends[-1] - ends[-1 - count]) / bench.period / count
        yield Oracle(f"{part.name}: {name}", bench.cycles[form], got, "cycles", 0, form)
    bench = part.bench(dram__refresh=False, dram__timing__tFAW=FOUR_ACTIVATES)
    ends = bench.stream(part.rows(2_000), bench.period)
    got = (ends[-1] - ends[0]) / bench.period / (len(ends) - 1)
    expected = FOUR_ACTIVATES / 4
    source = "tFAW / 4"
    yield Oracle(f"{part.name}: cycles of a row", expected, got, "cycles", 0.05, source)


def _refreshes(part: _Part, activate: int) -> Iterator[Oracle]:
    """Yield their number, and what each costs a stream. ``activate``: slots of one."""
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
    lost = t["tRTP"] + t["tRP"] + t["tRFC"] + (activate - 1) + t["tRCD"] - t["tCCD"]
    source = "tRTP + tRP + tRFC + slots - 1 + tRCD - tCCD"
    yield Oracle(f"{part.name}: cycles lost to a refresh", lost, got, "cycles", 4, source)


def _bank_refreshes(part: _Part, turns: int) -> Oracle:
    """Return the number of those that take ``turns`` until each bank had one."""
    bench = part.bench(dram__refresh_mode="same_bank")
    time = 1_000_000_000  # ps
    bench.system.advance(time)
    expected = time // (bench.cycles["tREFI"] // turns * bench.period)
    got = bench.system.stats["dram.refreshes"] / bench.ranks
    name = f"{part.name}: per-bank refreshes of a rank in 1 ms"
    return Oracle(name, expected, got, "", 1, f"{turns} T / tREFI")


def lpddr5() -> Iterator[Oracle]:
    yield from clock_start()
    yield from _streams(LPDDR5)
    yield from _refreshes(LPDDR5, 2)
    yield _bank_refreshes(LPDDR5, 8)


ORACLES = (lpddr5,)
