# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of a flash array alone with closed forms of its operations, stage by stage.

This file repeats the timing tables, so that a wrong number in the simulator causes a mismatch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hmsim._core import run_flash
from hmsim.config.configuration import load_config

PAGE = 4096  # bytes
US = 1_000_000  # picoseconds
READ, PROGRAM, ERASE = 50_000, 650_000, 2_000_000  # tR, tPROG, tBERS, ns


class Oracle(NamedTuple):
    """Value that a closed form expects, and the value of the flash array."""

    name: str
    expected: float
    got: float
    unit: str
    tolerance: float
    source: str


class Times(NamedTuple):
    """Nanoseconds that one page read, page program and block erase take."""

    read: float
    program: float
    erase: float


def sdr(
    t_rc: int,
    t_wc: int,
    t_cs: int,
    t_ds: int,
    t_dh: int,
    t_wp: int,
    t_rr: int,
    t_whr: int,
    t_rea: int,
) -> Times:
    """Return NANDFlashSim's chains with the values of an ONFI asynchronous timing mode."""
    latch = t_wp + t_ds + t_dh
    status = t_ds + t_whr + t_rea + t_rc

    def address(cycles: int) -> int:
        return t_cs - t_ds + cycles * (t_ds + t_dh)

    return Times(
        latch + address(5) + latch + READ + t_rr + PAGE * t_rc,
        latch + address(5) + PAGE * t_wc + latch + PROGRAM + status,
        latch + address(3) + latch + ERASE + status,
    )


def ddr(rate: int, t_cs: int, cycle: int, t_adl: int, postamble: int, out_setup: int) -> Times:
    """Return MQSim's chains for a source-synchronous bus; ``rate`` in MT/s."""
    t_wb, t_rr, t_whr = 100, 20, 80
    transfer = -(-PAGE * 1_000_000 // rate) / 1000
    status = t_cs + cycle + t_whr + t_rr
    return Times(
        t_cs + 6 * cycle + t_wb + t_rr + READ + out_setup + transfer,
        t_cs + 6 * cycle + t_adl + transfer + postamble + t_wb + PROGRAM + status,
        t_cs + 4 * cycle + t_wb + ERASE + status,
    )


BUSES: tuple[tuple[str, int, Times, str], ...] = (
    ("sdr", 0, sdr(100, 100, 70, 40, 20, 50, 40, 120, 40), "NANDFlashSim; ONFI mode 0"),
    ("sdr", 5, sdr(20, 20, 15, 7, 5, 10, 20, 80, 16), "NANDFlashSim; ONFI mode 5"),
    ("nv_ddr", 5, ddr(200, 15, 45, 400, 15, 20), "MQSim's chain; Linux, mode 5"),
    ("nv_ddr2", 0, ddr(67, 20, 25, 70, 21, 30), "MQSim"),
    ("nv_ddr2", 7, ddr(400, 20, 25, 70, 21, 30), "MQSim"),
)


class FlashBench:
    """A flash array with some ``nvdimm.nand`` keys; commands take no time by default."""

    def __init__(self, capacity: str = "32GiB", **keys: Any) -> None:
        nand = {f"nvdimm.nand.{key}": value for key, value in keys.items()}
        nand["nvdimm.capacity"] = capacity
        config = load_config(
            "mascots16", {"nvdimm.nand.command_time": "0s", **nand}, where="validate"
        )
        self.pairs = list(config.resolved().items())
        self.planes = int(keys.get("planes", 1))

    def run(
        self, tasks: list[tuple[int, str, int, int, int, int]]
    ) -> tuple[list[int], list[tuple[int, int, str, str, int, int, int]]]:
        return run_flash([(name, str(value)) for name, value in self.pairs], tasks)

    def rate(self, operation: str, luns: int, pages: int = 96) -> float:
        """Return the steady rate in MB/s of ``pages`` operations per LUN, all submitted at once.

        The first and the last quarter of the operations are not measured.
        """
        tasks = [(0, operation, lun, 0, page, 0) for page in range(pages) for lun in range(luns)]
        done = sorted(self.run(tasks)[0])
        first, last = len(done) // 4 - 1, 3 * len(done) // 4 - 1
        return (last - first) * PAGE / (done[last] - done[first]) * US


def stages() -> Iterator[Oracle]:
    """Yield times of a page read, page program and block erase on an idle bus of each kind."""
    for interface, mode, times, source in BUSES:
        bench = FlashBench(interface=interface, mode=mode)
        for operation, expected in times._asdict().items():
            got = bench.run([(0, operation, 0, 0, 0, 0)])[0][0] / 1000
            name = f"{operation}, {interface} mode {mode}"
            yield Oracle(name, expected, got, "ns", 0, source)


def slow_pages() -> Iterator[Oracle]:
    """Yield program times of fast and slow pages: docs/nvdimm.md, mean 650 us of 66 + 62 pages."""
    _done, log = FlashBench(preset="mlc").run(
        [(0, "program", 0, 0, page, 0) for page in range(128)]
    )
    cells = [(end - start) / US for start, end, stage, *_place in log if stage == "cells"]
    slow = (128 * 650 - 66 * 250) / 62
    yield Oracle("program of a fast page, mlc", 250, min(cells), "us", 0, "2-bit MLC parts")
    source = "(128 x 650 - 66 x 250) / 62"
    yield Oracle("program of a slow page, mlc", slow, max(cells), "us", 1e-6, source)
    yield Oracle("slow pages of a block, mlc", 62, cells.count(max(cells)), "", 0, "model 2")
    yield Oracle("mean program, mlc", 650, sum(cells) / 128, "us", 1e-6, "the paper, Table III")


Case = tuple[str, str, int, dict[str, Any], Callable[[], float], str]

_TRANSFER = PAGE / 200  # us
_COMMAND = 0.3  # us
LIMITS: tuple[Case, ...] = (
    (
        *("page reads, 8 LUNs", "read", 8, {}),
        *(lambda: 8 * PAGE / (50 + _TRANSFER), "8 LUNs, tR + transfer"),
    ),
    (
        *("page reads, 8 LUNs, cache", "read", 8, {"cache": True}),
        *(lambda: 8 * PAGE / 50, "8 LUNs, tR"),
    ),
    (
        *("page reads, 4 full channels", "read", 32, {"chips": 8}),
        *(lambda: 4 * PAGE / _TRANSFER, "4 channels, transfer"),
    ),
    (
        *("page reads, 4 full SDR channels", "read", 16, {"chips": 4, "interface": "sdr"}),
        *(lambda: 4 * PAGE / (0.112 + 0.02 + PAGE * 0.02), "4 channels, command + transfer"),
    ),
    (
        *("page programs, 8 LUNs", "program", 8, {}),
        *(lambda: 8 * PAGE / (_TRANSFER + 650), "8 LUNs, transfer + tPROG"),
    ),
    (
        *("page programs, 8 LUNs, cache", "program", 8, {"cache": True}),
        *(lambda: 8 * PAGE / 650, "8 LUNs, tPROG"),
    ),
    (
        *("page reads, 2 dies of a chip", "read", 2, {"channels": 1, "chips": 1, "dies": 2}),
        *(lambda: 2 * PAGE / (50 + _TRANSFER), "2 LUNs, tR + transfer"),
    ),
    (
        *("page reads, 4 dies of a chip", "read", 4, {"channels": 1, "chips": 1, "dies": 4}),
        *(lambda: PAGE / _TRANSFER, "one channel, transfer"),
    ),
    (
        "page reads, 2 planes",
        *("read", 1, {"planes": 2, "multi_plane": True, "command_time": "300ns"}),
        *(lambda: 2 * PAGE / (2 * _COMMAND + 0.5 + 50 + 2 * _TRANSFER), "tDBSY + tR + 2 pages"),
    ),
    (
        "page programs, 2 planes",
        *("program", 1, {"planes": 2, "multi_plane": True, "command_time": "300ns"}),
        *(lambda: 2 * PAGE / (2 * _COMMAND + 0.5 + 650 + 2 * _TRANSFER), "tDBSY + tPROG + 2 pages"),
    ),
    (
        "page programs, 2 planes, cache",
        *("program", 1, {"planes": 2, "multi_plane": True, "cache": True}),
        *(lambda: 2 * PAGE / 650, "2 pages in tPROG"),
    ),
)


def limits() -> Iterator[Oracle]:
    """Yield the throughput of saturated arrays (docs/nvdimm.md), also by planes and dies."""
    for name, operation, luns, keys, form, source in LIMITS:
        expected = form()
        got = FlashBench(**keys).rate(operation, luns)
        yield Oracle(name, expected, got, "MB/s", 0.002 * expected, source)
