# SPDX-License-Identifier: BSD-3-Clause
"""Profiles: what a trace of misses is like, in a few kilobytes (docs/profiles.md)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmsim._core import InputError
from hmsim.trace_columns import Columns, Numbers, columns
from hmsim.trace_records import FILL, NT_WRITE, WRITE_BACK, AnyPath

VERSION = 1
PHASES = 32
PAGE_LINES = 64
# NVDIMM entries of one queue of 128, mean and share of time with more than 104, under a closed loop
# of block requests and with requests when the trace had them: see analysis/make_profiles.py.
QUEUE = ("closed_entries", "closed_over_104", "timed_entries", "timed_over_104")
STREAMS = {  # of a record: its name, memory and kind
    "dram_fills": (False, FILL),
    "dram_write_backs": (False, WRITE_BACK),
    "dram_non_temporal": (False, NT_WRITE),
    "nvdimm_fills": (True, FILL),
    "nvdimm_write_backs": (True, WRITE_BACK),
    "nvdimm_non_temporal": (True, NT_WRITE),
}
MANY = 1 << 40
# Where classes of visits begin, by accesses.
VISITS = (1, 2, 3, 4, 5, 9, 17, 33, 64, 65, 129)
POWERS = (0, *(1 << k for k in range(41)))  # where other bins begin
SWEEPS = (0, 1, 2, 4, 8, 16, 32, 64)  # where bins of visits in a row begin
LONG_SWEEP = 4
PIECES = (1, 2, 3, 4, 5, 9, 17, 33)  # where bins of pieces begin
LONG_VISIT = 9  # accesses
RUNS = tuple(1 << k for k in range(7))  # where bins of runs begin
LONGEST_REUSE = 1 << 18  # visits; what lies further back counts as if it did not
MOST_INTERVALS = 4096  # of the measurement of phases, before two and two become one
LONGEST_VISIT = 1 << 20  # accesses; a longer one counts as several

Bins = dict[int, list[float]]  # where a bin begins: its share of cases, and their mean


@dataclass
class Stream:
    """What one kind of access to one memory does; shares are of 1.

    Attributes:
        accesses: how many there were.
        pages: distinct ones.
        visits: how often the stream went to a page.
        phases: accesses in each of `PHASES` intervals of as many instructions.
        jumped: visits that a jump began, by accesses: share, mean accesses, share of those that go
            from line to line, of the steps of others the share to the next line, share of those
            that begin in the first line, share of those that end in the last.
        followed: visits that began on the line behind the last visit's last.
        swept: those of them that were at least the `LONG_SWEEP`-th in a row.
        follow: shares of the visits ending in a page's last line that were followed, by how many
            visits in a row had followed one another before (`SWEEPS`): of visits of pages visited
            for the first time, of others.
        kinds: shares of visits that jumped, followed (fewer than `LONG_SWEEP` in a row) and swept.
        reuse: visits by how many visits ago their page was visited last; 0: never.
        inside: gaps in instructions before accesses within a visit.
        between: gaps before accesses that begin a visit.
        skips: steps within a visit but to the next line, in lines.
        pieces: runs of consecutive lines that visits consist of which have `LONG_VISIT` accesses or
            more and do not go from line to line.
        runs: accesses by the lines of the run of consecutive lines that they are part of. A figure:
            twins do not use it.
    """

    accesses: int = 0
    pages: int = 0
    visits: int = 0
    phases: list[int] = field(default_factory=lambda: [0] * PHASES)
    jumped: Bins = field(default_factory=dict)
    followed: Bins = field(default_factory=dict)
    swept: Bins = field(default_factory=dict)
    follow: Bins = field(default_factory=dict)
    kinds: list[float] = field(default_factory=lambda: [1.0, 0.0, 0.0])
    reuse: Bins = field(default_factory=dict)
    inside: Bins = field(default_factory=dict)
    between: Bins = field(default_factory=dict)
    skips: Bins = field(default_factory=dict)
    pieces: Bins = field(default_factory=dict)
    runs: Bins = field(default_factory=dict)


@dataclass
class Profile:
    """The streams of a trace, and its length."""

    instructions: int
    dram_pages: int  # distinct ones, of all streams together
    nvdimm_pages: int
    streams: dict[str, Stream]
    description: str = ""
    calibrated: str = ""  # to what; "" to nothing
    queue: dict[str, float] = field(default_factory=dict)  # of QUEUE, if it was simulated

    def rate(self, *names: str) -> float:
        """Return accesses per thousand instructions of some streams."""
        return sum(1000 * self.streams[n].accesses for n in names if n in self.streams) / max(
            self.instructions, 1
        )

    def figures(self) -> dict[str, float]:
        """Return what people compare: rates, ratios, locality."""
        reads = self.rate("dram_fills", "nvdimm_fills")
        nvdimm = [name for name in STREAMS if name.startswith("nvdimm")]
        writes = self.rate(*STREAMS) - reads
        result = {
            "rpki": reads,
            "wpki": writes,
            "read_ratio": reads / max(reads + writes, 1e-12),
            "nvdimm_rpki": self.rate("nvdimm_fills"),
            "nvdimm_wpki": self.rate("nvdimm_write_backs", "nvdimm_non_temporal"),
            "nvdimm_share": self.rate(*nvdimm) / max(reads + writes, 1e-12),
            "dram_footprint_mib": self.dram_pages / 256,
            "nvdimm_footprint_mib": self.nvdimm_pages / 256,
        }
        for memory in ("dram", "nvdimm"):
            streams = [s for name, s in self.streams.items() if name.startswith(memory)]
            visits = sum(stream.visits for stream in streams)
            if visits:
                accesses = sum(stream.accesses for stream in streams)
                result[f"{memory}_accesses_per_visit"] = accesses / visits
        return result


class _Bins:
    """Counts cases in bins, of several numbers at once."""

    def __init__(self, starts: tuple[int, ...], values: int = 1) -> None:
        self._starts = np.array(starts, dtype=np.int64)
        self._counts = np.zeros(len(starts))
        self._sums = np.zeros((values, len(starts)))

    def add(self, numbers: Numbers, *values: NDArray[Any], weights: Numbers | None = None) -> None:
        at = np.searchsorted(self._starts, numbers, side="right") - 1
        size = len(self._starts)
        self._counts += np.bincount(at, weights=weights, minlength=size)
        for row, value in enumerate((numbers, *values)):
            self._sums[row] += np.bincount(at, weights=value, minlength=size)

    @property
    def cases(self) -> float:
        return float(self._counts.sum())

    def shares(self) -> Bins:
        total = max(self._counts.sum(), 1)
        return {
            int(self._starts[i]): [
                float(count / total),
                *(float(total_of[i] / count) for total_of in self._sums),
            ]
            for i, count in enumerate(self._counts)
            if count
        }


class _Visits(_Bins):
    """Visits by their lengths, and how they go."""

    def __init__(self) -> None:
        super().__init__(VISITS, 6)  # accesses, whole, steps, nexts of broken ones, first, last

    def shares(self) -> Bins:
        return {
            start: [share, mean, whole, nexts / steps if steps else 0.0, first, last]
            for start, (share, mean, whole, steps, nexts, first, last) in super().shares().items()
        }


class _Pages:
    """When each page was visited last."""

    def __init__(self) -> None:
        self.pages: Numbers = np.zeros(0, dtype=np.int64)
        self._last: Numbers = np.zeros(0, dtype=np.int64)

    def distances(self, pages: Numbers, first: int) -> Numbers:
        """Return of visits, numbered from ``first``, how long ago their pages' last was; 0: new."""
        numbers = first + np.arange(len(pages))
        order = np.argsort(pages, kind="stable")
        in_order = pages[order]
        again = np.concatenate(([False], in_order[1:] == in_order[:-1]))
        before = np.empty(len(pages), dtype=np.int64)
        before[order[1:]] = numbers[order[:-1]]
        starts = ~again
        own = in_order[starts]
        at = np.searchsorted(self.pages, own)
        known = at < len(self.pages)
        known[known] = self.pages[at[known]] == own[known]
        last = np.full(len(own), -1, dtype=np.int64)
        last[known] = self._last[at[known]]
        before[order[starts]] = last
        ends = np.concatenate((starts[1:], [True]))
        self._merge(own, numbers[order[ends]])
        return np.where(before < 0, 0, numbers - before)

    def _merge(self, pages: Numbers, last: Numbers) -> None:
        everything = np.concatenate((pages, self.pages))
        self.pages, where = np.unique(everything, return_index=True)
        self._last = np.concatenate((last, self._last))[where]


class _Meter:
    """Measures one stream, piece by piece; the visit that a piece ends in waits for the next."""

    def __init__(self) -> None:
        self.pages = _Pages()
        self._line: Numbers = np.zeros(0, dtype=np.int64)
        self._time: Numbers = np.zeros(0, dtype=np.int64)
        self._last_line = -2  # which no line follows
        self._last_time = 0
        self._run = 0
        self._kinds = [_Visits(), _Visits(), _Visits()]  # jumped, followed, swept
        self._at_end = np.zeros((len(SWEEPS), 2))  # visits, as Stream.follow tells them apart
        self._follows = np.zeros((len(SWEEPS), 2))
        self._last_case = 0  # of the visit before
        self._in_row = 0  # visits that have followed one another
        self._inside, self._between = _Bins(POWERS), _Bins(POWERS)
        self._reuse, self._runs = _Bins(POWERS), _Bins(RUNS)
        self._pieces = _Bins(PIECES)
        self._skips = _Bins((*(1 - 2 * p for p in POWERS[:1:-1]), *POWERS))
        self.accesses = self._visits = 0

    def add(self, line: Numbers, time: Numbers, at_end: bool = False) -> None:
        line = np.concatenate((self._line, line))
        time = np.concatenate((self._time, time))
        page = line // PAGE_LINES
        starts = np.flatnonzero(np.concatenate(([True], page[1:] != page[:-1])))
        cut = len(line) if at_end or len(line) - starts[-1] > LONGEST_VISIT else int(starts[-1])
        self._line, self._time = line[cut:], time[cut:]
        if cut:
            self._measure(line[:cut], time[:cut], starts[starts < cut])

    def _measure(self, line: Numbers, time: Numbers, starts: Numbers) -> None:
        lengths = np.diff(np.append(starts, len(line)))
        before = np.concatenate(([self._last_line], line[:-1]))
        next_line = line == before + 1
        begins = np.zeros(len(line), dtype=np.bool_)
        begins[starts] = True
        nexts = np.add.reduceat((next_line & ~begins).astype(np.int64), starts)
        whole = nexts == lengths - 1
        followed = next_line[starts]
        first = line[starts] % PAGE_LINES == 0
        at_end = before[starts] % PAGE_LINES == PAGE_LINES - 1
        last = line[np.append(starts[1:], len(line)) - 1] % PAGE_LINES == PAGE_LINES - 1
        distances = self.pages.distances(line[starts] // PAGE_LINES, self._visits)
        row = self._rows(followed)
        sweep = np.searchsorted(np.array(SWEEPS), row, side="right") - 1
        case = 2 * sweep + (distances != 0)
        before_case = np.concatenate(([self._last_case], case[:-1]))
        self._last_case = int(case[-1])
        for sums, chosen in ((self._at_end, at_end), (self._follows, followed)):
            sums += np.bincount(before_case, weights=chosen, minlength=sums.size).reshape(
                sums.shape
            )
        broken_steps = np.where(whole, 0, lengths - 1)
        broken_nexts = np.where(whole, 0, nexts)
        kinds = np.where(row >= LONG_SWEEP, 2, followed.astype(np.int64))
        for number, bins in enumerate(self._kinds):
            chosen = kinds == number
            values = (whole, broken_steps, broken_nexts, first, last)
            bins.add(lengths[chosen], *(value[chosen] for value in values))
        gaps = np.diff(np.concatenate(([self._last_time], time)))
        self._inside.add(gaps[~begins])
        self._between.add(gaps[begins][0 if self.accesses else 1 :])
        self._skips.add((line - before)[~begins & ~next_line])
        self._reuse.add(np.minimum(distances, LONGEST_REUSE - 1))
        broken = np.repeat(~whole & (lengths >= LONG_VISIT), lengths)
        heads = np.flatnonzero(begins | ~next_line)
        self._pieces.add(np.diff(np.append(heads, len(line)))[broken[heads]])
        self._count_runs(next_line)
        self.accesses += len(line)
        self._visits += len(starts)
        self._last_line, self._last_time = int(line[-1]), int(time[-1])

    def _rows(self, followed: NDArray[np.bool_]) -> Numbers:
        """Return of each visit how many before it followed one another up to it."""
        number = np.arange(len(followed))
        last_jump = np.maximum.accumulate(np.where(followed, -1, number))
        row = np.where(last_jump < 0, self._in_row + number + 1, number - last_jump)
        self._in_row = int(row[-1])
        return row

    def _count_runs(self, next_line: NDArray[np.bool_]) -> None:
        ends = np.flatnonzero(~next_line)  # where a run begins, so another one ended
        if not len(ends):
            self._run += len(next_line)
            return
        lengths = np.concatenate(([self._run + int(ends[0])], np.diff(ends)))
        lengths = lengths[lengths > 0]
        self._runs.add(lengths, weights=lengths)
        self._run = len(next_line) - int(ends[-1])

    def finish(self) -> Stream:
        if len(self._line):
            self.add(self._line[:0], self._time[:0], at_end=True)
        if self._run:
            self._runs.add(np.array([self._run]), weights=np.array([self._run]))
        return Stream(
            accesses=self.accesses,
            pages=len(self.pages.pages),
            visits=self._visits,
            jumped=self._kinds[0].shares(),
            followed=self._kinds[1].shares(),
            swept=self._kinds[2].shares(),
            follow={
                start: [float(f / max(e, 1)) for f, e in zip(follows, ends)]
                for start, follows, ends in zip(SWEEPS, self._follows, self._at_end)
                if ends.any()
            },
            kinds=[kind.cases / max(self._visits, 1) for kind in self._kinds],
            reuse=self._reuse.shares(),
            inside=self._inside.shares(),
            between=self._between.shares(),
            skips=self._skips.shares(),
            pieces=self._pieces.shares(),
            runs=self._runs.shares(),
        )


class _Phases:
    """Counts accesses in equal intervals, of a run whose length is not known beforehand."""

    def __init__(self) -> None:
        self._length = 1024  # instructions of an interval
        self._counts = {name: np.zeros(MOST_INTERVALS) for name in STREAMS}

    def add(self, name: str, time: Numbers) -> None:
        while time[-1] >= self._length * MOST_INTERVALS:
            self._length *= 2
            for key, counts in self._counts.items():
                halves = counts.reshape(-1, 2).sum(axis=1)
                self._counts[key] = np.concatenate((halves, np.zeros(MOST_INTERVALS // 2)))
        at = time // self._length
        self._counts[name] += np.bincount(at, minlength=MOST_INTERVALS)

    def of(self, name: str, instructions: int) -> list[int]:
        """Return the counts of PHASES intervals; what lies astride two is split by length."""
        sums = np.concatenate(([0], np.cumsum(self._counts[name])))
        ends = np.linspace(0, instructions / self._length, PHASES + 1)
        at = np.interp(ends, np.arange(len(sums)), sums)
        at[-1] = sums[-1]
        return [int(n) for n in np.diff(np.round(at))]


def measure(path: AnyPath, report: Callable[[], None] | None = None) -> Profile:
    """Return the profile of a trace of misses. Raises InputError."""
    return measure_columns(path, columns(path), report)


def measure_columns(
    name: AnyPath, pieces: Any, report: Callable[[], None] | None = None
) -> Profile:
    """Return the profile of columns; ``name`` is for messages."""
    meters = {stream: _Meter() for stream in STREAMS}
    phases = _Phases()
    now = 0
    piece: Columns
    for piece in pieces:
        now = piece.now
        for stream, (nvdimm, kind) in STREAMS.items():
            chosen = (piece.kind == kind) & (piece.nvdimm == nvdimm)
            if chosen.any():
                meters[stream].add(piece.line[chosen], piece.time[chosen])
                phases.add(stream, piece.time[chosen])
        if report:
            report()
    streams = {}
    for stream, meter in meters.items():
        measured = meter.finish()
        if measured.accesses:
            measured.phases = phases.of(stream, max(now, 1))
            streams[stream] = measured
    if not streams:
        raise InputError(f"{os.fspath(name)}: holds no record")

    def pages(memory: str) -> int:
        lists = [meters[s].pages.pages for s in streams if s.startswith(memory)]
        return len(np.unique(np.concatenate(lists))) if lists else 0

    return Profile(max(now, 1), pages("dram"), pages("nvdimm"), streams)
