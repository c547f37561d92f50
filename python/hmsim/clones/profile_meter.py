# SPDX-License-Identifier: BSD-3-Clause
"""Measurement of the profile of a trace of misses (docs/workloads.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmsim._core import InputError
from hmsim.clones.page_visits import PageVisits
from hmsim.clones.profile import (
    LONG_SWEEP,
    LONGEST_REUSE,
    LONGEST_VISIT,
    MOST_PACES,
    PAGE_LINES,
    PHASES,
    PIECES,
    POWERS,
    RUNS,
    STREAMS,
    SWEEPS,
    VISITS,
    Bins,
    Groups,
    Profile,
    Stream,
)
from hmsim.traces.columns import Columns, Numbers, columns
from hmsim.traces.records import FILL, WRITE_BACK, AnyPath

FINE_INTERVALS = 4096  # of the measurement of phases, before two and two become one
MOST_INTERVALS = 1024  # of that of paces
KINDS = 3  # of visits: jumped, followed, swept


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


class _Intervals:
    """Counts cases in equal intervals of a run whose length is not known beforehand."""

    def __init__(self, cases: int, values: int = 0) -> None:
        self._length = 1  # instructions of an interval
        self._counts = np.zeros((1 + values, MOST_INTERVALS, cases))  # of cases, sums of values

    def add(self, cases: Numbers, times: Numbers, *values: Numbers) -> None:
        if not len(cases):
            return
        while times[-1] >= self._length * MOST_INTERVALS:
            self._length *= 2
            halves = self._counts.reshape(len(self._counts), MOST_INTERVALS // 2, 2, -1).sum(axis=2)
            self._counts = np.concatenate((halves, np.zeros_like(halves)), axis=1)
        at = times // self._length * self._counts.shape[2] + cases
        for row, weights in zip(self._counts, (None, *values)):
            row += np.bincount(at, weights=weights, minlength=row.size).reshape(row.shape)

    def by_pace(self, paces: list[int], instructions: int) -> dict[int, NDArray[np.float64]]:
        """Return counts and sums by pace. An interval has the pace of the phase at its middle."""
        middles = (2 * np.arange(MOST_INTERVALS) + 1) * self._length
        phases = np.minimum(middles * PHASES // (2 * instructions), PHASES - 1)
        pace = np.array(paces)[phases]
        found = {number: self._counts[:, pace == number].sum(axis=1) for number in sorted({*paces})}
        return {number: counts for number, counts in found.items() if counts[0].any()}


class _Gaps(_Intervals):
    """Counts gaps in bins."""

    def __init__(self) -> None:
        super().__init__(len(POWERS), 1)

    def count(self, gaps: Numbers, times: Numbers) -> None:
        self.add(np.searchsorted(np.array(POWERS), gaps, side="right") - 1, times, gaps)

    def groups(self, paces: list[int], instructions: int) -> Groups:
        return {
            pace: {
                low: [float(count / counts.sum()), float(total / count)]
                for low, count, total in zip(POWERS, counts, sums)
                if count
            }
            for pace, (counts, sums) in self.by_pace(paces, instructions).items()
        }


class _Mixes(_Intervals):
    """Counts visits by class and kind."""

    def __init__(self) -> None:
        super().__init__(len(VISITS) * KINDS)

    def count(self, lengths: Numbers, kinds: Numbers, times: Numbers) -> None:
        classes = np.searchsorted(np.array(VISITS), lengths, side="right") - 1
        self.add(classes * KINDS + kinds, times)

    def groups(self, paces: list[int], instructions: int) -> Groups:
        return {
            pace: {
                low: [float(count / counts.sum()) for count in row]
                for low, row in zip(VISITS, counts.reshape(-1, KINDS))
                if row.any()
            }
            for pace, (counts,) in self.by_pace(paces, instructions).items()
        }


class _Meter:
    """Measures one stream, piece by piece. A piece's last visit is measured with the next piece."""

    def __init__(self) -> None:
        self.pages = PageVisits()
        self._line: Numbers = np.zeros(0, dtype=np.int64)
        self._time: Numbers = np.zeros(0, dtype=np.int64)
        self._clock: Numbers = np.zeros(0, dtype=np.int64)
        self._last_line = -2  # which no line follows
        self._last_clock = 0
        self._run = 0
        # For visits that jumped, followed and swept: bins by accesses, and how many visits go from
        # line to line (whole), begin in the first line and end in the last.
        self._kinds = [_Bins(VISITS, 4) for _ in range(KINDS)]
        self._mixes = _Mixes()
        self._at_end = np.zeros((len(SWEEPS), 6))  # visits, as Stream.follow tells them apart
        self._follows = np.zeros((len(SWEEPS), 6))
        self._last_case = 0  # of the visit before
        self._in_row = 0  # visits that have followed one another
        self._inside, self._between = _Gaps(), _Gaps()
        self._reuse, self._runs = _Bins(POWERS), _Bins(RUNS)
        self._edges = {low: _Bins(PIECES) for low in VISITS}
        self._pieces = {low: _Bins(PIECES) for low in VISITS}
        self._skips = _Bins((*(1 - 2 * p for p in POWERS[:1:-1]), *POWERS))
        self.accesses = self._visits = 0

    def add(self, line: Numbers, time: Numbers, clock: Numbers, at_end: bool = False) -> None:
        """Add accesses with their times and the clock that their gaps are measured by."""
        line = np.concatenate((self._line, line))
        time = np.concatenate((self._time, time))
        clock = np.concatenate((self._clock, clock))
        page = line // PAGE_LINES
        starts = np.flatnonzero(np.concatenate(([True], page[1:] != page[:-1])))
        cut = len(line) if at_end or len(line) - starts[-1] > LONGEST_VISIT else int(starts[-1])
        self._line, self._time, self._clock = line[cut:], time[cut:], clock[cut:]
        if cut:
            self._measure(line[:cut], time[:cut], clock[:cut], starts[starts < cut])

    def _measure(self, line: Numbers, time: Numbers, clock: Numbers, starts: Numbers) -> None:
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
        form = np.where(lengths == 1, 0, np.where(whole, 1, 2))
        case = 6 * sweep + 2 * form + (distances != 0)
        before_case = np.concatenate(([self._last_case], case[:-1]))
        self._last_case = int(case[-1])
        for sums, chosen in ((self._at_end, at_end), (self._follows, followed)):
            sums += np.bincount(before_case, weights=chosen, minlength=sums.size).reshape(
                sums.shape
            )
        kinds = np.where(row >= LONG_SWEEP, 2, followed.astype(np.int64))
        for number, bins in enumerate(self._kinds):
            chosen = kinds == number
            bins.add(lengths[chosen], *(value[chosen] for value in (whole, first, last)))
        gaps = np.diff(np.concatenate(([self._last_clock], clock)))
        self._mixes.count(lengths, kinds, time[starts])
        self._inside.count(gaps[~begins], time[~begins])
        since = 0 if self.accesses else 1
        self._between.count(gaps[begins][since:], time[begins][since:])
        self._skips.add((line - before)[~begins & ~next_line])
        self._reuse.add(np.minimum(distances, LONGEST_REUSE - 1))
        heads = np.flatnonzero(begins | ~next_line)
        pieces = np.diff(np.append(heads, len(line)))
        classes = np.searchsorted(np.array(VISITS), np.where(whole, 0, lengths), side="right") - 1
        of_visit = np.repeat(classes, lengths)[heads]
        edges = begins[heads] | np.append(begins[heads][1:], True)
        for number, low in enumerate(VISITS):
            self._edges[low].add(pieces[edges & (of_visit == number)])
            self._pieces[low].add(pieces[~edges & (of_visit == number)])
        self._count_runs(next_line)
        self.accesses += len(line)
        self._visits += len(starts)
        self._last_line, self._last_clock = int(line[-1]), int(clock[-1])

    def _rows(self, followed: NDArray[np.bool_]) -> Numbers:
        """Return for each visit how many visits in a row up to it followed the one before."""
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

    def finish(self, phases: list[int], instructions: int) -> Stream:
        """Return the measured stream, given the accesses in each phase of the run."""
        if len(self._line):
            none = self._line[:0]
            self.add(none, none, none, at_end=True)
        if self._run:
            self._runs.add(np.array([self._run]), weights=np.array([self._run]))
        paces = paces_of(phases)
        return Stream(
            accesses=self.accesses,
            pages=len(self.pages.pages),
            visits=self._visits,
            phases=phases,
            paces=paces,
            jumped=self._kinds[0].shares(),
            followed=self._kinds[1].shares(),
            swept=self._kinds[2].shares(),
            follow={
                start: [float(f / max(e, 1)) for f, e in zip(follows, ends)]
                for start, follows, ends in zip(SWEEPS, self._follows, self._at_end)
                if ends.any()
            },
            kinds=[kind.cases / max(self._visits, 1) for kind in self._kinds],
            mixes=self._mixes.groups(paces, instructions),
            reuse=self._reuse.shares(),
            inside=self._inside.groups(paces, instructions),
            between=self._between.groups(paces, instructions),
            skips=self._skips.shares(),
            edges={low: bins.shares() for low, bins in self._edges.items() if bins.cases},
            pieces={low: bins.shares() for low, bins in self._pieces.items() if bins.cases},
            runs=self._runs.shares(),
        )


def paces_of(phases: list[int]) -> list[int]:
    """Return groups of phases whose accesses differ by a small factor: `MOST_PACES` at most."""
    factor = 1.0
    numbers = [MOST_PACES]
    while numbers[-1] >= MOST_PACES:
        factor *= 1.25
        numbers, least = [0], 0
        order = sorted(range(len(phases)), key=lambda number: phases[number])
        paces = [0] * len(phases)
        for phase in order:
            if least and phases[phase] > factor * least:
                numbers.append(numbers[-1] + 1)
                least = phases[phase]
            least = least or phases[phase]
            paces[phase] = numbers[-1]
    return paces


class _Phases:
    """Counts of accesses in equal intervals, which double in length when the run outgrows them."""

    def __init__(self) -> None:
        self._length = 1024  # instructions of an interval
        self._counts = {name: np.zeros(FINE_INTERVALS) for name in STREAMS}

    def add(self, name: str, time: Numbers) -> None:
        while time[-1] >= self._length * FINE_INTERVALS:
            self._length *= 2
            for key, counts in self._counts.items():
                halves = counts.reshape(-1, 2).sum(axis=1)
                self._counts[key] = np.concatenate((halves, np.zeros(FINE_INTERVALS // 2)))
        at = time // self._length
        self._counts[name] += np.bincount(at, minlength=FINE_INTERVALS)

    def of(self, name: str, instructions: int) -> list[int]:
        """Return counts of PHASES intervals. A count that spans two of them is split by length."""
        sums = np.concatenate(([0], np.cumsum(self._counts[name])))
        ends = np.linspace(0, instructions / self._length, PHASES + 1)
        at = np.interp(ends, np.arange(len(sums)), sums)
        at[-1] = sums[-1]
        return [int(n) for n in np.diff(np.round(at))]


def measure(path: AnyPath, report: Callable[[], None] | None = None) -> Profile:
    """Return the profile of a trace of misses. Raises InputError."""
    return measure_columns(path, columns(path), report)


def measure_columns(
    name: AnyPath, pieces: Iterable[Columns], report: Callable[[], None] | None = None
) -> Profile:
    """Return the profile of columns; ``name`` is for messages."""
    meters = {stream: _Meter() for stream in STREAMS}
    phases = _Phases()
    now = fills = 0
    for piece in pieces:
        now = piece.now
        so_far = fills + np.cumsum(piece.kind == FILL)
        fills = int(so_far[-1]) if len(so_far) else fills
        for stream, (nvdimm, kind) in STREAMS.items():
            chosen = (piece.kind == kind) & (piece.nvdimm == nvdimm)
            if chosen.any():
                clock = so_far if kind == WRITE_BACK else piece.time
                meters[stream].add(piece.line[chosen], piece.time[chosen], clock[chosen])
                phases.add(stream, piece.time[chosen])
        if report:
            report()
    streams = {}
    for stream, meter in meters.items():
        measured = meter.finish(phases.of(stream, max(now, 1)), max(now, 1))
        if measured.accesses:
            streams[stream] = measured
    if not streams:
        raise InputError(f"{os.fspath(name)}: contains no record")
    found = {}
    for memory in ("dram", "nvdimm"):
        lists = [meters[s].pages.pages for s in streams if s.startswith(memory)]
        found[memory] = len(np.unique(np.concatenate(lists))) if lists else 0
    return Profile(max(now, 1), found["dram"], found["nvdimm"], streams)
