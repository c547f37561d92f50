# SPDX-License-Identifier: BSD-3-Clause
"""Programs and a device as a small model of their own: what the replay of traces is held against.

A program is threads, written as generators that yield what they want next; the device has servers
that take requests in order of arrival. Time counts in microseconds. Nothing of hmsim's own is used,
so that a fault there cannot hide here.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

Action = Callable[[], Any]


@dataclass
class Io:
    """A request: when it came, and when it was done. ``number`` counts in order of arrival."""

    number: int
    arrival: float
    done: float | None = None
    wakes: list[Action] = field(default_factory=list)


class World:
    """Time, threads and a device of ``servers`` whose requests take ``factor`` times as long."""

    def __init__(self, factor: float = 1, seed: int = 1, servers: int = 8) -> None:
        self.now = 0.0
        self.requests: list[Io] = []
        self._factor = factor
        self._seed = seed
        self._idle = servers
        self._line: deque[Io] = deque()
        self._events: list[tuple[float, int, Action]] = []
        self._order = 0

    def at(self, time: float, action: Action) -> None:
        """Do something at a time."""
        self._order += 1
        heapq.heappush(self._events, (time, self._order, action))

    def send(self) -> Io:
        """Send a request now."""
        io = Io(len(self.requests), self.now)
        self.requests.append(io)
        self._line.append(io)
        self._serve()
        return io

    def _serve(self) -> None:
        while self._idle and self._line:
            io = self._line.popleft()
            self._idle -= 1
            drawn = random.Random(f"{self._seed} {io.number}").uniform(0.5, 1.5)
            self.at(self.now + 100 * self._factor * drawn, partial(self._end, io))

    def _end(self, io: Io) -> None:
        io.done = self.now
        self._idle += 1
        self._serve()
        for wake in io.wakes:
            wake()

    def wait(self, ios: Iterable[Io], then: Action) -> None:
        """Go on once all are done."""
        left = [io for io in ios if io.done is None]
        if not left:
            self.at(self.now, then)
            return
        count = len(left)

        def one_done() -> None:
            nonlocal count
            count -= 1
            if count == 0:
                then()

        for io in left:
            io.wakes.append(one_done)

    def start(self, thread: Iterator[Any]) -> None:
        """Start a thread; it yields a time to think, requests to wait for, a Lock or a Sleep."""

        def go_on() -> None:
            try:
                wanted = next(thread)
            except StopIteration:
                return
            if isinstance(wanted, (int, float)):
                self.at(self.now + wanted, go_on)
            elif isinstance(wanted, Lock):
                wanted.acquire(self, go_on)
            elif isinstance(wanted, Sleep):
                wanted.line.append(go_on)
                wanted.then()
            else:
                self.wait(wanted, go_on)

        self.at(self.now, go_on)

    def run(self) -> list[Io]:
        """Run to the end; return all requests."""
        while self._events:
            self.now, _, action = heapq.heappop(self._events)
            action()
        return self.requests


@dataclass
class Sleep:
    """Sleep of a thread: another thread takes the sleeper off ``line`` and wakes it.

    ``then`` runs once the sleeper is in ``line``.
    """

    line: list[Action]
    then: Action = lambda: None


class Lock:
    """A lock that is given in the order in which it is asked for."""

    def __init__(self) -> None:
        self._held = False
        self._line: deque[Action] = deque()

    def acquire(self, world: World, then: Action) -> None:
        """Go on once the lock is free."""
        if self._held:
            self._line.append(then)
        else:
            self._held = True
            world.at(world.now, then)

    def release(self, world: World) -> None:
        """Give the lock to the next one."""
        if self._line:
            world.at(world.now, self._line.popleft())
        else:
            self._held = False
