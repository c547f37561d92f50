# SPDX-License-Identifier: BSD-3-Clause
"""A system of its own for closed forms, under the protocol checker."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hmsim.runs.system import System

LINE = 64  # bytes
PAGE = 4096
STEP = 1_000_000  # picoseconds between two refills of a queue, when time does not matter
NEXT_ROW = 8 * 4 * 128 * LINE  # of the same bank in validate_ddr3: past banks, ranks and columns


def _base_unit(value: str) -> float:
    """Return volts or amperes."""
    scales = {"uV": 1e-6, "mV": 1e-3, "uA": 1e-6, "mA": 1e-3}
    scale = scales.get(value[-2:])
    return float(value[:-1]) if scale is None else float(value[:-2]) * scale


class Bench:
    """A system, its timing, and requests sent one by one or as fast as its queue takes them."""

    def __init__(self, config: str, **overrides: Any) -> None:
        named = {name.replace("__", "."): value for name, value in overrides.items()}
        self.system = System(config, named, check=True)
        values = self.system.config.resolved()
        prefix = "dram.timing."
        timing = {k[len(prefix) :]: v for k, v in values.items() if k.startswith(prefix)}
        self.cycles = {name: int(value) for name, value in timing.items() if value != "preset"}
        self.period = self.cycles["tCK"]  # ps
        self.ranks = int(values["dram.ranks"])
        prefix = "dram.power."
        power = {k[len(prefix) :]: v for k, v in values.items() if k.startswith(prefix)}
        self.power = {
            name: _base_unit(value) for name, value in power.items() if value[0].isdigit()
        }

    def latency(self, address: int, write: bool = False) -> int:
        """Send a request to the idle system, at a clock edge; return its time in picoseconds."""
        return self._time(lambda: self.system.enqueue(address, write=write))

    def flush_latency(self) -> int:
        """Do the same with a flush."""
        return self._time(self.system.flush)

    def _time(self, send: Callable[[], int | None]) -> int:
        system = self.system
        system.advance(-(-system.now // self.period) * self.period)
        if send() is None:
            raise AssertionError("an idle system refuses a request")
        while not (done := system.completions()):
            system.advance(system.now + STEP)
        return done[0].finish - done[0].arrival

    def stream(self, addresses: Iterable[int], step: int, write: bool = False) -> list[int]:
        """Keep the queue full with requests; return the times when they ended, in order.

        A full queue is asked again every ``step`` picoseconds.
        """
        system = self.system
        ends: list[int] = []
        sent = 0
        for address in addresses:
            while system.enqueue(address, write=write) is None:
                system.advance(system.now + step)
                ends += [completion.finish for completion in system.completions()]
            sent += 1
        while len(ends) < sent:
            system.advance(system.now + STEP)
            ends += [completion.finish for completion in system.completions()]
        return sorted(ends)

    @property
    def nvdimm(self) -> int:
        """Return the NVDIMM's first address: the first one after the DRAM."""
        return self.ranks * 2 * 1024**3
