# SPDX-License-Identifier: BSD-3-Clause
"""Does a sweep on a real Slurm give the same result if jobs are requeued and workers killed?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm import run, slurm, until, why_not
from support import succeed

pytest.importorskip("dask_jobqueue")
pytestmark = [pytest.mark.cluster, pytest.mark.skipif(bool(why_not()), reason=why_not())]

POINTS = 60
WORKLOAD = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, footprint: 16MiB, requests: 60000}
"""
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
    Path("w.yaml").write_text(WORKLOAD)
    Path("c.yaml").write_text(CLUSTER)
    Path("s.yaml").write_text(f"grid: {{workload: w.yaml}}\nseeds: {POINTS}\n")
    program = Path(sys.executable).with_name("hmsim")
    command = [program, "sweep", "s.yaml", "--cluster", "c.yaml"]
    environment = {
        **os.environ,
        "SLURM_CONF": str(conf),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    with open("log", "wb") as log:
        sweep = subprocess.Popen([*command, "--out", "batch"], env=environment, stderr=log)
        try:
            until(
                lambda: sweep.poll() is not None or (finished() >= 3 and len(jobs(conf)) == 2),
                "two jobs run points",
            )
            assert sweep.poll() is None, Path("log").read_text()
            requeued, other = jobs(conf)
            subprocess.run(
                ["scontrol", "requeue", requeued], check=True, env=environment, timeout=60
            )
            until(lambda: requeued not in jobs(conf), "the job has gone back to the queue")
            before = finished()
            until(lambda: finished() > before, "the other job goes on")
            worker = worker_of(conf, other)
            assert finished() < POINTS
            os.kill(worker, signal.SIGKILL)
            assert sweep.wait(timeout=120) == 0, Path("log").read_text()
        finally:
            sweep.kill()
            sweep.wait()
    succeed("sweep", "s.yaml", "--jobs", "1", "--out", "here")
    assert Path("batch/results.parquet").read_bytes() == Path("here/results.parquet").read_bytes()


def finished() -> int:
    return len(list(Path("batch/points").glob("[!.]*.json")))


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
