# SPDX-License-Identifier: BSD-3-Clause
"""Does a sweep run on a manually started Dask scheduler and workers, even if some of them end?"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm import POINTS, finished, python_environment, sweeping, until

pytest.importorskip("distributed")
pytestmark = pytest.mark.cluster

ADDRESS = "scheduler.json"  # file in which the scheduler writes its address


@contextlib.contextmanager
def dask(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Dask command in a separate process group, which is killed at the end of the block."""
    program = Path(sys.executable).with_name("dask")
    with open(f"log.{arguments[0]}", "ab") as log:
        started = subprocess.Popen(
            [program, *arguments],
            env=python_environment(),
            stderr=log,
            stdout=log,
            start_new_session=True,
        )
        try:
            yield started
        finally:
            kill(started)


def kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def worker() -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    alone = ("--nworkers", "1", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")
    return dask("worker", "--scheduler-file", ADDRESS, *alone)


def test_killed_and_added_workers_change_no_byte() -> None:
    own = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--dashboard-address", ":0")
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask("scheduler", "--scheduler-file", ADDRESS, *own))
        until(lambda: Path(ADDRESS).is_file() and b"}" in Path(ADDRESS).read_bytes(), "an address")
        first = stack.enter_context(worker())
        stack.enter_context(worker())
        address = json.loads(Path(ADDRESS).read_text())["address"]
        with sweeping(f"kind: scheduler\naddress: {address}\n") as sweep:
            until(lambda: sweep.poll() is not None or finished() >= 3, "points are run")
            assert sweep.poll() is None, Path("log.sweep").read_text()
            kill(first)
            before = finished()
            assert before < POINTS
            until(lambda: finished() > before, "the other worker goes on")
            stack.enter_context(worker())
