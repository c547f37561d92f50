# SPDX-License-Identifier: BSD-3-Clause
"""Closed forms of flash pages that hold several pages of 4 KiB: docs/validation-ftl.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from hmsim._core import untimed_amplification
from hmsim.validate.flash_oracles import PAGE, READ, US, FlashBench, Oracle

TOLERANCE = 0.03
BLOCKS = 2048
PAGES = 32  # flash pages in a block
OVER_PROVISIONING = (15, 28)
# Parts of a page of 16 KiB as bits, and the number of stretches in which they lie.
PARTS = ((0b0001, 1), (0b1000, 1), (0b0110, 1), (0b1001, 2), (0b1111, 1))
T_CCS = 500  # ns


def _root(increasing: Callable[[float], float]) -> float:
    """Return the zero of an increasing function between 0 and 8."""
    low, high = 1e-9, 8.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if increasing(middle) > 0 else (middle, high)
    return low


def fifo(parts: int, over_provisioning: float, partial_writes: str) -> float:
    """Return the write amplification of uniform overwrites, blocks collected in order."""
    if partial_writes == "merge":
        return parts * fifo(1, over_provisioning, "combine")
    space = 1 + over_provisioning / 100
    used = space * (1 - (parts - 1) / (2 * parts * PAGES))
    taken = 1 if partial_writes == "combine" else parts  # of a flash page, by a page of the host
    return space / _root(lambda h: h * (taken + 1 / math.expm1(h)) - used)


def random_victim(parts: int, over_provisioning: float, partial_writes: str) -> float:
    """Return the same for victims that are drawn from all full blocks with equal probability."""
    if partial_writes == "merge":
        return parts * random_victim(1, over_provisioning, "combine")
    spare = over_provisioning / (100 + over_provisioning)
    whole = parts * PAGES
    taken = 1 if partial_writes == "combine" else parts
    return taken * whole / (whole * spare - (parts - 1) / 2)


def amplification() -> Iterator[Oracle]:
    """Yield write amplification with flash pages of 8 and 16 KiB, by mode of partial writes."""
    for parts, partial_writes in ((2, "combine"), (4, "combine"), (4, "pad"), (4, "merge")):
        for victim, form in (("fifo", fifo), ("random_victim", random_victim)):
            for spare in OVER_PROVISIONING:
                expected = form(parts, spare, partial_writes)
                got = untimed_amplification(
                    *(victim, [], BLOCKS, PAGES, spare, 2, 1, 1),
                    parts=parts,
                    partial_writes=partial_writes,
                )
                name = f"{4 * parts} KiB, {partial_writes}, {victim}, OP {spare} %"
                tolerance = TOLERANCE * expected
                yield Oracle(name, expected, got, "", tolerance, "docs/validation-ftl.md")


def _count(mask: int) -> int:
    return bin(mask).count("1")


def _out(name: str, mask: int, stretches: int) -> float:
    """Return nanoseconds from the end of tR until the parts in ``mask`` have left the flash.

    ``stretches``: groups of adjacent parts; each further group needs a column change.
    """
    size = PAGE * _count(mask)
    if name == "sdr":  # mode 5
        latch, address = 10 + 7 + 5, 15 - 7 + 2 * (7 + 5)
        return 20 + 20 * size + (stretches - 1) * (2 * latch + address + T_CCS)
    rate, t_cs, cycle, setup = (200, 15, 45, 20) if name == "nv_ddr" else (1200, 20, 25, 30)
    transfer = -(-size * 1_000_000 // rate) / 1000
    return setup + transfer + (stretches - 1) * (t_cs + 4 * cycle + T_CCS)


def transfers() -> Iterator[Oracle]:
    """Yield the bus time of reads of parts of a 16 KiB page."""
    for interface, mode in (("sdr", 5), ("nv_ddr", 5), ("nv_ddr3", 13)):
        bench = FlashBench(interface=interface, mode=mode, page_size="16KiB")
        for mask, stretches in PARTS:
            _done, log = bench.run([(0, "read", 0, 0, 0, mask)])
            out = [
                (end - start) / 1000 for start, end, stage, *_place in log if stage == "data_out"
            ]
            name = f"parts {mask:04b} of a page of 16 KiB, {interface}"
            expected = _out(interface, mask, stretches)
            yield Oracle(name, expected, sum(out), "ns", 0, "docs/validation-ftl.md")
    flat = FlashBench(page_size="16KiB")
    for mask, stretches in PARTS:
        got = flat.run([(0, "read", 0, 0, 0, mask)])[0][0] / 1000
        expected = READ + _count(mask) * PAGE * 5 + (stretches - 1) * 300
        name = f"read of parts {mask:04b} of a page of 16 KiB, flat"
        yield Oracle(name, expected, got, "ns", 0, "tR + parts at 200 MT/s + 300 ns a change")


# Parameters of each device: bus speed in MT/s, bytes of a page and of its spare area, planes, pages
# of a block, means of tR and tPROG in us, tBERS in ms.
DEVICES: dict[str, tuple[int, int, int, int, int, float, float, float]] = {
    "slc_32gb": (200, 8192, 448, 2, 128, 35, 350, 1.5),
    "mlc_64gb": (200, 8192, 448, 2, 256, 75, 1300, 3.8),
    "tlc_512gb": (933, 16384, 2048, 2, 768, 60, 700, 3),
    "qlc_1tb": (1200, 16384, 2048, 2, 1472, 110, 2000, 3),
    "z_nand": (800, 4096, 224, 2, 192, 3, 100, 1.5),
    "xl_flash": (800, 4096, 224, 16, 384, 4, 75, 1.5),
}


def devices() -> Iterator[Oracle]:
    """Yield a LUN's read and program rates on all planes, and its erase time, for each device."""
    for name, (rate, page, spare, planes, pages, t_r, t_prog, t_bers) in DEVICES.items():
        capacity = 1024 * planes * pages * page
        bench = FlashBench(f"{capacity}B", preset=name, channels=1, chips=1)
        mask = (1 << page // PAGE) - 1
        first = rate == 200  # NV-DDR; else NV-DDR3
        t_cs, cycle = (0.015, 0.045) if first else (0.020, 0.025)
        latches, transfer = t_cs + 6 * cycle, (page + spare) / rate
        status = t_cs + cycle + 0.08 + 0.02
        read = latches + 0.12 + (0.02 if first else 0.03) + transfer
        program = latches + (0.4 + 0.015 if first else 0.07 + 0.021) + 0.1 + transfer
        between = (planes - 1) * 0.5  # tDBSY
        for operation, expected in (
            ("read", planes * read + between + t_r),
            ("program", planes * program + between + t_prog + status),
        ):
            # An erase occupies the LUN until all requests have arrived.
            tasks = [(0, "erase", 0, 1, 0, 0)]
            tasks += [(US, operation, 0, 0, number, mask) for number in range(planes * pages)]
            done = bench.run(tasks)[0]
            size = planes * page
            got = size * pages * US / (max(done) - done[0])
            rated = size / expected
            source = "pages of all planes / (commands + cells + transfers)"
            yield Oracle(f"{operation} of {name}", rated, got, "MB/s", 0.002 * rated, source)
        got = done[0] / 1e9
        yield Oracle(f"erase of {name}", t_bers, got, "ms", 0.01 * t_bers, "docs/nvdimm.md")
