# SPDX-License-Identifier: BSD-3-Clause
"""Follows the threads of a trace with causes (docs/trace-format.md), for `role_meter`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmsim.clones.causes import READS, WITHOUT_PAGES
from hmsim.clones.copy_meter import CopyMeter
from hmsim.clones.profile import PAGE_LINES
from hmsim.traces.columns import Columns, Numbers
from hmsim.traces.escapes import (
    ADD,
    ALARM,
    ALL,
    BIO,
    BIO_END,
    DELTA_SHIFT,
    DISCARD,
    ENDED,
    ESCAPE,
    FENCE,
    FLUSH,
    GOES_ON,
    LINE_BITS,
    NAME,
    NUMBER,
    READ,
    RUN,
    THREAD,
    USE,
    VCPU_SHIFT,
    WAKE,
    WRITE,
    Words,
)
from hmsim.traces.file import VCPUS, TraceFile
from hmsim.traces.records import FILL, NT_WRITE, NVDIMM, AnyPath

NAME_PARTS = 5
NUMBERED = re.compile(r"([-_/:.# ]*[0-9]+)+$")
PAGE_SHIFT = 16


class Wait(NamedTuple):
    """A thread's wait or sleep: it left at `time`, having worked `work`, until `woken`."""

    work: int
    time: int
    waker: Life | None  # None: it slept for so many microseconds
    woken: int
    us: int


class Bio(NamedTuple):
    """A request to the block device."""

    work: int
    time: int
    kind: str
    pages: int
    first: int  # page of the NVDIMM; -1: none was copied
    again: bool  # it was copied before
    number: int  # among the life's


class Use(NamedTuple):
    """A thread's first load from a page that a bio read: `of` that life's `number`-th one."""

    work: int
    time: int
    of: Life
    number: int


@dataclass
class OpenBio:
    """A request that has not ended."""

    word: int
    work: int
    time: int
    clock: int
    times: list[Numbers] = field(default_factory=list)  # of its lines, by the vCPU's clock
    lines: list[Numbers] = field(default_factory=list)
    kinds: list[Numbers] = field(default_factory=list)
    fills: list[Numbers] = field(default_factory=list)  # of DRAM: times
    whole: bool = True  # its thread had its vCPU all the while


@dataclass(eq=False)
class Life:
    """A thread from its first record to its last."""

    number: int
    born: int = 0  # instructions of all vCPUs before it
    kernel: bool = False
    name: str = ""
    parts: int = 0  # of names
    work: int = 0  # instructions outside of bios
    fills: int = 0  # of DRAM, there
    left: int = -1  # since when it waits; -1: it does not
    ended: bool = False
    seen: bool = False  # it ran, or was woken
    bio: OpenBio | None = None
    waits: list[Wait] = field(default_factory=list)
    bios: list[Bio] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    times: list[int] = field(default_factory=list)  # where its work is known ...
    works: list[int] = field(default_factory=list)  # ... and how much it was

    def work_at(self, time: int) -> int:
        """Return its work before some instructions of all vCPUs."""
        return int(np.interp(time, self.times, self.works)) if self.times else 0

    @property
    def role(self) -> str:
        """What it is called, without numbers."""
        name = NUMBERED.sub("", self.name).strip() or self.name.strip() or "unnamed"
        return f"[{name}]" if self.kernel else name


class _Vcpu:
    """What one vCPU does."""

    def __init__(self) -> None:
        self.life: Life | None = None
        self.clock = 0  # instructions up to the last event ...
        self.fills = 0  # ... and fills of DRAM
        self.began = 0  # the stint
        self.place = 0  # of its last event, among the records at hand

    @property
    def bio(self) -> OpenBio | None:
        """The request that its thread copies."""
        return self.life.bio if self.life is not None else None


class CauseMeter:
    """Follows all threads through the records of a trace, piece by piece."""

    def __init__(self) -> None:
        self.lives: list[Life] = []
        self.now = 0  # instructions of all vCPUs
        self.turns: list[int] = []  # stints that ended though their thread went on
        self.reads, self.writes = CopyMeter(), CopyMeter()
        self.written = self.non_temporal = self.pages_written = self.fences = 0
        self._lives: dict[int, Life] = {}
        self._vcpus = [_Vcpu() for _ in range(VCPUS)]
        self._read_by: dict[int, tuple[Life, int]] = {}  # by page of the NVDIMM, unused
        self._copied: set[int] = set()
        self._clocks = np.zeros(VCPUS, dtype=np.int64)
        self._fills = np.zeros(VCPUS, dtype=np.int64)

    def outside(self, path: AnyPath, report: Callable[[], None] | None = None) -> Iterator[Columns]:
        """Follow a whole trace; yield the NVDIMM's lines that no bio copies."""
        for piece in TraceFile(path).records():
            yield self.take(np.frombuffer(piece, dtype="<u8"))
            if report:
                report()
        self.finish()

    def take(self, words: Words) -> Columns:
        """Take records in; return the NVDIMM's lines that no bio copies."""
        kind = (words >> np.uint64(LINE_BITS) & np.uint64(3)).astype(np.int64)
        low = (words & np.uint64(ALL)).astype(np.int64)
        high = (words >> np.uint64(DELTA_SHIFT)).astype(np.int64)
        vcpu = (words >> np.uint64(VCPU_SHIFT) & np.uint64(7)).astype(np.int64)
        escape = kind == ESCAPE
        steps = np.where(escape, np.where(high == ADD, low, 0), high)
        time = self.now + np.cumsum(steps)
        nvdimm = ~escape & (low >= NVDIMM)
        fill = (kind == FILL) & ~nvdimm
        present = np.unique(vcpu)
        clocks = {v: self._clocks[v] + np.cumsum(np.where(vcpu == v, steps, 0)) for v in present}
        fills = {v: self._fills[v] + np.cumsum(fill & (vcpu == v)) for v in present}
        inside = np.zeros(len(words), dtype=np.bool_)
        columns = (kind, low, vcpu, nvdimm)
        for each in self._vcpus:
            each.place = 0
        for place in np.flatnonzero(escape & (high >= RUN)).tolist():
            v = int(vcpu[place])
            each = self._vcpus[v]
            if each.bio is not None:
                self._copy(each, v, place, columns, clocks[v], inside)
            clock = int(clocks[v][place])
            self._work(each, int(time[place]), clock, int(fills[v][place]))
            self._event(each, int(high[place]), int(low[place]), int(time[place]), clock)
            each.place = place
        for v in present:
            if self._vcpus[v].bio is not None:
                self._copy(self._vcpus[v], v, len(words), columns, clocks[v], inside)
        self.now = int(time[-1]) if len(time) else self.now
        for v in present:
            self._clocks[v], self._fills[v] = clocks[v][-1], fills[v][-1]
        chosen = nvdimm & ~inside
        ones = np.ones(int(chosen.sum()), dtype=np.bool_)
        return Columns(time[chosen], low[chosen] - NVDIMM, kind[chosen], ones, self.now)

    @staticmethod
    def _copy(
        each: _Vcpu,
        vcpu: int,
        end: int,
        columns: tuple[Numbers, Numbers, Numbers, NDArray[np.bool_]],
        clock: Numbers,
        inside: NDArray[np.bool_],
    ) -> None:
        """Take a bio's lines up to a record in: those of its direction."""
        bio = each.bio
        assert bio is not None
        part = slice(each.place, end)
        kind, low, of, nvdimm = (column[part] for column in columns)
        chosen = nvdimm & (of == vcpu) & ((kind == FILL) == reads(bio.word))
        bio.fills.append(clock[part][~nvdimm & (of == vcpu) & (kind == FILL)])
        inside[part] |= chosen
        bio.times.append(clock[part][chosen])
        bio.lines.append(low[chosen] - NVDIMM)
        bio.kinds.append(kind[chosen])

    def _life(self, number: int, time: int) -> Life:
        life = self._lives.get(number)
        if life is None:
            life = Life(number, time)
            self._lives[number] = life
            self.lives.append(life)
        return life

    def _work(self, each: _Vcpu, time: int, clock: int, fills: int) -> None:
        """Count what a vCPU has done since its last event."""
        life = each.life
        if life is not None:
            if life.bio is None:
                life.work += clock - each.clock
                life.fills += fills - each.fills
            else:
                copies = self.reads if reads(life.bio.word) else self.writes
                copies.instructions += clock - each.clock
                copies.fills += fills - each.fills
            life.times.append(time)
            life.works.append(life.work)
        each.clock, each.fills = clock, fills

    def _event(self, each: _Vcpu, code: int, word: int, time: int, clock: int) -> None:
        number = word & NUMBER
        life = each.life
        if code == RUN:
            self._run(each, number, word >> PAGE_SHIFT & 3, time, clock)
        elif code == WAKE and (life is None or number != life.number):
            self._wake(self._life(number, time), life, time, 0)
        elif code == ALARM:
            self._wake(self._life(number, time), None, time, word >> PAGE_SHIFT)
        elif code == BIO and life is not None:
            self._end_bio(life, clock)
            life.bio = OpenBio(word, life.work, time, clock)
        elif code == BIO_END and life is not None:
            self._end_bio(life, clock)
        elif code == FENCE and each.bio is not None:
            self.fences += 1
        elif code == USE and life is not None:
            of = self._read_by.pop(word, None)
            if of is not None:
                life.uses.append(Use(life.work, time, *of))
        elif code == THREAD:
            old = self._lives.get(number)
            if old is not None and old.ended:
                del self._lives[number]
            new = self._life(number, time)
            new.kernel = bool(word >> PAGE_SHIFT & 1)
            new.parts = 0
        elif code == NAME:
            self._name(self._life(number, time), word >> PAGE_SHIFT)

    @staticmethod
    def _name(life: Life, letters: int) -> None:
        if life.parts % NAME_PARTS == 0:
            life.name = ""
        text = letters.to_bytes(3, "little").rstrip(b"\0").decode("ascii", errors="replace")
        life.name += "".join(letter if " " <= letter <= "~" else "?" for letter in text)
        life.parts += 1

    def _run(self, each: _Vcpu, number: int, leave: int, time: int, clock: int) -> None:
        life = each.life
        if life is not None:
            if life.bio is not None:
                life.bio.whole = False
            life.left = -1 if leave == GOES_ON else time
            life.ended = leave == ENDED
            if leave == GOES_ON and number:
                self.turns.append(clock - each.began)
        each.life = self._life(number, time) if number else None
        each.began = clock
        if each.life is not None:
            each.life.seen = True
            each.life.left = -1
            each.life.times.append(time)
            each.life.works.append(each.life.work)

    @staticmethod
    def _wake(life: Life, waker: Life | None, time: int, us: int) -> None:
        """A wait ends, as `ThreadSpans` (traces/thread_spans.h) has it."""
        if waker is None:
            if life.left >= 0:
                life.waits.append(Wait(life.work, life.left, None, time, us))
        elif life.left >= 0 or not life.seen:
            since = life.left if life.left >= 0 else life.born
            life.waits.append(Wait(life.work, since, waker, time, 0))
        else:
            life.waits.append(
                Wait(life.work, life.times[-1] if life.times else time, waker, time, 0)
            )
        life.seen, life.left = True, -1

    def _end_bio(self, life: Life, clock: int) -> None:
        bio, life.bio = life.bio, None
        if bio is None:
            return
        none = [np.zeros(0, dtype=np.int64)]
        times, lines, kinds, fills = (
            np.concatenate(none + column) for column in (bio.times, bio.lines, bio.kinds, bio.fills)
        )
        pages, kind = bio.word & NUMBER, kind_of(bio.word)
        first = int(lines[0]) // PAGE_LINES if len(lines) else -1
        touched = np.unique(lines // PAGE_LINES).tolist()
        number = len(life.bios)
        life.bios.append(Bio(bio.work, bio.time, kind, pages, first, first in self._copied, number))
        self._copied.update(touched)
        if kind in WITHOUT_PAGES or not pages:
            return
        if bio.whole:
            copies = self.reads if kind in READS else self.writes
            copies.add(pages, times, lines, fills, bio.clock, clock)
        if kind in READS:
            self._read_by.update(dict.fromkeys(touched, (life, number)))
        else:
            self.pages_written += pages
            self.written += len(lines)
            self.non_temporal += int((kinds == NT_WRITE).sum())

    def finish(self) -> None:
        """Count what lies behind the last events."""
        for v, each in enumerate(self._vcpus):
            clock = int(self._clocks[v])
            self._work(each, self.now, clock, int(self._fills[v]))
            if each.life is not None:
                self._end_bio(each.life, clock)


def reads(word: int) -> bool:
    """Tell whether a `bio` is of a request that copies from the NVDIMM."""
    return word >> PAGE_SHIFT & 7 == READ


def kind_of(word: int) -> str:
    """Return what kind of request a `bio` tells of."""
    operation = word >> PAGE_SHIFT & 7
    flushes, ahead = word >> 22 & 1, word >> 19 & 1
    if operation == FLUSH or (flushes and not word & NUMBER):
        return "flush"
    if operation == DISCARD:
        return "discard"
    if operation == WRITE:
        return "flush_write" if flushes else "write"
    return "read_ahead" if ahead else "read"
