# SPDX-License-Identifier: BSD-3-Clause
"""Independent runs on several processors; the simulator releases Python's lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
Report = Callable[[float], None]


def run_all(tasks: Sequence[Callable[[], T]], jobs: int, report: Report) -> list[T]:
    """Run tasks and return their results in order.

    Args:
        tasks: independent of one another.
        jobs: how many run at a time.
        report: called with the share that is done.

    Raises what a task raises, after the tasks that have begun.
    """
    results: list[T] = []
    with ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(lambda task: task(), tasks):
            results.append(result)
            report(len(results) / len(tasks))
    return results
