# SPDX-License-Identifier: BSD-3-Clause
"""Requests to any memory of a `hmsim.System`: their futures and receipts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from difflib import get_close_matches
from typing import NamedTuple

from hmsim._core import InputError, Simulation
from hmsim.runs.runner import STEPS

MEMORIES = ("dram", "nvdimm", "storage")  # in the order of SessionTarget (session/session.h)
OPERATIONS = ("read", "write", "flush", "trim")  # in the order of IoRequest::Kind
CAUSES = ("held", "software", "queue", "link", "sense", "transfer", "collection", "device")
LARGEST = (1 << 63) - 1


class Receipt(NamedTuple):
    """What became of a request of `System.submit`; times in picoseconds.

    ``parts`` divides the time from ``submitted`` to ``ended``, to which it adds up, by cause. Where
    a request has several lines or pages, they are those of the last to end:

    - ``held``: until the last request that it follows had ended.
    - ``software``: in the layers of the software path of storage.
    - ``queue``: waits for a queue, a bank, a bus, a refresh, a map, a lock or a context.
    - ``link``: on the link to a device.
    - ``sense``: cells: activation of a DRAM row, flash or its buffer.
    - ``transfer``: on a data bus, or on the links of an HBF channel.
    - ``collection``: blocked by garbage collection.
    - ``device``: in a device that does not measure a request by these causes.
    """

    id: int
    submitted: int
    ended: int
    status: str  #: as `Completion.status`
    parts: dict[str, int]


class Future:
    """A request of `System.submit`, used as a ``concurrent.futures.Future``."""

    def __init__(self, id: int, wait: Callable[[Future], None]) -> None:
        self.id = id  #: numbers submitted requests from 0
        self.receipt: Receipt | None = None  #: once the request has ended
        self._wait = wait
        self._callbacks: list[Callable[[Future], object]] = []

    def done(self) -> bool:
        """Return whether the request has ended."""
        return self.receipt is not None

    def result(self) -> Receipt:
        """Return the receipt; run to the request's end if it has not ended."""
        if self.receipt is None:
            self._wait(self)
        if self.receipt is None:
            raise InputError(f"request {self.id} never ends: no event is left")
        return self.receipt

    def add_done_callback(self, call: Callable[[Future], object]) -> None:
        """Call ``call(future)`` when the request ends, at that time, or now if it has ended.

        It may submit further requests and must not advance time. An exception leaves `advance`.
        """
        if self.done():
            call(self)
        else:
            self._callbacks.append(call)


class Session:
    """The futures of a simulation's requests."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._calling = False
        self._ended: deque[Future] = deque()  # whose callbacks are to be called
        self.futures: dict[int, Future] = {}  # by id, of the requests under way

    def restore(self) -> None:
        """Make futures of the requests under way, after the simulation was loaded."""
        self.futures = {id: Future(id, self.wait) for id in self._simulation.submitted()}

    def submit(
        self,
        memory: str,
        address: int,
        size: int,
        operation: str,
        after: Iterable[Future | int],
        source: int,
        stream: int,
        at: int | None,
    ) -> Future:
        target = index_of("memory", memory, MEMORIES)
        kind = index_of("operation", operation, OPERATIONS)
        ids = [each.id if isinstance(each, Future) else each for each in after]
        numbers = {"address": address, "size": size, "at": at or 0}
        for name, number in (*numbers.items(), *(("after", each) for each in ids)):
            _check(name, number, LARGEST)
        _check("source", source, 0xFFFF)
        _check("stream", stream, 0xFFFF)
        if at is not None and self._calling and at != self._simulation.now:
            raise InputError("at: must be now, within a callback")
        if at is not None and at > self._simulation.now:
            self.advance(at - 1)
        id = self._simulation.submit(target, kind, address, size, source, stream, ids, at)
        future = self.futures[id] = Future(id, self.wait)
        self._settle()
        return future

    def advance(self, until: int | None, futures: Collection[Future] = ()) -> None:
        """Run to a time (None: to the last event), or until one of the futures ends."""
        self.refuse_within_callbacks("time must not be advanced")
        there = until is not None and until <= self._simulation.now
        while not (there or any(future.done() for future in futures)):
            there = self._simulation.advance(until, STEPS, True)  # an interrupt is seen here
            self._settle()

    def wait(self, future: Future) -> None:
        self.advance(None, [future])

    def refuse_within_callbacks(self, what: str) -> None:
        if self._calling:
            raise InputError(f"{what} within a callback")

    def _settle(self) -> None:
        """Give receipts to their futures and call callbacks, unless one is being called."""
        for id, submitted, ended, status, parts in self._simulation.take_receipts():
            future = self.futures.pop(id)
            future.receipt = Receipt(id, submitted, ended, status, dict(zip(CAUSES, parts)))
            self._ended.append(future)
        while self._ended and not self._calling:
            future = self._ended[0]
            self._calling = True
            try:
                while future._callbacks:
                    future._callbacks.pop(0)(future)
            finally:
                self._calling = False
            self._ended.popleft()


def index_of(what: str, name: str, names: tuple[str, ...]) -> int:
    """Return the place of a name, or raise InputError."""
    if name in names:
        return names.index(name)
    near = get_close_matches(str(name), names, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InputError(f"{what}: must be one of {', '.join(names)}, got {name!r}{hint}")


def _check(what: str, number: int, most: int) -> None:
    if not isinstance(number, int) or not 0 <= number <= most:
        raise InputError(f"{what}: must be in 0 .. {most}, got {number!r}")
