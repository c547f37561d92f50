# SPDX-License-Identifier: BSD-3-Clause
"""Threads as recorded in a trace with causes (docs/trace-format.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hmsim.traces.escapes import (
    ADD,
    ALARM,
    ALL,
    BIO,
    DELTA_SHIFT,
    ESCAPE,
    FENCE,
    LINE_BITS,
    NAME,
    NUMBER,
    PAGE_BITS,
    RUN,
    THREAD,
    USE,
    VCPU_SHIFT,
    WAKE,
    WRITTEN,
    Words,
    codes,
)

VCPUS = 8
NAME_PARTS = 5  # records that hold a name ...
PART = 3  # ... characters each
BUSIEST = 10  # threads that a summary names
IDLE = 0  # the number of all idle loops
COUNTED = {
    THREAD: "threads",
    WAKE: "wakes",
    ALARM: "alarms",
    BIO: "bios",
    FENCE: "fences",
    USE: "uses",
}


@dataclass
class Thread:
    """A thread and the records that introduce it."""

    number: int
    introduction: int = 0  # its `thread`
    name_parts: list[int] = field(default_factory=list)  # its name so far, or a part of a new one
    instructions: int = 0

    @property
    def name(self) -> str:
        """The thread's name in its kernel."""
        if self.number == IDLE:
            return "(idle)"
        content = b"".join(
            (word >> 16 & 0xFFFFFF).to_bytes(PART, "little") for word in self.name_parts
        )
        return content.rstrip(b"\0").decode(errors="replace")


class Threads:
    """Threads known up to some record of a trace, and the thread that each vCPU runs there."""

    def __init__(self) -> None:
        """Begin at the trace's begin."""
        self._idle = Thread(IDLE)
        self._named = {IDLE: self._idle}
        self.all = [self._idle]
        self.running: list[Thread] = [self._idle] * VCPUS
        self._seen = [False] * VCPUS  # vCPUs whose running thread is known

    def follow(self, word: int) -> None:
        """Process an escape; escapes must be given in the order of the records."""
        code, number, vcpu = word >> DELTA_SHIFT, word & NUMBER, word >> VCPU_SHIFT & 7
        if code == THREAD:
            self._named[number] = Thread(number, word)
            self.all.append(self._named[number])
        elif code == NAME:
            thread = self._of(number)
            if len(thread.name_parts) == NAME_PARTS:
                thread.name_parts.clear()
            thread.name_parts.append(word)
        elif code == RUN:
            self.running[vcpu] = self._of(number)
            self._seen[vcpu] = True

    def _of(self, number: int) -> Thread:
        if number not in self._named:
            self._named[number] = Thread(number)
            self.all.append(self._named[number])
        return self._named[number]

    def beginning(self) -> list[int]:
        """Return the records that make a stretch begin here."""
        words = []
        for thread in self._named.values():
            words += [thread.introduction, *thread.name_parts] if thread.introduction else []
        for vcpu, thread in enumerate(self.running):
            if self._seen[vcpu]:
                head = ESCAPE << LINE_BITS | vcpu << VCPU_SHIFT | RUN << DELTA_SHIFT
                words.append(head | thread.number)
        return words


MOST_IN_RUN = 1 << LINE_BITS - PAGE_BITS  # pages that one `written` names


class LastWritten:
    """Pages of the NVDIMM in the order in which they were last written."""

    def __init__(self) -> None:
        """Begin with none."""
        self._pages: dict[int, None] = {}  # the oldest first

    def follow(self, word: int) -> None:
        """Process a record `written`."""
        first, more = word & (1 << PAGE_BITS) - 1, (word & ALL) >> PAGE_BITS
        for page in range(first, first + more + 1):
            self.write(page)

    def write(self, page: int) -> None:
        """Mark a page as written last."""
        self._pages.pop(page, None)
        self._pages[page] = None

    def words(self) -> list[int]:
        """Return the records that name the pages; pages that no record can name are omitted."""
        runs: list[list[int]] = []  # first page, pages
        for page in self._pages:
            if page >> PAGE_BITS:
                continue
            if runs and page == sum(runs[-1]) and runs[-1][1] < MOST_IN_RUN:
                runs[-1][1] += 1
            else:
                runs.append([page, 1])
        head = ESCAPE << LINE_BITS | WRITTEN << DELTA_SHIFT
        return [head | first | length - 1 << PAGE_BITS for first, length in runs]


def summarise(pieces: Iterable[bytes]) -> dict[str, Any]:
    """Return a summary of the causes in a trace's records.

    It holds the numbers of ``threads``, ``wakes``, ``alarms``, ``bios``, ``fences`` and ``uses``;
    ``written_before``, the number of pages written before its first record; and for the
    ``busiest`` threads ``thread`` (its number), ``name`` and ``instructions``, most first.
    """
    counts = dict.fromkeys(COUNTED.values(), 0)
    threads = Threads()
    written = 0
    for piece in pieces:
        words = np.frombuffer(piece, dtype="<u8")
        at, found = codes(words)
        for code, name in COUNTED.items():
            counts[name] += int((found == code).sum())
        runs = words[at[found == WRITTEN]] & np.uint64(ALL)
        written += len(runs) + int((runs >> np.uint64(PAGE_BITS)).sum())
        passed = _instructions(words)
        done = [0] * VCPUS
        for place in at[np.isin(found, (RUN, THREAD, NAME))]:
            word = int(words[place])
            vcpu = word >> VCPU_SHIFT & 7
            now = int(passed[vcpu][place])
            threads.running[vcpu].instructions += now - done[vcpu]
            done[vcpu] = now
            threads.follow(word)
        for vcpu, row in enumerate(passed):
            threads.running[vcpu].instructions += int(row[-1]) - done[vcpu]
    busiest = sorted(threads.all, key=lambda thread: -thread.instructions)[:BUSIEST]
    rows = [
        {"thread": each.number, "name": each.name, "instructions": each.instructions}
        for each in busiest
        if each.instructions
    ]
    return {**counts, "written_before": written, "busiest": rows}


def _instructions(words: Words) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Return for each vCPU the instructions that it has executed up to each record."""
    low = (words & np.uint64(ALL)).astype(np.int64)
    high = (words >> np.uint64(DELTA_SHIFT)).astype(np.int64)
    escape = (words >> np.uint64(LINE_BITS) & np.uint64(3)) == ESCAPE
    steps = np.where(escape, np.where(high == ADD, low, 0), high)
    vcpus = words >> np.uint64(VCPU_SHIFT) & np.uint64(7)
    return [np.cumsum(np.where(vcpus == vcpu, steps, 0)) for vcpu in range(VCPUS)]
