# SPDX-License-Identifier: BSD-3-Clause
"""Do sweeps run where a cluster file says?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import hmsim
import pytest
from hmsim.common.paths import shipped
from hmsim.points.clusters import load_cluster
from hooks import workload
from messages import naming
from support import fail, invoke, succeed

pytest.importorskip("dask_jobqueue")
pytestmark = pytest.mark.cluster

# A batch system in a line: the job runs here, at once; its id is its process group.
SBATCH = """\
#!/bin/bash
cp "${@: -1}" job.sh
setsid bash job.sh >job.log 2>&1 </dev/null &
echo "Submitted batch job $!"
echo $! >>jobs
"""
SCANCEL = """\
#!/bin/bash
kill -- "${@/#/-}"
"""


def test_shipped_clusters_load() -> None:
    kinds = {name: load_cluster(name).kind for name in shipped("configs/clusters")}
    assert kinds == {name: name for name in ("local", "pbs", "scheduler", "slurm")}


@pytest.mark.parametrize(("name", "directive"), [("slurm", "#SBATCH -p"), ("pbs", "#PBS -q")])
def test_job_scripts_match_the_file(name: str, directive: str) -> None:
    with load_cluster(name).batch() as cluster:
        script = cluster.job_script()
    assert directive in script and "source ~/hmsim/.venv/bin/activate" in script
    assert "--nworkers 16" in script and "04:00:00" in script


def test_preparing_jobs_keeps_the_handler_of_ctrl_c() -> None:
    code = (
        "import signal; from hmsim.points.clusters import load_cluster\n"
        "with load_cluster('slurm').batch(): pass\n"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_sweep_runs_as_batch_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    workload()
    Path("s.yaml").write_text("grid: {workload: w.yaml}\nseeds: 3\n")
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        Path(name).write_text(text)
        Path(name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{os.getcwd()}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    Path("c.yaml").write_text(
        "kind: slurm\nworkers: 1\n"
        "options: {cores: 1, processes: 1, memory: 2GB, interface: lo, queue: q}\n"
    )
    outcome = invoke("sweep", "s.yaml", "--cluster", "c.yaml", "--out", "batch")
    assert outcome.exit_code == 0 and "3 points" in outcome.stdout, outcome
    assert len(Path("jobs").read_text().split()) >= 1
    reported = r"hmsim: slurm: .* 127\.0\.0\.1:\d+; "
    assert re.match(reported, outcome.stderr.splitlines()[0]), outcome
    succeed("sweep", "s.yaml", "--jobs", "1", "--out", "here")
    assert Path("batch/results.parquet").read_bytes() == Path("here/results.parquet").read_bytes()


def test_a_sweep_runs_on_a_running_scheduler() -> None:
    from distributed import LocalCluster

    workload()
    Path("s.yaml").write_text("grid: {workload: w.yaml}\nseeds: 2\n")
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        Path("c.yaml").write_text(f"kind: scheduler\naddress: {address}\n")
        assert "2 points" in succeed("sweep", "s.yaml", "--cluster", "c.yaml")
    assert (hmsim.load_results("s")["error"] == "").all()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("kind: slrum\nworkers: 1\n", ("c.yaml:1: kind:", "'slrum'", "'slurm'?")),
        ("kind: slurm\n", ("c.yaml:1: workers:", "slurm")),
        ("kind: scheduler\n", ("c.yaml:1: address:", "scheduler")),
        ("kind: local\naddress: x\n", ("c.yaml:2: address:", "local")),
        ("kind: local\nworkers: 0\n", ("c.yaml:2: workers:", "100000")),
        ("kind: local\nworkers: 000000001999999\n", ("c.yaml:2: workers:", "100000")),
        ("kind: local\nworker: 3\n", ("c.yaml:2: worker:", "'workers'?")),
        ("kind: pbs\nworkers: 1\noptions: {quue: x}\n", ("c.yaml:3:", "'queue'?")),
        ("kind: pbs\nworkers: 1\noptions: {job_script_prologue: x}\n", ("c.yaml:3:", "list")),
        ("kind: pbs\nworkers: 1\noptions: 3\n", ("c.yaml:3:", "'name: value'")),
        ("kind: pbs\nworkers: 1\noptions: {walltime: 1}\n", ("memory",)),
        ("kind: scheduler\naddress: 'tcp://127.0.0.1:1'\n", ("tcp://127.0.0.1:1",)),
    ],
)
def test_errors_of_cluster_files_are_reported(
    text: str, parts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hmsim.points.clusters.PATIENCE", 0.1)
    workload()
    Path("s.yaml").write_text("grid: {workload: w.yaml}\n")
    Path("c.yaml").write_text(text)
    assert naming(*parts).search(fail("sweep", "s.yaml", "--cluster", "c.yaml"))
