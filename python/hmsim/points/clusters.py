# SPDX-License-Identifier: BSD-3-Clause
"""Cluster files: where a sweep's points run, as YAML (docs/sweeps.md).

kind: slurm
workers: 100
options: {cores: 16, processes: 16, memory: 32GB, walltime: "04:00:00", queue: normal}
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from hmsim._core import InputError
from hmsim.common.packages import need
from hmsim.common.paths import find_file
from hmsim.config import settings as yaml_settings
from hmsim.config.node_reader import NodeReader
from hmsim.points.workers import Place, Processes

KINDS = ("local", "scheduler", "slurm", "pbs")
KEYS = ("description", "kind", "workers", "address", "options")
BATCH = {"slurm": "SLURMCluster", "pbs": "PBSCluster"}  # classes of dask-jobqueue
MOST_WORKERS = 100_000
LONGEST_NUMBER = 9  # digits
PRELOAD = "hmsim.points.workers"  # whose dask_setup schedulers and workers call
WORKER_ARGUMENTS = ("--no-dashboard", "--preload", PRELOAD)
SETTINGS = {  # of a scheduler that runs here
    "distributed.scheduler.allowed-failures": 0,  # who tries again is decided here
    "distributed.scheduler.http.routes": [],
}
# Scheduler options: no dashboard, and a free port for the web server until dask_setup shuts it.
WITHOUT_WEB = {"dashboard": False, "dashboard_address": "127.0.0.1:0", "preload": [PRELOAD]}
NEEDED = {"scheduler": ("distributed",), "slurm": ("dask_jobqueue",), "pbs": ("dask_jobqueue",)}
EVERYWHERE = ("0.0.0.0:", "[::]:")  # what no interface is given for
PATIENCE = 60  # seconds for a scheduler to answer
# Options of dask-jobqueue: LISTS take lists, the others single values.
LISTS = ("job_extra_directives", "job_script_prologue", "job_directives_skip", "worker_extra_args")
OPTIONS = (
    *LISTS,
    *("account", "cores", "death_timeout", "interface", "job_cpu", "job_mem", "job_name"),
    *("local_directory", "log_directory", "memory", "processes", "project", "python", "queue"),
    *("resource_spec", "shebang", "walltime"),
)


@dataclass(frozen=True)
class Cluster:
    """Content of a cluster file.

    Attributes:
        kind: one of `KINDS`.
        workers: number of worker processes. None: one per processor (local), or all workers
            of the running scheduler.
        address: address of a running scheduler.
        options: options for dask-jobqueue.
    """

    kind: str
    workers: int | None = None
    address: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Raise InputError unless the packages that this kind needs are installed."""
        need(f"kind: {self.kind}", "sweep", *NEEDED.get(self.kind, ()))

    @contextlib.contextmanager
    def client(self) -> Iterator[Place]:
        """Yield what runs points, closed at the block's end. Raises InputError."""
        self.check()
        if self.kind == "local":
            with Processes(self.workers) as own:
                yield own
            return
        import dask
        from distributed import Client

        with contextlib.ExitStack() as stack:
            stack.enter_context(dask.config.set(SETTINGS))
            place: Any = self.address
            if self.kind in BATCH:
                place = stack.enter_context(self.batch())
                print(f"hmsim: {self.kind}: {listens(place)}", file=sys.stderr)
                place.scale(self.workers)
            try:
                client = stack.enter_context(Client(place, timeout=PATIENCE))
            except (OSError, ValueError) as error:
                raise InputError(f"no scheduler answers at {self.address}: {error}") from error
            yield client

    def batch(self) -> Any:
        """Return a cluster of dask-jobqueue without queued jobs. Raises InputError."""
        before = signal.getsignal(signal.SIGINT)
        import dask_jobqueue

        if signal.getsignal(signal.SIGINT) is not before:  # its import leaves Ctrl-C to exit()
            signal.signal(signal.SIGINT, before)
        arguments = [*self.options.get("worker_extra_args", ()), *WORKER_ARGUMENTS]
        try:
            return getattr(dask_jobqueue, BATCH[self.kind])(
                **{**self.options, "worker_extra_args": arguments}, scheduler_options=WITHOUT_WEB
            )
        except (OSError, RuntimeError, TypeError, ValueError) as error:
            raise InputError(f"{self.kind}: the cluster cannot be started: {error}") from error


def listens(cluster: Any) -> str:
    """Return a line for the user with the addresses on which a dask-jobqueue cluster listens."""
    places = [each.listen_address.removeprefix("tcp://") for each in cluster.scheduler.listeners]
    listens = f"the scheduler listens on {', '.join(places)}"
    if not any(place.startswith(EVERYWHERE) for place in places):
        return f"{listens}; workers listen on the same interface of their nodes"
    return (
        f"{listens}, which is every network interface, and so do workers; everyone "
        "who reaches them can run code as you: set options: interface "
        "(docs/security.md)"
    )


def load_cluster(path_or_name: str | os.PathLike[str]) -> Cluster:
    """Return the cluster in a YAML file: a path, or the name of a shipped one.

    Raises:
        InputError: names file, line, key and the nearest valid choice.
    """
    path = find_file(path_or_name, "configs/clusters", "cluster")
    reader, root = NodeReader(path), yaml_settings.read_mapping(path)
    given = reader.keys(root, "", KEYS)
    kind = reader.choice(given.get("kind"), root, "kind", KINDS)
    needed = {"scheduler": "address", "slurm": "workers", "pbs": "workers"}.get(kind, "kind")
    if needed not in given:
        reader.refuse(root, needed, f"is required by kind {kind}")
    for name, kinds in (("address", ("scheduler",)), ("options", tuple(BATCH))):
        if name in given and kind not in kinds:
            reader.refuse(given[name], name, f"not supported by kind {kind}")
    workers, address, options = (given.get(name) for name in ("workers", "address", "options"))
    return Cluster(
        kind,
        reader.number(workers, root, "workers", MOST_WORKERS) if workers else None,
        reader.value(address, "address").text if address else "",
        _options(reader, options) if options else {},
    )


def _options(reader: NodeReader, node: yaml.Node) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, child in reader.keys(node, "options: ", OPTIONS).items():
        if name in LISTS:
            found[name] = [reader.value(item, name).text for item in reader.sequence(child, name)]
        else:
            text = reader.value(child, name).text
            whole = text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER
            found[name] = int(text) if whole else text
    return found
