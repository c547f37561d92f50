# SPDX-License-Identifier: BSD-3-Clause
"""How targets get their numbers: the runs of a machine, and what is computed from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from hmsim._core import InputError
from hmsim.common.statistic_names import proposal, valid
from hmsim.config.node_reader import Value
from hmsim.fits.formula import Formula
from hmsim.points.point import Outcome, Point
from hmsim.runs.runner import statistic_names
from hmsim.sweep.file import Combination
from hmsim.sweep.plan import Planned, Planner
from hmsim.workloads.workload import Workload

Read = Callable[[Point], Outcome]


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
    """The points of one set of values."""

    def __init__(
        self,
        planner: Planner,
        runs: Mapping[str, Run],
        values: Mapping[str, Value],
        seeds: int,
        short: bool,
    ) -> None:
        self._planner = planner
        self._runs = runs
        self._values = values  # without constants
        self._seeds = seeds
        self._short = short
        self._made: dict[str, list[Planned]] = {}

    def planned(self, name: str) -> list[Planned]:
        """Return a run's points, one for each seed. Raises InputError: a file is wrong."""
        if name not in self._made:
            run = self._runs[name]
            row = {**self._values, **run.values, **(run.short if self._short else {})}
            self._made[name] = [
                self._labelled(name, self._planner.planned({**row, "seed": Value(str(n + 1), "")}))
                for n in range(self._seeds)
            ]
        return self._made[name]

    def points(self, name: str) -> list[Point]:
        """Return a run's points. Raises InputError: these values do not fit together."""
        found = []
        for each in self.planned(name):
            if each.point is None:
                raise InputError(each.error)
            found.append(each.point)
        return found

    def _labelled(self, name: str, made: Planned) -> Planned:
        labels = {"run": name, **made.labels}
        if made.point is None:
            return replace(made, labels=labels)
        axes = (("run", name), *made.point.axes)
        return replace(made, labels=labels, point=replace(made.point, axes=axes))


class Source(Protocol):
    """What computes a target."""

    def runs(self) -> Iterable[str]:
        """Return the names of the runs that it needs."""

    def number(self, machine: Machine, constants: Mapping[str, float], read: Read) -> float:
        """Return the target's number from finished points, NaN without one."""

    def check(self, machine: Machine) -> None:
        """Raise InputError if it names a statistic that no run has."""


class FormulaSource:
    """A formula over statistics; each is a mean over the seeds."""

    def __init__(self, formula: Formula, where: str) -> None:
        self._formula = formula
        self._where = where

    def runs(self) -> list[str]:
        return list(dict.fromkeys(n.split(".")[0] for n in self._formula.names if "." in n))

    def number(self, machine: Machine, constants: Mapping[str, float], read: Read) -> float:
        def of(name: str) -> float:
            run, dot, statistic = name.partition(".")
            if not dot:
                return constants[run]
            key = valid(statistic)
            found = [read(each).values.get(key, math.nan) for each in machine.points(run)]
            return math.fsum(found) / len(found)

        return self._formula.number(of)

    def check(self, machine: Machine) -> None:
        for name in self._formula.names:
            run, dot, statistic = name.partition(".")
            if dot:
                one = machine.points(run)[0]
                known = statistic_names(one.config, one.workload, one.options)
                if valid(statistic) not in known:
                    hint = proposal(statistic, sorted(known))
                    raise InputError(
                        f"{self._where}: {name}: '{statistic}' is not a statistic of {run}{hint}"
                    )
