# SPDX-License-Identifier: BSD-3-Clause
"""Does a sweep on a real Slurm give the same result if jobs are requeued and workers killed?"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm import POINTS, finished, run, slurm, sweeping, until, why_not

pytest.importorskip("dask_jobqueue")
pytestmark = [pytest.mark.cluster, pytest.mark.skipif(bool(why_not()), reason=why_not())]

CLUSTER = """\
kind: slurm
workers: 2
options: {cores: 1, processes: 1, memory: 1GB, interface: lo, queue: one, walltime: "00:10:00"}
"""


@pytest.fixture
def conf() -> Iterator[Path]:
    with slurm() as path:
        yield path


def test_a_requeued_job_and_a_killed_worker_change_no_byte(conf: Path) -> None:
    with sweeping(CLUSTER, SLURM_CONF=str(conf)) as sweep:
        until(
            lambda: sweep.poll() is not None or (finished() >= 3 and len(jobs(conf)) == 2),
            "two jobs run points",
        )
        assert sweep.poll() is None, Path("log.sweep").read_text()
        requeued, other = jobs(conf)
        requeue = ["scontrol", "requeue", requeued]
        subprocess.run(requeue, check=True, env={**os.environ, "SLURM_CONF": str(conf)}, timeout=60)
        until(lambda: requeued not in jobs(conf), "the job has gone back to the queue")
        before = finished()
        until(lambda: finished() > before, "the other job goes on")
        worker = worker_of(conf, other)
        assert finished() < POINTS
        os.kill(worker, signal.SIGKILL)


def jobs(conf: Path) -> list[str]:
    """Return the ids of the running jobs, the oldest first."""
    return sorted(run(conf, "squeue", "-h", "-t", "running", "-o", "%i").split(), key=int)


def worker_of(conf: Path, job: str) -> int:
    """Return the id of a job's process that runs points. Dask's nanny has spawned it."""
    rows = run(conf, "scontrol", "listpids", job).splitlines()[1:]
    pids = [int(row.split()[0]) for row in rows]
    found = [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert found, rows
    return found[0]
