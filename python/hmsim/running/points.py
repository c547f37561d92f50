# SPDX-License-Identifier: BSD-3-Clause
"""Points: single runs that are made once, kept, and read as a table.

    points = [hmsim.point("quick", "demo", policy=p, overrides={"policies.harmonic.weight": w})
              for p in ("hms", "all") for w in (0.2, 0.5, 0.8)]
    table = hmsim.run_points(points, "out")

A point is known by the hash of all that its result depends on (hmsim.identity): the resolved
configuration, the workload's content, seed, warm-up, runner, and the code that simulates. What is
finished stands in ``out/points/KEY.json``, whole or not at all, and is never run again, whoever
asks for it. A point that cannot be run is kept with its error.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Union

from hmsim._core import InputError, SimulatorFault
from hmsim.common.cache import set_aside
from hmsim.common.directories import new_file, read_regular, reason, remove_dead
from hmsim.common.progress import Bars
from hmsim.config.configuration import AnyBundle, Config
from hmsim.config.settings import from_mapping
from hmsim.running import identity
from hmsim.running.calibration import with_table
from hmsim.running.options import Options, options
from hmsim.running.result import Result
from hmsim.running.runner import AnyConfig, AnyWorkload, as_config, as_workload, simulate
from hmsim.running.workload import Workload

if TYPE_CHECKING:  # take a while to import
    import pandas as pd
    from distributed import Client

VERSION = 2
LARGEST_FILE = 64 << 20  # bytes
FOLDER = "points"
Scalar = Union[str, int, float, bool, None]
NAMES = ("config", "policy", "workload", "seed")  # columns of every table


class TransientError(Exception):
    """A point failed for a reason outside itself: it is run again next time."""


@dataclass(frozen=True)
class Measurement:
    """What a run found.

    Attributes:
        values: statistics by path.
        units: their units, '' for plain numbers.
        host: what the run cost: ``seconds``, ``peak_rss_bytes``, ...
    """

    values: Mapping[str, float]
    units: Mapping[str, str]
    host: Mapping[str, float] = field(default_factory=dict)


class Runner(Protocol):
    """Makes a point's run. Objects must be picklable: workers get them."""

    def identity(self) -> Any:
        """Return what the result depends on beside the point's own parts, as JSON can hold it."""

    def measure(self, point: Point) -> Measurement:
        """Run. Raises InputError, SimulatorFault or TransientError."""


@dataclass(frozen=True)
class Simulated:
    """Runs a point in this process, by the simulator."""

    def identity(self) -> Any:
        return ["hmsim", identity.of_code()]

    def measure(self, point: Point) -> Measurement:
        return measurement(simulate(point.config, point.workload, point.options, lambda done: None))


def measurement(result: Result) -> Measurement:
    """Return what is kept of a result."""
    return Measurement(result.stats, result.units, result.host)


@dataclass(frozen=True)
class Point:
    """One run. `point` makes one from names and paths.

    Attributes:
        config: the policy bundle and overrides included.
        workload: the agents.
        options: seed and warm-up.
        axes: labels of the caller, which become columns; they are no part of what is run.
        runner: what runs it.
    """

    config: Config
    workload: Workload
    options: Options
    axes: tuple[tuple[str, Scalar], ...] = ()
    runner: Runner = Simulated()

    @cached_property
    def key(self) -> str:
        """The hash of all that the result depends on. Raises InputError: it is not known."""
        chosen = self.options
        return identity.digest(
            [
                VERSION,
                identity.of_config(self.config),
                identity.of_workload(self.workload),
                [chosen.seed, chosen.warmup_ps, chosen.warmup_instructions],
                self.runner.identity(),
            ]
        )

    def __getstate__(self) -> dict[str, Any]:
        """A copy elsewhere finds its key by itself, from the code and files that are there."""
        return {name: value for name, value in self.__dict__.items() if name != "key"}

    def labels(self) -> dict[str, Scalar]:
        """Return the columns that tell this point from others: `NAMES`, then its axes."""
        own = (self.config.name, self.config.policy, self.workload.name, self.options.seed)
        return {**dict(zip(NAMES, own)), **dict(self.axes)}


def point(
    config: AnyConfig,
    workload: AnyWorkload,
    *,
    policy: AnyBundle | None = None,
    seed: int = 1,
    warmup: str | int | None = None,
    overrides: Mapping[str, Any] | None = None,
    axes: Mapping[str, Scalar] | None = None,
    runner: Runner | None = None,
) -> Point:
    """Return a point.

    Args:
        config: as for `hmsim.run`.
        workload: likewise.
        policy: likewise.
        seed: likewise.
        warmup: likewise.
        overrides: values of parameters by dotted name; they win over configuration and policy.
        axes: labels that become columns; by default the overrides.
        runner: by default the simulator.

    Returns:
        It has not been run; `run_points` does that.

    Raises:
        InputError: the input is at fault; one line per error.
    """
    system = as_config(config)
    if policy is not None:
        system = system.with_policy(policy)
    if overrides:
        own = from_mapping(overrides, "overrides")
        system = replace(system, overrides=(*system.overrides, *own))
        system.check()
    agents = as_workload(workload)
    labels = dict(overrides or {}) if axes is None else axes
    chosen = options(seed, warmup)
    return Point(system, agents, chosen, tuple(labels.items()), runner or Simulated())


@dataclass(frozen=True)
class Outcome:
    """What became of a point.

    Attributes:
        key: of the point, '' when it has none.
        values, units, host: as `Measurement`.
        error: what is wrong with the point; '': nothing.
        final: false: it failed for a reason outside itself.
    """

    key: str
    values: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    host: Mapping[str, float] = field(default_factory=dict)
    error: str = ""
    final: bool = True

    @classmethod
    def of(cls, key: str, found: Measurement) -> Outcome:
        """Return that of a point that could be run; numbers that are none are left out."""
        finite = {name: value for name, value in found.values.items() if math.isfinite(value)}
        return cls(key, finite, found.units, found.host)


def measure(wanted: Point, key: str) -> Outcome:
    """Run a point, here; its error becomes part of what is returned."""
    try:
        if wanted.key != key:  # a worker elsewhere may have other code, or other files
            raise TransientError("this worker has another hmsim, or other traces, than its sweep")
        found = wanted.runner.measure(wanted)
    except (TransientError, OSError, MemoryError) as error:
        return Outcome(key, error=_told(error), final=False)
    except Exception as error:
        return Outcome(key, error=_told(error))
    return Outcome.of(key, found)


def _told(error: BaseException) -> str:
    plain = isinstance(error, (InputError, SimulatorFault, TransientError))
    return str(error) if plain and str(error) else f"{type(error).__name__}: {error}"


class Store:
    """Finished points in the folder ``points`` of a directory: a file each."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.folder = Path(directory) / FOLDER

    def load(self, key: str) -> Outcome | None:
        """Return what became of a point, or None; a damaged file is told, and none."""
        read = self._read(key)
        return read[1] if read else None

    def everything(self) -> Iterator[tuple[Mapping[str, Scalar], Outcome]]:
        """Yield all points, in no order, with the labels that they were run under."""
        for path in self.folder.glob("*.json"):
            read = self._read(path.stem)
            if read:
                yield read

    def _read(self, key: str) -> tuple[Mapping[str, Scalar], Outcome] | None:
        path = self.folder / f"{key}.json"
        if not path.exists():
            return None
        try:
            content = json.loads(read_regular(path, LARGEST_FILE))
            if content["version"] != VERSION:
                raise InputError(f"{path}: version {content['version']}, not {VERSION}")
            if content.pop("checksum") != identity.digest(content) or content["key"] != key:
                raise InputError(f"{path}: damaged: its checksum does not fit")
        except InputError as error:
            set_aside(error)
            return None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            set_aside(f"{path}: damaged: {type(error).__name__}: {error}")
            return None
        values, units, host = content["values"], content["units"], content["host"]
        outcome = Outcome(key, values, units, host, content["error"], content["final"])
        return content["labels"], outcome

    def save(self, done: Outcome, wanted: Point) -> None:
        """Keep a finished point. Raises InputError: it cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be written: {reason(error)}") from error
        content: dict[str, Any] = {
            "version": VERSION,
            "key": done.key,
            "labels": wanted.labels(),
            "error": done.error,
            "final": done.final,
            "host": dict(done.host),
            "values": dict(done.values),
            "units": dict(done.units),
        }
        content["checksum"] = identity.digest(content)
        with new_file(self.folder / f"{done.key}.json", force=True, tidy=False) as scratch:
            scratch.write_text(json.dumps(content, indent=0, allow_nan=False), encoding="utf-8")


def run_points(
    points: Iterable[Point],
    out: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    client: Client | None = None,
    progress: bool = False,
    calibrate: bool = True,
) -> pd.DataFrame:
    """Run the points that are not in ``out`` yet, and return all of them as a table.

    Args:
        points: in the order of the table's rows.
        out: a directory, made if need be; several sets of points may share it.
        jobs: processes at a time; the processors by default. 1: in this process.
        client: of a Dask cluster to run on, in place of processes of this machine.
        progress: tell it on standard error, by bars or, where that is no terminal, by lines.
        calibrate: train tables that policies want, once; false: refuse.

    Returns:
        One row per point. Columns: ``config``, ``policy``, ``workload``, ``seed``, the points'
        axes, ``point`` (the key), ``error`` ('': none), and every statistic under its path; NaN
        where a run has none. ``attrs["units"]`` has the unit of each statistic, ``attrs["axes"]``
        the names of the columns before ``point``.

    Raises:
        InputError: ``out`` cannot be written (what is finished is kept).
    """
    wanted = [with_tables(each, calibrate, jobs, progress) for each in points]
    found = run_missing(wanted, Store(out), jobs=jobs, client=client, progress=progress)
    return as_table([(each.labels(), outcome) for each, outcome in zip(wanted, found)])


def with_tables(wanted: Point, calibrate: bool, jobs: int | None, progress: bool) -> Point:
    """Return the point with the table that its policy wants, trained if there is none."""
    return replace(wanted, config=with_table(wanted.config, calibrate, jobs, progress))


def run_missing(
    points: Sequence[Point],
    store: Store,
    *,
    jobs: int | None = None,
    client: Client | None = None,
    progress: bool = False,
) -> list[Outcome]:
    """Run the points that the store does not hold; return what became of each."""
    from hmsim.running.workers import outcomes  # here, because it imports this module

    remove_dead(store.folder)
    found: dict[str, Outcome] = {}
    missing: dict[str, Point] = {}
    for each in points:
        if each.key not in found and each.key not in missing:
            kept = store.load(each.key)
            if kept is None or not kept.final:
                missing[each.key] = each
            else:
                found[each.key] = kept
    failed = sum(bool(outcome.error) for outcome in found.values())
    total = len(found) + len(missing)
    with contextlib.ExitStack() as stack:
        bars = stack.enter_context(Bars(progress))
        running = stack.enter_context(
            contextlib.closing(outcomes(list(missing.values()), jobs, client))
        )
        if missing:
            bars.report("points", len(found) / total, f"{len(found)}/{total}, {failed} failed")
        for outcome in running:
            store.save(outcome, missing[outcome.key])
            found[outcome.key] = outcome
            failed += bool(outcome.error)
            bars.report("points", len(found) / total, f"{len(found)}/{total}, {failed} failed")
    return [found[each.key] for each in points]


def as_table(rows: Sequence[tuple[Mapping[str, Scalar], Outcome]]) -> pd.DataFrame:
    """Return points as `run_points` does, from their labels and what became of them."""
    import pandas as pd

    axes = list(dict.fromkeys([*NAMES, *(name for labels, _ in rows for name in labels)]))
    names = sorted({name for _, outcome in rows for name in outcome.values})
    units: dict[str, list[str]] = {name: [] for name in names}
    for _, outcome in rows:
        for name in outcome.values:
            if (unit := outcome.units.get(name, "")) not in units[name]:
                units[name].append(unit)
    table = pd.DataFrame(
        [
            {**labels, "point": outcome.key, "error": outcome.error, **outcome.values}
            for labels, outcome in rows
        ],
        columns=[*axes, "point", "error", *names],
    )
    table.attrs["axes"] = axes
    table.attrs["units"] = {name: " or ".join(found) for name, found in units.items()}
    return table
