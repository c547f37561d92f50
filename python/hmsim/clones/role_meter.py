# SPDX-License-Identifier: BSD-3-Clause
"""Measures the causes of a trace: what its threads do, role by role (docs/profiles.md)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from hmsim.clones.cause_meter import Bio, CauseMeter, Life
from hmsim.clones.causes import (
    FOURS,
    MOST_ROLES,
    MOST_THREADS,
    OTHERS,
    PARTS,
    READS,
    SLEEP,
    WITHOUT_PAGES,
    Causes,
    Request,
    Role,
    Step,
    kernel_role,
)
from hmsim.clones.profile import PHASES, POWERS, Bins, Stream

SMALL = 0.005  # of all work, and of all pages copied


class _Slot:
    """Lives of a role, one behind the other: a thread, as twins have it."""

    def __init__(self) -> None:
        self.lives: list[Life] = []

    @property
    def work(self) -> int:
        return sum(life.work for life in self.lives)


def bins_of(numbers: Sequence[float], starts: tuple[int, ...]) -> Bins:
    """Return the shares and means of numbers, by where their bin begins."""
    groups: dict[int, list[float]] = defaultdict(list)
    for number in numbers:
        at = int(np.searchsorted(np.array(starts), number, side="right")) - 1
        groups[starts[max(at, 0)]].append(number)
    return {
        low: [len(group) / len(numbers), math.fsum(group) / len(group)]
        for low, group in sorted(groups.items())
    }


def causes_of(meter: CauseMeter, outside: dict[str, Stream]) -> Causes:
    """Return what a meter that has followed a whole trace found, given the streams outside bios."""
    roles = _roles(meter)
    names = {
        id(life): name for name, slots in roles.items() for slot in slots for life in slot.lives
    }
    return Causes(
        turn=_turn(meter),
        read=meter.reads.result(),
        write=meter.writes.result(),
        non_temporal=meter.non_temporal / max(meter.written, 1),
        fences=meter.fences / max(meter.pages_written, 1),
        outside=outside,
        roles={name: _role(slots, meter.now, names) for name, slots in roles.items()},
    )


def _turn(meter: CauseMeter) -> int:
    turns = np.sort(np.array(meter.turns or [max(meter.now, 1)], dtype=np.int64))
    sums = np.cumsum(turns)
    return max(1, int(turns[np.searchsorted(sums, sums[-1] / 2)]))


def _roles(meter: CauseMeter) -> dict[str, list[_Slot]]:
    """Return the threads of each role; roles that do little are one."""
    lives: dict[str, list[Life]] = defaultdict(list)
    for life in meter.lives:
        if life.seen:
            lives[life.role].append(life)
    work = max(1, sum(life.work for life in meter.lives))
    pages = max(1, sum(bio.pages for life in meter.lives for bio in life.bios))

    def share(name: str) -> float:
        return max(
            sum(life.work for life in lives[name]) / work,
            sum(bio.pages for life in lives[name] for bio in life.bios) / pages,
        )

    large = sorted(lives, key=share, reverse=True)[: MOST_ROLES - 2]
    roles: dict[str, list[Life]] = defaultdict(list)
    for name in sorted(lives, key=share, reverse=True):
        others = kernel_role(OTHERS) if name.startswith("[") else OTHERS
        role = name if name in large and share(name) >= SMALL else others
        roles[role] += lives[name]
    return {name: _slots(each) for name, each in roles.items()}


def _slots(lives: list[Life]) -> list[_Slot]:
    """Return a role's lives in as many rows as were alive at a time."""
    slots: list[_Slot] = []
    for life in sorted(lives, key=lambda each: (each.born, each.number)):
        free = [s for s in slots if s.lives[-1].ended and s.lives[-1].times[-1] <= life.born]
        if not free and len(slots) < MOST_THREADS:
            slots.append(_Slot())
            free = slots[-1:]
        elif not free:
            free = [min(slots, key=lambda slot: slot.lives[-1].times[-1])]
        free[0].lives.append(life)
    return slots


class _Steps:
    """Collects a role's steps, by what ends them."""

    def __init__(self) -> None:
        self._after: dict[str, list[float]] = defaultdict(list)
        self._length: dict[str, list[float]] = defaultdict(list)

    def add(self, name: str, after: float | None, length: float) -> None:
        self._length[name].append(length)
        if after is not None:
            self._after[name].append(after)

    def result(self) -> dict[str, Step]:
        return {
            name: Step(
                len(lengths),
                bins_of(self._after[name], FOURS) if self._after[name] else {},
                bins_of(lengths, FOURS),
            )
            for name, lengths in sorted(self._length.items(), key=lambda pair: -len(pair[1]))
        }


def _role(slots: list[_Slot], now: int, names: dict[int, str]) -> Role:
    lives = [life for slot in slots for life in slot.lives]
    works = sorted(slot.work for slot in slots)
    parts = [float(part.mean()) for part in np.array_split(np.array(works), min(PARTS, len(works)))]
    begin, steps = _Steps(), _Steps()
    for slot in slots:
        _count_steps(slot, begin, steps, names)
    return Role(
        threads=len(slots),
        work=[round(part) for part in parts],
        phases=_phases(lives, now),
        ended=sum(slot.lives[-1].left >= 0 for slot in slots) / len(slots),
        rpki=1000 * sum(life.fills for life in lives) / max(sum(works), 1),
        begin=begin.result(),
        steps=steps.result(),
        requests=_requests(slots, now),
    )


def _phases(lives: list[Life], now: int) -> list[int]:
    ends = np.linspace(0, now, PHASES + 1)
    sums = np.zeros(PHASES + 1)
    for life in lives:
        sums += np.interp(ends, life.times, life.works) if life.times else 0
    shares = 1000 * (sums - sums[0]) / max(sums[-1] - sums[0], 1)
    return [int(share) for share in np.diff(np.round(shares))]


def _count_steps(slot: _Slot, begin: _Steps, steps: _Steps, names: dict[int, str]) -> None:
    """Count a thread's steps. The work behind its last one counts as before its first."""
    done = 0  # by lives before
    left = 0  # when the life before ended
    places: list[int] = []
    found: list[tuple[str, float]] = []
    for life in slot.lives:
        for wait in life.waits:
            first = wait is life.waits[0] and wait.work == 0
            since = left if first else wait.time
            if wait.waker is None:
                name, length = SLEEP, float(wait.us)
            else:
                name = names[id(wait.waker)]
                length = wait.waker.work_at(wait.woken) - wait.waker.work_at(since)
            if first and not done and wait.waker is not None:
                begin.add(name, None, length)
                continue
            places.append(done + wait.work)
            found.append((name, length))
        done += life.work
        left = life.times[-1] if life.times else life.born
    gaps = np.diff(np.array([0, *places]))
    if len(gaps):
        gaps[0] += done - places[-1]
    for (name, length), after in zip(found, gaps.tolist()):
        steps.add(name, after, length)


class _Requests:
    """Collects a role's requests of one kind."""

    def __init__(self) -> None:
        self.bios: list[Bio] = []
        self.after: list[float] = []
        self.uses: list[float] = []
        self.depth: list[float] = []
        self.rows: list[int] = []
        self.again = self.used = 0

    def result(self, kind: str, now: int) -> Request:
        pages = [bio.pages for bio in self.bios]
        amounts = [1] * len(pages) if kind in WITHOUT_PAGES else pages
        phases = [0] * PHASES
        for bio, amount in zip(self.bios, amounts):
            phases[min(bio.time * PHASES // max(now, 1), PHASES - 1)] += amount
        reads = kind in READS
        return Request(
            cases=len(pages),
            phases=phases,
            sizes={} if kind in WITHOUT_PAGES else bins_of(pages, POWERS),
            after=bins_of(self.after, FOURS),
            rows={} if kind in WITHOUT_PAGES else bins_of(self.rows, POWERS),
            again=self.again / max(len(self.rows), 1),
            used=min(1.0, self.used / max(sum(pages), 1)) if reads else 0.0,
            depth=bins_of(self.depth, POWERS) if reads else {},
            uses=bins_of(self.uses, FOURS) if self.uses else {},
        )


def _requests(slots: list[_Slot], now: int) -> dict[str, Request]:
    found: dict[str, _Requests] = defaultdict(_Requests)
    for slot in slots:
        for life in slot.lives:
            if life.bios:
                _count_requests(life, found)
    return {kind: requests.result(kind, now) for kind, requests in sorted(found.items())}


def _count_requests(life: Life, found: dict[str, _Requests]) -> None:
    own = [use for use in life.uses if use.of is life]
    used = Counter(use.number for use in own)  # pages, by the request that read them
    ahead = 0  # pages read so far that are yet to be used
    uses = iter([*own, None])
    use = next(uses)
    last = 0  # work at the request or use before
    ends: dict[bool, int] = {}  # where the last request ended, of reads and of writes
    for bio in life.bios:
        while use is not None and use.time <= bio.time:
            found[life.bios[use.number].kind].uses.append(use.work - last)
            ahead -= 1
            last = use.work
            use = next(uses)
        kind = bio.kind
        each = found[kind]
        each.bios.append(bio)
        each.after.append(bio.work - last)
        last = bio.work
        if kind in WITHOUT_PAGES or bio.first < 0:
            continue
        reads = kind in READS
        if bio.first == ends.get(reads):
            each.rows[-1:] = [each.rows[-1] + bio.pages] if each.rows else [bio.pages]
        else:
            each.rows.append(bio.pages)
            each.again += bio.again
        ends[reads] = bio.first + bio.pages
        if reads:
            each.depth.append(ahead)
            each.used += used[bio.number]
            ahead += used[bio.number]
    while use is not None:
        found[life.bios[use.number].kind].uses.append(use.work - last)
        last = use.work
        use = next(uses)
