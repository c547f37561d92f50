# SPDX-License-Identifier: BSD-3-Clause
"""How targets get their numbers: the runs of a machine, and what is computed from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from hmsim._core import InputError
from hmsim.common.statistic_names import proposal, valid
from hmsim.config.node_reader import Value
from hmsim.fits.formula import Formula
from hmsim.points.point import Outcome
from hmsim.runs.runner import statistic_names
from hmsim.sweep.file import Combination
from hmsim.sweep.plan import Planned, Planner
from hmsim.workloads.workload import Workload

Ready = Callable[[Planned], Planned]


class Missing(Exception):
    """Points that have to run before a target has its number."""

    def __init__(self, planned: Sequence[Planned]) -> None:
        super().__init__(planned)
        self.planned = planned


class Done(dict[str, Outcome]):
    """Outcomes of finished points by key."""

    def of(self, planned: Sequence[Planned]) -> list[Outcome]:
        """Return the points' outcomes.

        Raises:
            Missing: some have not run.
            InputError: one cannot be made, or has an error.
        """
        for each in planned:
            if each.point is None:
                raise InputError(each.error)
        lacking = [each for each in planned if each.point and each.point.key not in self]
        if lacking:
            raise Missing(lacking)
        found = [self[each.point.key] for each in planned if each.point]
        if bad := [each.error for each in found if each.error]:
            raise InputError(bad[0])
        return found


@dataclass(frozen=True)
class Run:
    """A run that targets name.

    Attributes:
        name: in the file.
        values: the workload and keys of its own.
        short: further keys while searching.
        inline: the workload, if the file holds it.
    """

    name: str
    values: Combination
    short: Combination = field(default_factory=dict)
    inline: Workload | None = None


class Machine:
    """One set of values, and its points."""

    def __init__(
        self,
        planner: Planner,
        runs: Mapping[str, Run],
        keys: Mapping[str, Value],
        constants: Mapping[str, float],
        seeds: int,
        short: bool,
        ready: Ready,
    ) -> None:
        """Take what defines a machine.

        Args:
            planner: makes points.
            runs: that the file names.
            keys: their values.
            constants: numbers that only formulas have.
            seeds: of each run.
            short: whether runs are the shorter ones.
            ready: returns a point with the table that its policy needs.
        """
        self.constants = constants
        self.seeds = range(1, seeds + 1)
        self.seconds: dict[str, float] = {}  # of host time by key of points
        self.memo: dict[str, Any] = {}  # of sources that share work
        self._planner = planner
        self._runs = runs
        self._keys = keys
        self._short = short
        self._ready = ready
        self._made: dict[str, list[Planned]] = {}

    def settings(self) -> dict[str, Value]:
        """Return the keys of the system and of agents, with those that all machines share."""
        every = {**self._planner.common, **self._keys}
        return {name: value for name, value in every.items() if "." in name}

    def planned(self, name: str) -> list[Planned]:
        """Return a run's points, one for each seed. Raises InputError: a file is wrong."""
        if name not in self._made:
            run = self._runs[name]
            row = {**self._keys, **run.values, **(run.short if self._short else {})}
            self._made[name] = [
                self._ready(self._labelled(name, {**row, "seed": Value(str(seed), "")}))
                for seed in self.seeds
            ]
        return self._made[name]

    def outcomes(self, planned: Sequence[Planned], done: Done) -> list[Outcome]:
        """Return the outcomes of points, whose cost it counts. Raises as `Done.of`."""
        found = done.of(planned)
        self.seconds |= {each.key: each.host.get("seconds", 0.0) for each in found}
        return found

    def _labelled(self, name: str, row: Mapping[str, Value]) -> Planned:
        made = self._planner.planned(row)
        labels = {"run": name, **made.labels}
        if made.point is None:
            return replace(made, labels=labels)
        axes = (("run", name), *made.point.axes)
        return replace(made, labels=labels, point=replace(made.point, axes=axes))


class Source(Protocol):
    """What computes a target."""

    def number(self, machine: Machine, done: Done) -> float:
        """Return the target's number, NaN without one.

        Raises:
            Missing: points have to run first.
            InputError: the machine cannot be made, or a point has an error.
        """

    def check(self, machine: Machine) -> None:
        """Raise InputError if it names a statistic that no run has."""


class FormulaSource:
    """A formula over statistics; each is a mean over the seeds."""

    def __init__(self, formula: Formula, where: str) -> None:
        self._formula = formula
        self._where = where

    def number(self, machine: Machine, done: Done) -> float:
        runs = list(dict.fromkeys(n.split(".")[0] for n in self._formula.names if "." in n))
        planned = {run: machine.planned(run) for run in runs}
        every = [each for run in runs for each in planned[run]]
        machine.outcomes(every, done)

        def of(name: str) -> float:
            run, dot, statistic = name.partition(".")
            if not dot:
                return machine.constants[run]
            key = valid(statistic)
            found = [each.values.get(key, math.nan) for each in done.of(planned[run])]
            return math.fsum(found) / len(found)

        return self._formula.number(of)

    def check(self, machine: Machine) -> None:
        for name in self._formula.names:
            run, dot, statistic = name.partition(".")
            one = machine.planned(run)[0].point if dot else None
            if one is not None:
                known = statistic_names(one.config, one.workload, one.options)
                if valid(statistic) not in known:
                    hint = proposal(statistic, sorted(known))
                    raise InputError(
                        f"{self._where}: {name}: '{statistic}' is not a statistic of {run}{hint}"
                    )
