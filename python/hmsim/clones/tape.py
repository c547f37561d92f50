# SPDX-License-Identifier: BSD-3-Clause
"""Records of a causal twin's threads and requests, and the density of other lines between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hmsim.clones.causes import READS, WITHOUT_PAGES, Causes, Copy
from hmsim.clones.profile import PAGE_LINES
from hmsim.traces.columns import Numbers
from hmsim.traces.escapes import (
    BIO,
    BIO_END,
    DELTA_SHIFT,
    DISCARD,
    ESCAPE,
    FENCE,
    FLUSH,
    LINE_BITS,
    NAME,
    READ,
    RUN,
    THREAD,
    WRITE,
    Words,
)
from hmsim.traces.records import FILL, NT_WRITE, NVDIMM, WRITE_BACK

OPERATIONS = {
    "read": READ,
    "read_ahead": READ | 1 << 3,
    "write": WRITE,
    "flush_write": WRITE | 1 << 6,
    "flush": FLUSH,
    "discard": DISCARD,
}
NAME_PARTS, PART = 5, 3
ROUNDED = 1e-9
PROCESS = 1  # the number of the one that all threads are of


NO_LINES: Numbers = np.zeros(0, dtype=np.int64)


class Part(NamedTuple):
    """A stretch of instructions, to where the next one begins."""

    begin: int
    density: float  # of reads of DRAM
    lines: Numbers  # where they are to come, for those that a request copies; of others none


def _dealt(mean: float, count: int, owed: float) -> tuple[Numbers, float]:
    """Return whole numbers of a mean, and what is owed to it then, when so much was before."""
    sums = owed + mean * np.arange(1, count + 1) + ROUNDED
    whole = np.diff(np.concatenate(([0], sums.astype(np.int64))))
    return whole, max(0.0, float(sums[-1] - int(sums[-1]) - ROUNDED))


class Tape:
    """Records without instructions, each at its time: instructions before it.

    Attributes:
        time: instructions so far.
        running: whether the vCPU was told what to run.
    """

    def __init__(self, causes: Causes) -> None:
        """Take how requests copy."""
        self._causes = causes
        self.time = 0
        self.running = False
        self._times: list[Numbers] = []
        self._words: list[Words] = []
        self._small: list[tuple[int, int]] = []  # not among these yet
        self._parts: list[Part] = [Part(0, 1.0, NO_LINES)]
        self._weight = 1.0
        self._lines = self._fences = self._cold = self._non_temporal = 0.0  # owed

    def escape(self, code: int, content: int = 0) -> None:
        """Write a cause."""
        self.running = self.running or code == RUN
        self._small.append((self.time, code << DELTA_SHIFT | ESCAPE << LINE_BITS | content))

    def weigh(self, density: float) -> None:
        """Let DRAM be read so often from here on: per 1000 instructions."""
        self._weight = density
        self._parts.append(Part(self.time, density, NO_LINES))

    def introduce(self, threads: list[tuple[int, str]]) -> None:
        """Tell of threads: numbers and roles."""
        for number, role in threads:
            kernel = role.startswith("[") and role.endswith("]")
            name = (role[1:-1] if kernel else role).encode("ascii", errors="replace")
            self.escape(THREAD, number | int(kernel) << 16 | PROCESS << 24)
            padded = name[: NAME_PARTS * PART].ljust(NAME_PARTS * PART, b"\0")
            for at in range(0, len(padded), PART):
                letters = int.from_bytes(padded[at : at + PART], "little")
                self.escape(NAME, number | letters << 16)

    def cost(self, reads: bool, requests: float, pages: int) -> float:
        """Return about how many instructions some requests take."""
        copy = self._causes.read if reads else self._causes.write
        page = max(0.0, copy.lines - 1) * copy.line + copy.page
        return requests * (copy.first + copy.last) + pages * page

    def request(self, kind: str, first: int, pages: int) -> None:
        """Write a request for some pages of the NVDIMM, and its copy."""
        reads = kind in READS
        copy = self._causes.read if reads else self._causes.write
        self.escape(BIO, pages | OPERATIONS[kind] << 16)
        if kind not in WITHOUT_PAGES and pages:
            self._copy(copy, reads, first, pages)
        self.escape(BIO_END)

    def _copy(self, copy: Copy, reads: bool, first: int, pages: int) -> None:
        counts, self._lines = _dealt(copy.lines, pages, self._lines)
        counts = np.minimum(counts, PAGE_LINES)
        total = int(counts.sum())
        if total == 0:
            return
        page = np.repeat(np.arange(pages), counts)
        starts = np.cumsum(counts) - counts
        line = np.arange(total) - starts[page]
        gaps = np.where(line == 0, copy.page, copy.line)
        gaps[0] = copy.first
        times = self.time + np.cumsum(gaps).astype(np.int64)
        kind = FILL
        if not reads:
            self._non_temporal += self._causes.non_temporal * total
            kind = NT_WRITE if self._non_temporal >= total / 2 else WRITE_BACK
            self._non_temporal -= total if kind == NT_WRITE else 0
        part = self._reads_of(copy, times, page, pages)
        words = NVDIMM + (first + page) * PAGE_LINES + line | kind << LINE_BITS
        if not reads:
            times, words = self._with_fences(times, words, page, pages)
        self._parts.append(part)
        self._join()
        self._times.append(times)
        self._words.append(words.astype(np.uint64))
        self.time = int(times[-1]) + round(copy.last)
        self._parts.append(Part(self.time, self._weight, NO_LINES))

    def _reads_of(self, copy: Copy, times: Numbers, page: Numbers, pages: int) -> Part:
        """Return how DRAM is read for a copy: with the lines of its cold pages, if it has any."""
        if not copy.cold:
            return Part(self.time, copy.rpki, times - copy.lead)
        cold, self._cold = _dealt(copy.cold, pages, self._cold)
        density = copy.rpki * float(cold.mean()) / copy.cold
        return Part(self.time, density, (times - copy.lead)[cold[page] > 0])

    def _with_fences(
        self, times: Numbers, words: Numbers, page: Numbers, pages: int
    ) -> tuple[Numbers, Numbers]:
        """Return records with a fence behind the last line of as many pages as wanted."""
        fenced, self._fences = _dealt(self._causes.fences, pages, self._fences)
        ends = np.flatnonzero(np.append(np.diff(page) != 0, True))
        ends = ends[fenced[page[ends]] > 0]
        fence = FENCE << DELTA_SHIFT | ESCAPE << LINE_BITS
        return np.insert(times, ends + 1, times[ends]), np.insert(words, ends + 1, fence)

    def _join(self) -> None:
        if self._small:
            times, words = zip(*self._small)
            self._times.append(np.array(times, dtype=np.int64))
            self._words.append(np.array(words, dtype=np.uint64))
            self._small.clear()

    def take(self, until: int) -> tuple[Numbers, Words]:
        """Return times and words of the records before some instruction; they are forgotten."""
        self._join()
        times = np.concatenate([np.zeros(0, dtype=np.int64), *self._times])
        words = np.concatenate([np.zeros(0, dtype=np.uint64), *self._words])
        cut = int(np.searchsorted(times, until))
        self._times, self._words = [times[cut:]], [words[cut:]]
        return times[:cut], words[:cut]

    def parts(self, begin: int, end: int) -> list[Part]:
        """Return the parts between two instructions; what lies before the end is forgotten."""
        inside = [part for part in self._parts if part.begin < end]
        rest = [part for part in self._parts if part.begin >= end]
        self._parts = [inside[-1]._replace(begin=end), *rest]
        ends = [part.begin for part in inside[1:]] + [end]
        found = []
        for part, after in zip(inside, ends):
            first = max(part.begin, begin)
            low, high = np.searchsorted(part.lines, (first, after))
            found.append(Part(first, part.density, part.lines[low:high]))
        return found
