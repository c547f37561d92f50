# SPDX-License-Identifier: BSD-3-Clause
"""Claims on NAS Parallel Benchmarks that page to HASTE (SC 2010): loads in the manner of four.

A load is the program's main loop as passes over its arrays, line by line. Sizes are those of class
D (NPB 3.3). Instructions are estimates: those of the inner loop, or two for each floating-point
operation of the program's published count. The paper has 8 GB of memory; here all sizes are divided
by 8192, so memory is 1 MiB. Eight threads, one for each core of the paper's machine, each have an
eighth of the arrays. Each page is written once before measuring, and one iteration warms up.

HASTE alone is judged, because it has no buffer that would hold the smaller arrays. DGEMM is left
out: with either order of its outer loops, GotoBLAS keeps what it uses again in 8 GB, and the text
has no number for it. BT, SP and UA have none for HASTE either.

The band is a factor of 2, as for the paper's other slowdowns by paging. It was written down before
the run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hmsim.reproduce.validate.row import Row
from hmsim.reproduce.validate.storage_claims import claim
from hmsim.reproduce.validate.storage_paging import ALL, LINE, PAGE, rate_of

CONFIG = "haste_pcm"
THREADS = 8
MEMORY = "1MiB"
START = 100  # instructions to write a page for the first time
PAGES_OF_A_GB = (1 << 20) / PAGE / 8  # 8 GB are 1 MiB
# The paper's machine has six channels of DDR3. Four suffice, as in storage/ddr_dram.
CHANNELS = (("controller.channels", 4),)
FACTOR = 2

# Reasons for missed claims.
ESTIMATED = "instructions of a line are estimates, and the swap path takes 5 us for each page"
LOOP = "recency keeps nothing of a loop 9 % larger than memory; Linux's two lists are not modelled"


class Pass(NamedTuple):
    """Pass over arrays of equal size in step."""

    arrays: str  # a capital letter: written
    instructions: int  # for a line of each


class Program(NamedTuple):
    """Program whose arrays have ``gigabytes`` in all, and its main loop."""

    gigabytes: float
    arrays: str
    passes: tuple[Pass, ...]

    def pages(self) -> int:
        """Return the pages of a thread's share of an array."""
        return round(self.gigabytes * PAGES_OF_A_GB / len(self.arrays) / THREADS)

    def trace(self) -> str:
        """Return a thread: a write to each page, then two iterations."""
        size = self.pages() * PAGE
        everything = range(0, len(self.arrays) * size, PAGE)
        lines = [f"{START - 1} {place} {place}\n" for place in everything]
        for each in 2 * self.passes:
            gap = each.instructions // len(each.arrays) - 1
            starts = [(self.arrays.index(name.lower()), name.isupper()) for name in each.arrays]
            for at in range(0, size, LINE):
                for array, written in starts:
                    place = array * size + at
                    lines.append(f"{gap} {place} {place}\n" if written else f"{gap} {place}\n")
        return "".join(lines)

    def start(self) -> int:
        """Return the instructions before the iterations."""
        return START * len(self.arrays) * self.pages()

    def iteration(self) -> int:
        """Return the instructions of an iteration."""
        step = sum(each.instructions // len(each.arrays) * len(each.arrays) for each in self.passes)
        return self.pages() * (PAGE // LINE) * step


PROGRAMS = {
    # 2^31 keys of 8 bytes and as many sorted into buckets; 4, 8 and 4 instructions a key.
    "IS": Program(34.7, "kb", (Pass("k", 32), Pass("kB", 64), Pass("b", 32))),
    # 1024^3 points of u, v, r; resid, psinv, rprj3, interp: 40, 40, 20, 10 instructions a point.
    "MG": Program(28, "uvr", (Pass("uvR", 320), Pass("rU", 320), Pass("r", 160), Pass("U", 80))),
    # 726 million elements of 12 bytes, 6 instructions each; the rest of 18 GB makes the matrix.
    "CG": Program(8.7, "a", (Pass("a", 32),)),
    # 408^3 points of 5 doubles in u, forcing and rsd, 1,917 operations each: right-hand side, lower
    # sweep, upper sweep, update. A line has 1.6 points.
    "LU": Program(9.4, "ufr", tuple(Pass(arrays, 1534) for arrays in ("ufR", "uR", "uR", "Ur"))),
}


@cache
def slowdown(name: str) -> float:
    """Return by how much a program is slower on 8 GB than on enough memory."""
    program = PROGRAMS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "thread.trace")
        path.write_text(program.trace(), encoding="ascii")
        count, warm = program.iteration(), program.start() + program.iteration()
        agent = {"kind": "llc_trace", "format": "ramulator", "instructions": count}
        agents: list[dict[str, object]] = [{**agent, "path": str(path)} for _ in range(THREADS)]
        enough, little = (
            rate_of(CONFIG, agents, memory, warm, CHANNELS) for memory in (ALL, MEMORY)
        )
        return enough / little


def programs() -> Iterator[Row]:
    """Yield slowdowns of programs that page."""
    for name, stated, why in (
        ("IS", 16, ESTIMATED),
        ("MG", 54, ESTIMATED),
        ("CG", 3, LOOP),
        ("LU", 3, ""),
    ):
        low, high = stated / FACTOR, stated * FACTOR
        source = f"S35: {stated}"
        label = f"{name}, slower on HASTE"
        yield claim(label, low, high, slowdown(name), "x", source, missed=why)


CLAIMS = (programs,)
