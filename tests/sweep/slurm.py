# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm of one node on the loopback address, which ends with its block."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hmsim.points.store import Store
from support import succeed

POINTS = 60  # of the sweep
WORKLOAD = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, footprint: 16MiB, requests: 60000}
"""
DAEMONS = ("munged", "slurmctld", "slurmd")
CPUS = 2
PATIENCE = 60.0  # seconds until something that must happen counts as failed
LOOK = 0.05  # seconds between two looks at what tells nobody when it changes
SLURM_CONF = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=4000 State=UNKNOWN
PartitionName=one Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def why_not() -> str:
    """Return the reason why Slurm cannot be started here, or "" if it can."""
    if os.geteuid():
        return "only root can start slurmd"
    missing = [name for name in DAEMONS if not shutil.which(name)]
    return f"not installed: {', '.join(missing)} (slurm-wlm, munge)" if missing else ""


def python_environment(**more: str) -> dict[str, str]:
    """Return the environment of a program that imports hmsim."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more}


def finished() -> int:
    """Return the number of points that the sweep has finished."""
    return len(list(Store("batch").everything()))


@contextlib.contextmanager
def sweeping(cluster: str, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a sweep on a cluster. After the block it must end, with the result of this machine's."""
    Path("w.yaml").write_text(WORKLOAD)
    Path("c.yaml").write_text(cluster)
    Path("s.yaml").write_text(f"grid: {{workload: w.yaml}}\nseeds: {POINTS}\n")
    program = Path(sys.executable).with_name("hmsim")
    command = [program, "sweep", "s.yaml", "--cluster", "c.yaml", "--out", "batch"]
    with open("log.sweep", "wb") as log:
        sweep = subprocess.Popen(command, env=python_environment(**more), stderr=log)
        try:
            yield sweep
            assert sweep.wait(timeout=120) == 0, Path("log.sweep").read_text()
        finally:
            sweep.kill()
            sweep.wait()
    succeed("sweep", "s.yaml", "--jobs", "1", "--out", "here")
    assert Path("batch/results.parquet").read_bytes() == Path("here/results.parquet").read_bytes()


@contextlib.contextmanager
def slurm() -> Iterator[Path]:
    """Start munged, slurmctld and slurmd. Yield the path of slurm.conf once the node is idle.

    At the end of the block, also after an error, jobs are cancelled, daemons end and the folder is
    removed.
    """
    folder = Path(tempfile.mkdtemp(prefix="slurm"))  # short, for the name of a socket
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        ports = _free_ports(2)
        conf = folder / "slurm.conf"
        conf.write_text(
            SLURM_CONF.format(
                folder=folder,
                host=socket.gethostname().split(".")[0],
                controller_port=ports[0],
                node_port=ports[1],
                cpus=CPUS,
            )
        )
        files = [
            f"--{what}={folder}/munge.{end}"
            for what, end in (
                ("socket", "socket"),
                ("key-file", "key"),
                ("pid-file", "pid"),
                ("log-file", "log"),
                ("seed-file", "seed"),
            )
        ]
        _start(stack, folder, "munged", "--foreground", "--force", *files)
        until(lambda: (folder / "munge.socket").exists(), "munged listens")
        _start(stack, folder, "slurmctld", "-D", "-f", str(conf))
        _start(stack, folder, "slurmd", "-D", "-f", str(conf))
        until(lambda: run(conf, "sinfo", "-h", "-o", "%t").strip() == "idle", "the node is idle")
        stack.callback(_cancel_all, conf)
        yield conf


def run(conf: Path, *command: str) -> str:
    """Return the output of a Slurm command, or "" if it fails."""
    environment = {**os.environ, "SLURM_CONF": str(conf)}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    return found.stdout if found.returncode == 0 else ""


def until(happened: Callable[[], bool], what: str) -> None:
    """Return once something has happened. Raises TimeoutError: it did not."""
    deadline = time.monotonic() + PATIENCE
    pause = threading.Event()
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {PATIENCE:g} s: {what}")
        pause.wait(LOOK)


def _cancel_all(conf: Path) -> None:
    run(conf, "scancel", "--user=root")
    until(lambda: not run(conf, "squeue", "-h").strip(), "no job is left")


def _start(stack: contextlib.ExitStack, folder: Path, *command: str) -> None:
    with open(folder / f"{command[0]}.out", "wb") as log:
        daemon = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    stack.callback(_end, daemon)


def _end(daemon: subprocess.Popen[bytes]) -> None:
    daemon.terminate()
    try:
        daemon.wait(timeout=20)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
