# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps: the points of a sweep file, run where they are missing, as one Parquet dataset.

A sweep's directory holds ``plan.json`` (every point: labels, and key or error), ``points/``
(hmsim.points.store), ``results.parquet`` (one row a point, in the plan's order) and ``run.json``.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hmsim._core import InputError
from hmsim.common.directories import MARKER, SCRATCH, new_file
from hmsim.common.hints import hint
from hmsim.common.os_errors import reason
from hmsim.common.statistic_names import proposal
from hmsim.config import write_modes
from hmsim.config.configuration import Config, load_config
from hmsim.config.node_reader import Value, located
from hmsim.config.settings import Setting, joined
from hmsim.points.point import NAMES, Point, Runner, Scalar, Simulated, column_of
from hmsim.points.run import points_with_tables
from hmsim.points.workers import end_unguarded_worker
from hmsim.runs.options import options
from hmsim.runs.result import versions, write_json
from hmsim.runs.runner import statistic_names
from hmsim.sweep.file import OWN_AXES, Combination, Sweep
from hmsim.sweep.results import PLAN, number, read_plan, write_table
from hmsim.workloads.workload import Workload, load_workload

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

DATASET = "results.parquet"
LOCK = ".lock"
DEFAULT_CONFIG = "quick"


class Misfit(InputError):
    """A workload does not fit a configuration. Each may be valid."""


@dataclass(frozen=True)
class Planned:
    """Point of a sweep: its labels, and either the point or the error that prevents it."""

    labels: Mapping[str, Scalar]
    point: Point | None
    error: str = ""
    is_misfit: bool = False


class Planner:
    """Maker of points from combinations; it loads shared files once."""

    def __init__(self, sweep: Sweep, inline: Mapping[str, Workload] | None = None) -> None:
        """Make points of a sweep. ``inline``: workloads that its file holds, by name."""
        self._sweep = sweep
        self._inline = inline or {}
        self._systems: dict[tuple[str, ...], Config | InputError] = {}
        self._workloads: dict[tuple[str, ...], Workload | InputError] = {}
        self._fits: set[int] = set()

    @property
    def common(self) -> Combination:
        """The values that all points share."""
        return self._sweep.common

    def plan(self) -> list[Planned]:
        """Return every point of the sweep. A point with incompatible values holds an error.

        Raises InputError if a value is invalid in every combination, or a file is invalid.
        """
        planned: list[Planned] = []
        fates: dict[Value, list[str]] = {}
        for combination in self._sweep.combinations():
            planned.append(self.planned(combination))
            for name, value in combination.items():
                if name not in ("workload", "seed"):
                    error = "" if planned[-1].is_misfit else planned[-1].error
                    fates.setdefault(value, []).append(error)
        if not planned:
            raise InputError(f"{self._sweep.path}: where: no point satisfies it")
        hopeless = [errors[0] for errors in fates.values() if all(errors)]
        if hopeless or all(each.point is None for each in planned):
            raise InputError(joined(list(dict.fromkeys(hopeless or [planned[0].error]))))
        return planned

    def planned(self, combination: Combination) -> Planned:
        """Return one point of the plan. Raises InputError as `make`."""
        made = self.make(combination)
        if isinstance(made, InputError):
            labels = self.labels(combination)
            return Planned(labels, None, str(made), isinstance(made, Misfit))
        return Planned(made.labels(), made)

    def labels(self, combination: Combination) -> dict[str, Scalar]:
        """Return the columns of a point that could not be made."""
        values = self._all(combination)
        texts = {name: value.text for name, value in values.items()}
        if not isinstance(agents := self._workload(values), InputError):
            texts["workload"] = agents.name
        own: dict[str, Scalar] = {name: texts.get(name) for name in NAMES}
        own |= {"config": Path(texts.get("config", DEFAULT_CONFIG)).stem}
        own |= {"seed": number(texts.get("seed", "1"))}
        axes = {name: value for name, value in combination.items() if name not in OWN_AXES}
        return {**own, **{name: number(value.text) for name, value in axes.items()}}

    def make(self, combination: Combination) -> Point | InputError:
        """Return a combination's point, or the error of its values.

        Raises InputError: its seed or a file is wrong.
        """
        values = self._all(combination)
        agents = self._workload(values)
        seed = values.get("seed")
        with located(f"{seed.where}: " if seed else ""):
            text = seed.text if seed else "1"
            if not (text.isascii() and text.isdecimal() and len(text) <= 20):
                raise InputError(f"seed: must be a number, got '{text[:20]}'")
            warmup = values["warmup"].text if "warmup" in values else None
            chosen = options(int(text), warmup)
        system = self._system(values)
        for made in (system, agents):
            if isinstance(made, InputError):
                return made
        assert not isinstance(system, InputError) and not isinstance(agents, InputError)
        if (error := self._misfit(agents, system)) is not None:
            return error
        axes = [(n, number(v.text)) for n, v in combination.items() if n not in OWN_AXES]
        return Point(system, agents, chosen, tuple(axes), self._runner(agents.name))

    def _runner(self, workload: str) -> Runner:
        return Simulated() if self._sweep.gem5 is None else self._sweep.gem5[workload]

    def _all(self, combination: Combination) -> dict[str, Value]:
        return {**self._sweep.common, **combination}

    def _misfit(self, agents: Workload, system: Config) -> Misfit | None:
        """Return why a workload does not fit a configuration, until it has fitted one.

        Then it fits nearly all, and the run of a point reports the rest: a check takes as long as
        the rest of a plan.
        """
        if id(agents) not in self._fits:
            try:
                agents.check(system)
            except InputError as error:
                return Misfit(str(error))
            self._fits.add(id(agents))
        return None

    def _workload(self, values: Combination) -> Workload | InputError:
        name = values["workload"]
        keys = {n: v for n, v in values.items() if n.startswith("agent.")}
        identity = (name.text, *(f"{n}={v.text}" for n, v in keys.items()))
        if identity not in self._workloads:
            with located(f"{name.where}: workload: "):
                loaded = self._load(name.text)
            try:
                for path, value in keys.items():
                    loaded = with_agent_key(loaded, path, value)
                self._workloads[identity] = loaded
            except InputError as error:
                self._workloads[identity] = error
        return self._workloads[identity]

    def _load(self, name: str) -> Workload:
        if name in self._inline:
            return self._inline[name]
        known = self._sweep.gem5
        if known is None:
            return load_workload(self._beside(name))
        if name not in known:
            raise InputError(f"{name}: not in gem5: workloads; {hint(name, known)}")
        return Workload(name, ())

    def _system(self, values: Combination) -> Config | InputError:
        """Return the configuration with policy and parameters; each is made once."""
        config, policy = values.get("config"), values.get("policy")
        own = [
            Setting(name, value.text, value.where)
            for name, value in values.items()
            if name not in (*OWN_AXES, "warmup") and not name.startswith("agent.")
        ]
        base = (config.text if config else DEFAULT_CONFIG, policy.text if policy else "")
        under = self._systems.get(base)
        if under is None:
            under = self._base(config, policy)
            self._systems[base] = under
        if isinstance(under, InputError) or not own:
            return under
        identity = (*base, *(f"{setting.name}={setting.text}" for setting in own))
        found = self._systems.get(identity)
        if found is None:
            try:
                found = replace(under, overrides=tuple(own))
                found.check()
            except InputError as error:
                found = error
            self._systems[identity] = found
        return found

    def _base(self, config: Value | None, policy: Value | None) -> Config | InputError:
        with located(f"{config.where}: config: " if config else ""):
            system = load_config(self._beside(config.text if config else DEFAULT_CONFIG))
        if policy is None:
            return system
        try:
            with located(f"{policy.where}: policy: "):
                name, mode = write_modes.split(self._beside(policy.text))
            with located(f"{policy.where}: "):
                under = system.with_policy(self._beside(name))
            with located(f"{policy.where}: policy: "):
                return under if mode is None else under.with_writes(mode)
        except InputError as error:
            return error

    def _beside(self, name: str) -> str:
        """Return the path of a file beside the sweep's; if there is none, the name unchanged."""
        near = self._sweep.path.parent / name
        return os.fspath(near) if near.is_file() else name


def with_agent_key(workload: Workload, path: str, value: Value) -> Workload:
    """Return a workload with a key of an agent changed: ``agent.N.KEY``. Raises InputError."""
    _, number, key = path.split(".", 2)
    if int(number) >= len(workload.agents):
        raise InputError(f"{value.where}: {path}: '{workload.name}' has no agent {number}")
    if key in ("path", "kind", "copies"):
        raise InputError(f"{value.where}: {path}: is allowed only in the workload's file")
    agents = list(workload.agents)
    agent = agents[int(number)]
    kept = tuple(setting for setting in agent.settings if setting.name != key)
    agents[int(number)] = agent._replace(settings=(*kept, Setting(key, value.text, value.where)))
    return replace(workload, agents=tuple(agents))


def with_tables(
    planned: Sequence[Planned], calibrate: bool, jobs: int | None, progress: bool
) -> list[Planned]:
    """Return the plan with the tables that policies need; each is trained once, in advance."""
    points = [each.point for each in planned if each.point]
    ready = iter(points_with_tables(points, calibrate, jobs, progress))
    return [replace(each, point=next(ready)) if each.point else each for each in planned]


def check_statistics(wanted: Sequence[Value], points: Sequence[Point]) -> None:
    """Check, before any point is run, that the named statistics exist.

    Raises InputError if no point has one of them, or an axis has its name; the message begins with
    its place in the file.
    """
    axes = {axis for each in points for axis, _ in each.axes}
    known: set[str] = set()
    seen = set()
    for each in points:
        if all(name.text in known for name in wanted):
            return
        if not isinstance(each.runner, Simulated):
            return  # what it will tell is not known
        kind = (each.config.name, each.config.policy, each.workload.name)
        if kind not in seen:
            seen.add(kind)
            with contextlib.suppress(InputError):  # a bad point, which its run reports
                names = statistic_names(each.config, each.workload, each.options)
                known |= {column_of(name, axes) for name in names}
    for name in wanted:
        if name.text in axes and (column := column_of(name.text, axes)) in known:
            raise InputError(
                f"{name.where}: {name.text}: is an axis here; its statistic is '{column}'"
            )
        if known and name.text not in known:
            hint = proposal(name.text, sorted(known))
            raise InputError(f"{name.where}: {name.text}: not a statistic of any point{hint}")


@contextlib.contextmanager
def sweep_directory(directory: str | os.PathLike[str]) -> Iterator[Path]:
    """Open a sweep's directory, new or to be resumed, exclusively for this process.

    A new directory is removed if an InputError occurs before any point is stored.

    Raises InputError if it is not a sweep's, cannot be written, or is in use by another sweep.
    """
    end_unguarded_worker()
    path = Path(directory)
    is_new = not path.exists()
    if path.exists() and (not path.is_dir() or (any(path.iterdir()) and not _is_sweep(path))):
        raise InputError(f"{path}: exists and is not a directory of a sweep")
    try:
        path.mkdir(parents=True, exist_ok=True)
        with (path / LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InputError(f"{path}: another sweep is running in this directory") from error
            try:
                yield path
            except InputError:
                if is_new and not any(path.glob("points/*")):
                    shutil.rmtree(path)
                raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {reason(error)}") from error


def _is_sweep(path: Path) -> bool:
    return (path / PLAN).is_file() or {
        child.name for child in path.iterdir() if not child.name.startswith(SCRATCH)
    } == {LOCK}


def write_plan(directory: Path, planned: Sequence[Planned], command: Sequence[str]) -> None:
    """Write the plan, before the sweep begins."""
    content = [
        {
            "labels": dict(each.labels),
            "point": each.point.key if each.point else "",
            "error": each.error,
        }
        for each in planned
    ]
    with new_file(directory / PLAN, force=True) as scratch:
        scratch.write_text(json.dumps(content, indent=0), encoding="utf-8")
    with new_file(directory / MARKER, force=True) as scratch:
        write_json(scratch, {"versions": versions(), "command": list(command)})


def finish(directory: Path) -> pd.DataFrame:
    """Write the dataset of all finished points, and return it."""
    table = read_plan(directory)
    with new_file(directory / DATASET, force=True) as scratch:
        write_table(table, scratch)
    return table
