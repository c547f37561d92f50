# SPDX-License-Identifier: BSD-3-Clause
"""Execution of points: in this process, on processes of this machine, or on a Dask cluster.

Dask does not authenticate clients: anyone who reaches a scheduler or a worker can run code as its
user (docs/security.md). Local schedulers and workers listen on the loopback address only, and the
web server that Dask starts with each of them is shut down again.
"""

from __future__ import annotations

import contextlib
import logging
import math
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError
from hmsim.points.point import Outcome, Point, measure
from hmsim.points.store import Line, line_of

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

LOOK = 1.0  # seconds between two questions how many workers there are
BATCH = 0.5  # seconds of a batch of points, at least, if a point takes less
RATE = 100.0  # batches per second for which the command has time
CLOSING = 10.0  # seconds for the end of a local cluster
LOOPBACK = "127.0.0.1"
LOCAL = {
    "distributed.scheduler.allowed-failures": 0,  # who tries again is decided here
    "distributed.scheduler.http.routes": [],
    "distributed.worker.preload": [__name__],  # its dask_setup
    "distributed.worker.memory.terminate": False,
}
# Scheduler options: no dashboard, and a free port for the web server until dask_setup shuts it.
WITHOUT_WEB = {"dashboard": False, "dashboard_address": f"{LOOPBACK}:0", "preload": [__name__]}


def dask_setup(server: Any) -> None:
    """Shut the web server of a scheduler or worker; Dask calls this as one of these starts.

    Ctrl-C at a terminal also reaches the processes of workers. They ignore it: the process that
    started them reports what is kept and ends them.
    """
    server.http_server.stop()
    server.services.pop("dashboard", None)
    if multiprocessing.parent_process() is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def outcomes(
    points: Sequence[Point], jobs: int | None, client: Client | None
) -> Generator[list[Line], None, None]:
    """Yield the outcomes of the points in batches, in the order in which they end.

    A point whose worker dies is tried again, the last time alone, because another point may have
    killed the worker.

    Args:
        points: all different.
        jobs: processes of this machine; by default one per processor. 1: in this process.
        client: of a cluster to use instead of these processes.
    """
    processes = min(jobs or len(os.sched_getaffinity(0)), len(points))
    if client is not None:
        yield from _on_cluster(points, client)
    elif processes > 1:
        with local_client(processes) as own:
            yield from _on_cluster(points, own, processes)
    else:
        for point in points:
            yield measure_batch([(point, point.key)], 0)[0]


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


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Delay signals that end the command to the end of the block.

    Dask cannot close a half-made cluster.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # where no signal arrives
        return
    came: list[int] = []
    ours = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {
        number: signal.signal(number, lambda n, _: came.append(n))
        for number in ours
        if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


@contextlib.contextmanager
def local_client(processes: int) -> Iterator[Client]:
    """Yield a client of a cluster of local processes. The cluster ends with the block.

    Raises InputError: Dask is not installed.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise InputError(
            "several processes need Dask: pip install 'hmsim[sweep]', or use 1 job"
        ) from error
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(LOCAL))
        with _signals_later():
            cluster = LocalCluster(
                n_workers=processes,
                threads_per_worker=1,
                memory_limit=0,
                host=LOOPBACK,
                scheduler_kwargs=WITHOUT_WEB,
                silence_logs=logging.CRITICAL,
            )
            stack.callback(_close, cluster)
        yield stack.enter_context(Client(cluster))


def _close(cluster: LocalCluster) -> None:
    """Close a cluster, in CLOSING seconds at most.

    If a worker dies while it is restarted, Dask raises AssertionError or waits without end. Worker
    processes are daemons, so they end with this process in any case.
    """
    from distributed import TimeoutError as ClosingTimeout  # before Python 3.11 not the built-in

    with contextlib.suppress(AssertionError, ClosingTimeout):
        cluster.close(timeout=CLOSING)


def _on_cluster(
    points: Sequence[Point], client: Client, workers: int = 1
) -> Generator[list[Line], None, None]:
    suspects: list[Point] = list(points)
    for each in (2, 1, 0):  # at first one waits at each worker, so that none is idle in between
        dead: list[Point] = []
        for lines, batch in _once(suspects, client, workers, each):
            if lines is not None:
                yield lines
            elif each:
                dead += batch
            else:
                text = "the process that ran this point was killed more than once"
                yield [_failure(point, text) for point in batch]
        suspects = dead


def _once(
    points: Sequence[Point], client: Client, workers: int, each: int
) -> Generator[tuple[list[Line] | None, list[Point]], None, None]:
    """Yield batches of points with the outcomes of one attempt, or with None to try again.

    A batch takes `BATCH` seconds if its points take as long as the last ones, and at most half of a
    worker's share of the waiting points, so that no worker is idle at the end.

    Args:
        workers: least number of workers.
        each: batches assigned to each worker, running or waiting. 1: of one point; 0: one in total.
    """
    from distributed import as_completed

    waiting = deque(points)
    running: dict[Any, list[Point]] = {}
    active = as_completed(raise_errors=False)

    processes, asked, seconds = workers, -LOOK, math.inf  # seconds: of a point

    def submit() -> None:
        nonlocal processes, asked
        if time.monotonic() - asked >= LOOK:
            processes = max(workers, sum(client.nthreads().values()))
            asked = time.monotonic()
        most = max(BATCH, processes / RATE)
        while waiting and len(running) < max(1, each * processes):
            size = min(most / seconds, len(waiting) / (2 * processes)) if each > 1 else 1
            batch = [waiting.popleft() for _ in range(max(1, int(size)))]
            # Not the points' keys: a scheduler may remember how another try ended.
            future = client.submit(measure_batch, [(p, p.key) for p in batch], most, pure=False)
            running[future.key] = batch
            active.add(future)

    submit()
    for future in active:
        batch, lines = running.pop(future.key), None
        try:
            # Only result() is reliable: a result lost with its worker is recomputed, and that may
            # end with another worker's death although the future was finished before.
            lines, seconds = future.result()
        except Exception as error:
            if len(batch) == 1 and type(error).__name__ != "KilledWorker":
                lines = [_failure(batch[0], f"{type(error).__name__}: {error}")]
        else:
            waiting.extendleft(batch[: len(lines) - 1 : -1])  # for these, time was too short
        submit()
        yield lines, batch


def _failure(point: Point, text: str) -> Line:
    return line_of(Outcome(point.key, error=text, final=False), point.labels())
