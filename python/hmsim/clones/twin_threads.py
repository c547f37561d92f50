# SPDX-License-Identifier: BSD-3-Clause
"""The threads of a causal twin: what each will do next, drawn from its role (docs/profiles.md)."""

from __future__ import annotations

import enum
import math
import random
from collections import deque
from dataclasses import dataclass

import numpy as np

from hmsim.clones.causes import FOURS, READS, WITHOUT_PAGES, Request, Role, Step
from hmsim.clones.draws import BinDraw, Quota
from hmsim.clones.profile import PHASES, POWERS

NEVER = math.inf
MOST_PAGES_OF_BIO = (1 << 16) - 1
PAGE_LIMIT = 1 << 33  # of the NVDIMM
MOST_KEPT = 1 << 12  # pages that a thread has yet to use, and runs
SHORTEST = 100  # work between two steps
EVEN = 1e-9  # of a thread: what is rounded off


@dataclass
class Wish:
    """A request that a role is to make: so many pages, from some instruction of the twin on."""

    kind: str
    pages: int
    due: float
    depth: int  # pages read and yet to be used, at most, before it


class Pages:
    """Where requests lie: in runs, each behind the last one."""

    def __init__(self, numbers: random.Random) -> None:
        self._numbers = numbers
        self._next = 0
        self._runs: deque[int] = deque(maxlen=MOST_KEPT)  # where they begin

    def run(self, pages: int, again: bool) -> int:
        """Return where a run of so many pages begins, on pages of one before if wanted."""
        pages = max(1, pages)
        if again and self._runs:
            return self._runs[int(self._numbers.random() * len(self._runs))]
        if self._next + pages > PAGE_LIMIT:
            self._next = 0
        first, self._next = self._next, self._next + pages
        self._runs.append(first)
        return first


class Wishes:
    """A role's requests of one kind: how many pages by when."""

    def __init__(
        self,
        kind: str,
        request: Request,
        counts: list[int],
        instructions: int,
        numbers: random.Random,
        intensity: float,
    ) -> None:
        """Take the pages, or requests without any, in each of so many equal parts of the twin."""
        self.kind = kind
        self.after = BinDraw(request.after, FOURS, numbers, 1 / intensity)
        self.uses = BinDraw(request.uses, FOURS, numbers, 1 / intensity)
        self._used = request.used
        self._owed = 0.0
        self._pages = BinDraw(request.sizes, POWERS, numbers)
        shares = [share * mean for share, mean in request.sizes.values()]
        self._mean = max(1.0, sum(shares))
        self._largest = math.ceil(max((mean for _, mean in request.sizes.values()), default=0))
        self._depth = BinDraw(request.depth, POWERS, numbers)
        self._rows = BinDraw(request.rows, POWERS, numbers)
        self._again = Quota([1 - request.again, request.again], numbers)
        self._sums = np.concatenate(([0], np.cumsum(np.array(counts, dtype=np.float64))))
        self._ends = np.linspace(0, instructions, len(counts) + 1)
        self._issued = 0
        self.wish: Wish | None = None
        self.next()

    @property
    def left(self) -> int:
        """Pages, or requests without any, still to come."""
        return int(self._sums[-1]) - self._issued

    @property
    def requests_left(self) -> float:
        """About as many requests as are still to come."""
        return math.ceil(self.left / self._mean)

    def next(self) -> None:
        """Draw the next request."""
        left = self.left
        if left <= 0:
            self.wish = None
            return
        pages = 1
        if self.kind not in WITHOUT_PAGES:
            pages = min(max(1, self._pages.draw()), left, MOST_PAGES_OF_BIO)
        at = self._issued + pages / 2
        due = float(np.interp(at, self._sums, self._ends))
        self.wish = Wish(self.kind, pages, due, self._depth.draw())

    def take(self) -> Wish:
        """Return the request at hand, which is made now."""
        wish = self.wish
        assert wish is not None
        self._issued += wish.pages
        self.next()
        if self.kind in WITHOUT_PAGES:
            wish.pages = 0
        return wish

    def used_of(self, pages: int) -> int:
        """Return how many of the pages read are used."""
        self._owed += pages * self._used
        count = min(int(self._owed + 1e-9), pages)
        self._owed -= count
        return count

    def run(self, pages: Pages) -> tuple[int, int]:
        """Return where a run of requests begins, and how many pages it has."""
        length = max(1, self._rows.draw())
        return pages.run(length + self._largest, self._again.draw() == 1), length


class _Steps:
    """A role's steps of some sort."""

    def __init__(self, steps: dict[str, Step], numbers: random.Random, factor: float) -> None:
        self._names = [name for name in steps if steps[name].cases]
        cases = [float(steps[name].cases) for name in self._names]
        self._quota = Quota(cases, numbers) if cases else None
        self._after = {name: BinDraw(steps[name].after, FOURS, numbers) for name in steps}
        self._length = {name: BinDraw(steps[name].length, FOURS, numbers, factor) for name in steps}

    def draw(self) -> str:
        """Return the next step; "" where there are none."""
        return self._names[self._quota.draw()] if self._quota else ""

    def after(self, name: str) -> int:
        return self._after[name].draw()

    def length(self, name: str) -> int:
        return self._length[name].draw()


class State(enum.Enum):
    """What a thread does: ENDED, it waits for what the profile does not tell."""

    READY, WAITING, SLEEPING, ENDED = range(4)


class Thread:
    """A thread of a role.

    Attributes:
        number: from 1.
        work: so far, in instructions outside of copies.
        turns: work that its turns at the vCPU count as.
        began: its work as this pass of the profile began.
        span: its work by the end of this pass of the profile; a thread that ends does so there.
        ends: whether it does.
        step, step_at: what it will wait for, and at which work.
        put_off: whether it has come to that work, and goes on until somebody can end its step.
        first: whether that is of the role's first waits.
        waker: of one that waits.
        token: counts how often it was woken: what was to wake it before is void.
        duties: work, token and thread of those that it is to wake, a heap.
        read: pages that it has read and has yet to use, and what kind of request read them.
        last: work at its last request or use.
        use_at, request_at: work at its next ones; the latter for `wish`.
        places: of reads and of writes, the next page of its run, and pages left of the run.
    """

    def __init__(self, number: int, role: RoleState) -> None:
        self.number = number
        self.role = role
        self.state = State.READY
        self.work = 0
        self.turns = 0.0
        self.began = 0
        self.span = 0
        self.ends = False
        self.step = ""
        self.step_at = NEVER
        self.first = False
        self.put_off = False
        self.waker: Thread | None = None
        self.token = 0
        self.duties: list[tuple[int, int, int, Thread]] = []
        self.read: deque[tuple[int, Wishes]] = deque(maxlen=MOST_KEPT)
        self.last = 0
        self.use_at = NEVER
        self.request_at = NEVER
        self.wish: Wish | None = None
        self.places = {True: (0, 0), False: (0, 0)}

    def wanted(self, passed: float) -> float:
        """Return the work that it is to have done after a part of this pass of the profile."""
        return self.began + (self.span - self.began) * self.role.share(passed)

    def plan(self, part: float = 1.0) -> None:
        """Draw its next step; ``part`` of the work before it is left."""
        steps = self.role.steps
        self.first, self.put_off, self.step = False, False, steps.draw()
        self.step_at = NEVER
        if self.step:
            self.step_at = self.work + max(SHORTEST, int(part * steps.after(self.step)))


class RoleState:
    """A role in a twin: its threads, and what they draw from."""

    def __init__(
        self,
        name: str,
        role: Role,
        counts: dict[str, list[int]],
        instructions: int,
        stretch: float,
        numbers: random.Random,
        intensity: float,
    ) -> None:
        """Take the pages of each kind of request, by part of the twin; ``stretch`` of the profile's
        instructions are those of one pass."""
        self.name = name
        self.role = role
        self.stretch = stretch
        self.steps = _Steps(role.steps, numbers, 1.0)
        self.begin = _Steps(role.begin, numbers, stretch)
        self.requests = [
            Wishes(kind, request, counts[kind], instructions, numbers, intensity)
            for kind, request in role.requests.items()
        ]
        self.threads: list[Thread] = []
        sums = np.concatenate(([0], np.cumsum(np.array(role.phases, dtype=np.float64))))
        self._sums = sums / max(sums[-1], 1.0)

    def share(self, passed: float) -> float:
        """Return the share of a role's work that is done after a part of a pass of the profile."""
        at = min(max(passed, 0.0), 1.0) * PHASES
        low = min(int(at), PHASES - 1)
        return float(self._sums[low] + (at - low) * (self._sums[low + 1] - self._sums[low]))

    def span(self, place: int) -> int:
        """Return the work of a thread, by its place among the role's, in a pass of the profile."""
        part = self.role.work[place * len(self.role.work) // self.role.threads]
        return max(1, round(part * self.stretch))

    def ends(self, place: int) -> bool:
        """Tell whether a thread ends in each pass: the share that is to do so, evenly among all."""
        return int((place + 1) * self.role.ended + EVEN) > int(place * self.role.ended + EVEN)

    def waits_first(self, place: int) -> bool:
        """Tell whether a thread waits before it runs."""
        cases = sum(step.cases for step in self.role.begin.values())
        return place * min(cases, self.role.threads) // self.role.threads != (
            (place + 1) * min(cases, self.role.threads) // self.role.threads
        )

    def wish(self) -> tuple[Wishes, Wish] | None:
        """Return the request that is due first."""
        due = [(each, each.wish) for each in self.requests if each.wish is not None]
        return min(due, key=lambda pair: pair[1].due) if due else None

    def depth(self) -> int:
        """Return how many pages that were read a thread leaves unused before it reads on."""
        depths = [e.wish.depth for e in self.requests if e.wish is not None and e.kind in READS]
        return min(depths, default=0)
