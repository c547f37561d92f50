# SPDX-License-Identifier: BSD-3-Clause
"""Execution of points: in this process, on processes of this machine, or on a Dask cluster.

Dask does not authenticate clients: anyone who reaches a scheduler or a worker can run code as its
user (docs/security.md). The web server that Dask starts with each of them is shut down again.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import SpawnContext
from typing import TYPE_CHECKING, Any, Union

from hmsim._core import InputError
from hmsim.common.progress import LOGGER
from hmsim.points.point import Outcome, Point, Simulated, measure
from hmsim.points.store import Line, line_of

if TYPE_CHECKING:
    from distributed import Client

LOOK = 1.0  # seconds between two questions how many workers there are
BATCH = 0.5  # seconds of a batch of points, at least, if a point takes less
RATE = 100.0  # batches per second for which the command has time
SHORT = 10.0  # seconds of all points together that are not worth the start of processes
KILLED = ("KilledWorker", "BrokenProcessPool")  # errors of a batch whose worker died
WORKER = "hmsim worker"  # the name of a process


def dask_setup(server: Any) -> None:
    """Shut the web server of a scheduler or worker; Dask calls this as one of these starts.

    Ctrl-C at a terminal also reaches the processes of workers. They ignore it: the process that
    started them reports what is kept and ends them.
    """
    server.http_server.stop()
    server.services.pop("dashboard", None)
    if multiprocessing.parent_process() is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Spawn(SpawnContext):
    """Starts processes named `WORKER`."""

    def Process(self, **options: Any) -> Any:  # type: ignore[override]
        return super().Process(name=WORKER, **options)


def end_unguarded_worker() -> None:
    """End a worker that still imports the user's script, without a text: its parent has one."""
    process = multiprocessing.current_process()
    if process.name == WORKER and getattr(process, "_inheriting", False):
        sys.exit(1)


class Processes:
    """Processes of this machine, started with the first batch and killed at the block's end.

    Attributes:
        count: of the processes. 1: points run in this process.
    """

    def __init__(self, count: int | None) -> None:
        """Prepare ``count`` processes; None: one per processor."""
        self.count = count or len(os.sched_getaffinity(0))
        self._executor: ProcessPoolExecutor | None = None
        self._groups: set[int] = set()
        self._begun: Any = None  # in shared memory: 1 after a process has imported all that it must
        self._done, self._spent = 0, 0.0  # points that ran in this process, and their seconds

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()

    def workers(self) -> int:
        """Return how many points can run at a time."""
        return self.count

    def submit(self, batch: Sequence[tuple[Point, str]], most: float) -> Any:
        """Return a future of `measure_batch`. Processes of which one died are replaced first.

        Raises InputError if all died as they imported the script.
        """
        for _ in range(2):
            if self._executor is None:
                context = _Spawn()
                self._begun = self._begun or context.RawValue("b", 0)
                self._executor = ProcessPoolExecutor(
                    self.count, context, _begin_worker, (self._begun, LOGGER.level)
                )
            # A process inherits the mask: Ctrl-C does not end it while it imports.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                future = self._executor.submit(measure_batch, batch, most)
                self._groups.update(self._executor._processes)
                return future
            except BrokenProcessPool:
                self._kill()
                if not self._begun.value:
                    script = getattr(sys.modules["__main__"], "__file__", "hmsim")
                    raise InputError(
                        f"{script}: the worker processes ended while they imported this script: "
                        'put its calls below `if __name__ == "__main__":`'
                    ) from None
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        raise BrokenProcessPool("processes die as they start")

    def next(self, running: Iterable[Any]) -> Any:
        """Return one of these futures, which has ended."""
        return wait(running, return_when=FIRST_COMPLETED).done.pop()

    def _kill(self) -> None:
        """Kill the processes, and what they started."""
        for group in self._groups:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        if self._executor is not None:
            for process in [*(self._executor._processes or {}).values()]:
                process.kill()  # one that has no group yet
            self._executor.shutdown()
        self._executor, self._groups = None, set()

    def run_here(self, waiting: deque[Point]) -> Generator[list[Line], None, None]:
        """Run points in this process, from the first on, while processes are not worth a start."""
        travel = _can_travel(waiting)
        while waiting and (self.count == 1 or not travel or self._is_short(waiting)):
            point = waiting.popleft()
            lines, seconds = measure_batch([(point, point.key)], 0)
            self._done, self._spent = self._done + 1, self._spent + seconds
            yield lines

    def _is_short(self, waiting: deque[Point]) -> bool:
        """Whether these points, with those that ran here, take less than `SHORT` by estimate."""
        known = isinstance(waiting[0].runner, Simulated) and waiting[0].workload.is_short()
        mean = self._spent / max(self._done, 1)
        return self._executor is None and known and self._spent + mean * len(waiting) < SHORT


def _begin_worker(begun: Any, level: int) -> None:
    """Make a process the leader of a group, which ends with the process that started it.

    Ctrl-C at a terminal does not reach the group. ``level`` is that of its messages.
    """
    LOGGER.setLevel(level)
    os.setpgid(0, 0)
    begun.value = 1
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.killpg(0, signal.SIGKILL)


def _can_travel(points: Iterable[Point]) -> bool:
    """Whether other processes can load the points' Python policies and runners.

    They cannot load functions' own classes, nor those of an interactive session.
    """
    try:
        content = pickle.dumps([(each.config.objects, each.runner) for each in points])
    except (AttributeError, TypeError, pickle.PicklingError):
        return False
    return hasattr(sys.modules["__main__"], "__file__") or b"__main__" not in content


class _Dask:
    """Workers of a Dask cluster."""

    def __init__(self, client: Client) -> None:
        from distributed import as_completed

        self._client = client
        self._active = as_completed(raise_errors=False)
        self._count, self._asked = 1, -LOOK

    def workers(self) -> int:
        if time.monotonic() - self._asked >= LOOK:
            self._count = max(1, sum(self._client.nthreads().values()))
            self._asked = time.monotonic()
        return self._count

    def submit(self, batch: Sequence[tuple[Point, str]], most: float) -> Any:
        # Not by the points' keys: a scheduler may remember how another try ended.
        future = self._client.submit(measure_batch, batch, most, pure=False)
        self._active.add(future)
        return future

    def next(self, running: Iterable[Any]) -> Any:
        return next(self._active)


Place = Union["Client", Processes]


def outcomes(
    points: Sequence[Point], jobs: int | None, place: Place | None
) -> Generator[list[Line], None, None]:
    """Yield the outcomes of the points in batches, in the order in which they end.

    A point whose worker dies is tried again, the last two times alone, because another point may
    have killed the worker. Local processes die together.

    Args:
        points: all different.
        jobs: processes of this machine; by default one per processor. 1: in this process.
        place: a client of a cluster, or processes that outlast the call, to use instead.
    """
    waiting = deque(points)
    with contextlib.ExitStack() as stack:
        if place is None:
            place = stack.enter_context(Processes(jobs))
        if isinstance(place, Processes):
            yield from place.run_here(waiting)
            if waiting:
                yield from _on(waiting, place)
        else:
            yield from _on(waiting, _Dask(place))


def measure_batch(batch: Sequence[tuple[Point, str]], most: float) -> tuple[list[Line], float]:
    """Run the first points of a batch, at least one, until ``most`` seconds are over.

    Each point comes with the key that it must have here. Returns outcomes, and seconds of a point.
    """
    start = time.monotonic()
    done: list[Line] = []
    for point, key in batch:
        done.append(line_of(measure(point, key), point.labels()))
        if time.monotonic() - start >= most:
            break
    return done, (time.monotonic() - start) / len(done)


def _on(points: Iterable[Point], place: Processes | _Dask) -> Generator[list[Line], None, None]:
    suspects: list[Point] = list(points)
    # At first one batch waits at each worker, so that none is idle in between.
    for each, is_last in ((2, False), (1, False), (0, False), (0, True)):
        dead: list[Point] = []
        for lines, batch in _once(suspects, place, each):
            if lines is not None:
                yield lines
            elif not is_last:
                dead += batch
            else:
                text = "the process that ran this point was killed more than once"
                yield [_failure(point, text) for point in batch]
        suspects = dead


def _once(
    points: Sequence[Point], place: Processes | _Dask, each: int
) -> Generator[tuple[list[Line] | None, list[Point]], None, None]:
    """Yield batches of points with the outcomes of one attempt, or with None to try again.

    A batch takes `BATCH` seconds if its points take as long as the last ones, and at most half of a
    worker's share of the waiting points, so that no worker is idle at the end.

    ``each``: batches assigned to each worker, running or waiting. 1: of one point; 0: one in total.
    """
    waiting = deque(points)
    running: dict[Any, list[Point]] = {}
    seconds = math.inf  # of a point

    def submit() -> None:
        workers = place.workers()
        most = max(BATCH, workers / RATE)
        while waiting and len(running) < max(1, each * workers):
            size = min(most / seconds, len(waiting) / (2 * workers)) if each > 1 else 1
            batch = [waiting.popleft() for _ in range(max(1, int(size)))]
            running[place.submit([(point, point.key) for point in batch], most)] = batch

    submit()
    while running:
        future = place.next(running)
        batch, lines = running.pop(future), None
        try:
            # Only result() is reliable: a result lost with its worker is recomputed, and that may
            # end with another worker's death although the future was finished before.
            lines, seconds = future.result()
        except Exception as error:
            if len(batch) == 1 and type(error).__name__ not in KILLED:
                lines = [_failure(batch[0], f"{type(error).__name__}: {error}")]
        else:
            waiting.extendleft(batch[: len(lines) - 1 : -1])  # for these, time was too short
        submit()
        yield lines, batch


def _failure(point: Point, text: str) -> Line:
    return line_of(Outcome(point.key, error=text, final=False), point.labels())
