# SPDX-License-Identifier: BSD-3-Clause
"""Cluster files: where a sweep's points run, as YAML (docs/clusters.md).

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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from hmsim._core import InputError, nearest_name
from hmsim.common.paths import find_file
from hmsim.config import settings as yaml_settings
from hmsim.points.workers import LOCAL, WITHOUT_WEB, local_client

if TYPE_CHECKING:
    from distributed import Client

KINDS = ("local", "scheduler", "slurm", "pbs")
KEYS = ("description", "kind", "workers", "address", "options")
BATCH = {"slurm": "SLURMCluster", "pbs": "PBSCluster"}  # classes of dask-jobqueue
MOST_WORKERS = 100_000
LONGEST_NUMBER = 9  # digits
WORKER_ARGUMENTS = ("--no-dashboard", "--preload", "hmsim.points.workers")  # its dask_setup
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

    @contextlib.contextmanager
    def client(self) -> Iterator[Client]:
        """Yield a client, closed at the block's end. Raises InputError if there is no cluster."""
        if self.kind == "local":
            with local_client(self.workers or len(os.sched_getaffinity(0))) as own:
                yield own
            return
        try:
            import dask
            from distributed import Client
        except ImportError as error:
            raise InputError("--cluster: needs pip install 'hmsim[sweep]'") from error
        with contextlib.ExitStack() as stack:
            stack.enter_context(dask.config.set(LOCAL))  # of a scheduler that runs here
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
        try:
            import dask_jobqueue
        except ImportError as error:
            raise InputError(f"{self.kind}: needs pip install 'hmsim[sweep]'") from error
        if signal.getsignal(signal.SIGINT) is not before:  # its import leaves Ctrl-C to exit()
            signal.signal(signal.SIGINT, before)
        arguments = [*self.options.get("worker_extra_args", ()), *WORKER_ARGUMENTS]
        try:
            return getattr(dask_jobqueue, BATCH[self.kind])(
                **{**self.options, "worker_extra_args": arguments},
                scheduler_options=WITHOUT_WEB,
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
    texts: dict[str, str] = {}
    places: dict[str, str] = {}
    options: dict[str, Any] = {}
    for key, key_node, node in yaml_settings.items(path, yaml_settings.read_mapping(path)):
        places[key] = yaml_settings.place(path, key_node)
        if key not in KEYS:
            raise InputError(f"{places[key]}: {key}: unknown key{_hint(key, KEYS)}")
        if key == "options":
            options = _options(path, node)
        else:
            texts[key] = yaml_settings.scalar(path, node, key)
    kind = texts.get("kind", "")
    if kind not in KINDS:
        where = places.get("kind", str(path))
        raise InputError(f"{where}: kind: '{kind}'{_hint(kind, KINDS)}")
    needed = {"scheduler": "address", "slurm": "workers", "pbs": "workers"}.get(kind, "kind")
    if needed not in texts:
        raise InputError(f"{path}: {needed}: is required by kind {kind}")
    for name, kinds in (("address", ("scheduler",)), ("options", tuple(BATCH))):
        if name in places and kind not in kinds:
            raise InputError(f"{places[name]}: {name}: not supported by kind {kind}")
    workers = texts.get("workers")
    if workers is not None and not (
        workers.isascii()
        and workers.isdecimal()
        and len(workers) <= LONGEST_NUMBER
        and 1 <= int(workers) <= MOST_WORKERS
    ):
        raise InputError(f"{places['workers']}: workers: expected 1 .. {MOST_WORKERS}")
    return Cluster(kind, int(workers) if workers else None, texts.get("address", ""), options)


def _options(path: Path, node: yaml.Node) -> dict[str, Any]:
    if not isinstance(node, yaml.MappingNode):
        where = yaml_settings.place(path, node)
        raise InputError(f"{where}: options: expected 'name: value' pairs")
    found: dict[str, Any] = {}
    for name, key_node, child in yaml_settings.items(path, node):
        where = yaml_settings.place(path, key_node)
        if name not in OPTIONS:
            raise InputError(f"{where}: options: {name}: unknown{_hint(name, OPTIONS)}")
        if name in LISTS:
            if not isinstance(child, yaml.SequenceNode):
                raise InputError(f"{where}: options: {name}: expected a list")
            found[name] = [yaml_settings.scalar(path, item, name) for item in child.value]
        else:
            text = yaml_settings.scalar(path, child, name)
            whole = text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER
            found[name] = int(text) if whole else text
    return found


def _hint(name: str, known: tuple[str, ...]) -> str:
    near = nearest_name(name, list(known))
    return f"; did you mean '{near}'?" if near else f"; known: {', '.join(known)}"
