# SPDX-License-Identifier: BSD-3-Clause
"""Points: single runs that are executed once, stored, and read as a table.

    points = [hmsim.point("quick", "demo", policy=p, overrides={"policies.harmonic.weight": w})
              for p in ("hms", "all") for w in (0.2, 0.5, 0.8)]
    table = hmsim.run_points(points, "out")

A point's key is the hash of all that its result depends on (hmsim.runs.identity): the resolved
configuration, the workload's content, seed, warm-up, runner, and the simulator's code. A finished
point is a line of a log in ``out/points`` (hmsim.points.store) and is not run again. A point that
cannot be run is stored with its error.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Union

from hmsim._core import InputError, SimulatorFault
from hmsim.config.configuration import AnyBundle, Config
from hmsim.config.settings import from_mapping
from hmsim.runs import identity
from hmsim.runs.options import Options, options
from hmsim.runs.result import Result
from hmsim.runs.runner import AnyConfig, AnyWorkload, as_config, as_workload, simulate
from hmsim.workloads.workload import Workload

VERSION = 2
Scalar = Union[str, int, float, bool, None]
NAMES = ("config", "policy", "workload", "seed")  # columns of every table, before the axes
OUTCOME = ("point", "error")  # columns of every table, after the axes


def column_of(statistic: str, axes: Container[str]) -> str:
    """Return a statistic's column: its path, or ``PATH.measured`` if an axis has this name."""
    return f"{statistic}.measured" if statistic in axes else statistic


class TransientError(Exception):
    """A point failed for an external reason: it is run again next time."""


@dataclass(frozen=True)
class Measurement:
    """Measured values of a run.

    Attributes:
        values: statistics by path.
        units: their units, '' for plain numbers.
        host: cost of the run: ``seconds``, ``peak_rss_bytes``, ...
    """

    values: Mapping[str, float]
    units: Mapping[str, str]
    host: Mapping[str, float] = field(default_factory=dict)


class Runner(Protocol):
    """Runner of a point. Objects must be picklable, because they are sent to workers."""

    def identity(self) -> Any:
        """Return, as a JSON value, everything besides the point that its result depends on."""

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
    """Return the stored part of a result."""
    return Measurement(result.stats, result.units, result.host)


@dataclass(frozen=True)
class Point:
    """One run. `point` makes one from names and paths.

    Attributes:
        config: the policy bundle and overrides included.
        workload: the agents.
        options: seed and warm-up.
        axes: labels of the caller, which become columns; they do not affect the run.
        runner: the object that runs it.
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
        return identity.digest_with(
            self.config,
            [
                VERSION,
                identity.of_workload(self.workload),
                [chosen.seed, chosen.warmup_ps, chosen.warmup_instructions],
                self.runner.identity(),
            ],
        )

    def __getstate__(self) -> dict[str, Any]:
        """A copy on another machine computes its own key, from the code and files there."""
        return {name: value for name, value in self.__dict__.items() if name != "key"}

    def labels(self) -> dict[str, Scalar]:
        """Return the columns that distinguish this point: `NAMES`, then its axes."""
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
        workload: as for `hmsim.run`.
        policy: as for `hmsim.run`.
        seed: as for `hmsim.run`.
        warmup: as for `hmsim.run`.
        overrides: values of parameters by dotted name; they win over configuration and policy.
        axes: labels that become columns; by default the overrides.
        runner: by default the simulator.

    Returns:
        The point, not yet run; `run_points` runs it.

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
    for name in OUTCOME:
        if name in labels:
            raise InputError(f"axes: {name}: is a column of every table; use another name")
    chosen = options(seed, warmup)
    return Point(system, agents, chosen, tuple(labels.items()), runner or Simulated())


@dataclass(frozen=True)
class Outcome:
    """Outcome of a point.

    Attributes:
        key: of the point, '' when it has none.
        values, units, host: as `Measurement`.
        error: the point's error, '' without one.
        final: false if it failed for a reason outside the point, such as a worker that died.
    """

    key: str
    values: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    host: Mapping[str, float] = field(default_factory=dict)
    error: str = ""
    final: bool = True

    @classmethod
    def of(cls, key: str, found: Measurement) -> Outcome:
        """Return the outcome of a point that ran; values that are not finite are omitted."""
        finite = {name: value for name, value in found.values.items() if math.isfinite(value)}
        return cls(key, finite, found.units, found.host)


def measure(wanted: Point, key: str) -> Outcome:
    """Run a point in this process; an error becomes part of the outcome."""
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
