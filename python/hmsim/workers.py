# SPDX-License-Identifier: BSD-3-Clause
"""Where points run: in this process, on processes of this machine, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError
from hmsim.points import Outcome, Point, measure

if TYPE_CHECKING:
    from distributed import Client, Future

# Points that the scheduler holds, per worker: enough that none waits, few enough to hold a lot.
AHEAD = 16
# Tries, with nothing else running, of a point whose worker died: so it is known whose fault it is.
TRIES_ALONE = 2
# A worker's death fails all that it held: the points are tried again by themselves.
LOCAL = {
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.scheduler.allowed-failures": 0,
    "distributed.worker.memory.terminate": False,
}


def outcomes(points: Sequence[Point], jobs: int | None, client: Client | None) -> Iterator[Outcome]:
    """Yield what becomes of each point, in the order in which they end.

    A worker that dies costs its point a second try; a point that cannot be run is not retried.

    Args:
        points: all different.
        jobs: processes of this machine; by default the processors. 1: in this process.
        client: of a cluster to use in place of them.
    """
    processes = min(jobs or len(os.sched_getaffinity(0)), len(points))
    if client is not None:
        yield from _on_cluster(points, client)
    elif processes > 1:
        with local_client(processes) as own:
            yield from _on_cluster(points, own)
    else:
        for point in points:
            yield measure(point, point.key)


@contextlib.contextmanager
def local_client(processes: int) -> Iterator[Client]:
    """Give a client of a cluster of processes of this machine, which ends with the block.

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
        cluster = LocalCluster(
            n_workers=processes,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
        stack.enter_context(cluster)
        yield stack.enter_context(Client(cluster))


def _on_cluster(points: Sequence[Point], client: Client) -> Iterator[Outcome]:
    from distributed import as_completed

    waiting = iter(points)
    running: dict[Any, Point] = {}
    suspects = []
    active = as_completed(raise_errors=False)

    def submit() -> None:
        for point in waiting:
            future = _submit(client, point)
            running[future.key] = point
            active.add(future)
            return

    for _ in range(AHEAD * max(1, len(client.scheduler_info()["workers"]))):
        submit()
    for future in active:
        point = running.pop(future.key)
        submit()
        if _was_killed(future):
            suspects.append(point)
        else:
            yield _outcome(future, point)
    for point in suspects:
        for _ in range(TRIES_ALONE):
            future = _submit(client, point)
            if not _was_killed(future):
                break
        yield _outcome(future, point)


def _submit(client: Client, point: Point) -> Future:
    # Not the point's key: a scheduler may remember how another sweep's try ended.
    return client.submit(measure, point, point.key, pure=False)


def _was_killed(future: Future) -> bool:
    """Wait for its end, and tell whether that was its worker's."""
    from distributed import wait

    wait([future])
    return future.status == "error" and type(future.exception()).__name__ == "KilledWorker"


def _outcome(future: Future, point: Point) -> Outcome:
    if future.status == "finished":
        found: Outcome = future.result()
        return found
    if _was_killed(future):
        text = "the process that ran this point was killed, again and again"
    else:
        error = future.exception() if future.status == "error" else None
        text = f"{type(error).__name__}: {error}" if error else f"the run was {future.status}"
    return Outcome(point.key, error=text, final=False)
