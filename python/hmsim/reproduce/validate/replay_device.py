# SPDX-License-Identifier: BSD-3-Clause
"""Small independent model of programs and a device, the reference for replayed traces.

A program consists of threads: generators that yield the next thing that they wait for. The device
has servers that take requests in order of arrival. Times are in microseconds. The model shares no
code with hmsim's simulator, so a fault in the simulator cannot also be in the reference.
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
    """Request with its arrival and completion times. Numbers are in order of arrival."""

    number: int
    arrival: float
    done: float | None = None
    wakes: list[Action] = field(default_factory=list)


class World:
    """Threads and a device with ``servers``, in one time; ``factor`` scales service times."""

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
        """Schedule an action at a time."""
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
        """Run ``then`` once all requests in ``ios`` are done."""
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
        """Start a thread, which yields a think time, requests to wait for, a Lock or a Sleep."""

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
    """Sleep of a thread in ``line``, until another thread removes it from there and wakes it.

    ``then`` runs once the thread is in ``line``.
    """

    line: list[Action]
    then: Action = lambda: None


class Lock:
    """Lock that threads get in the order of their calls of acquire()."""

    def __init__(self) -> None:
        self._held = False
        self._line: deque[Action] = deque()

    def acquire(self, world: World, then: Action) -> None:
        """Run ``then`` once the caller has the lock."""
        if self._held:
            self._line.append(then)
        else:
            self._held = True
            world.at(world.now, then)

    def release(self, world: World) -> None:
        """Pass the lock to the next waiting thread, or free it."""
        if self._line:
            world.at(world.now, self._line.popleft())
        else:
            self._held = False
