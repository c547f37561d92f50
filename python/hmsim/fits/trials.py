# SPDX-License-Identifier: BSD-3-Clause
"""Trials: machines whose runs are finished, and the numbers of their targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hmsim._core import InputError
from hmsim.config.node_reader import Value
from hmsim.fits.file import Fit, Target
from hmsim.fits.source import Machine
from hmsim.fits.space import Values
from hmsim.fits.space import number as number_of
from hmsim.points.point import Outcome
from hmsim.sweep.plan import Planned, Planner

Runner = Callable[[Sequence[Planned]], Sequence[Outcome]]  # finishes points, in their order


@dataclass(frozen=True)
class Trial:
    """One machine.

    Attributes:
        stage: why it was tried.
        values: of the keys; without one, the configuration's own counts.
        short: whether its runs were shorter.
        found: number of each target that was asked for; NaN without one.
        misses: how far each is off, in half bands.
        residuals: the same with their signs.
        error: why it has no numbers, if so.
        seconds: of host time by key of its points.
    """

    stage: str
    values: Values
    short: bool
    found: Mapping[str, float] = field(default_factory=dict)
    misses: Mapping[str, float] = field(default_factory=dict)
    residuals: Mapping[str, float] = field(default_factory=dict)
    error: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)

    def loss(self, targets: Iterable[Target]) -> float:
        """Return how far the targets are off together; inf without numbers.

        The logarithm lets a target that is out of reach count little beside those that are not.
        """
        if self.error:
            return math.inf
        return math.fsum(math.log1p(self.misses[each.name] ** 2) for each in targets)

    def meets(self, targets: Iterable[Target]) -> bool:
        """Return whether all targets are in their bands."""
        return not self.error and all(
            each.name in self.found and each.wanted.holds(self.found[each.name]) for each in targets
        )

    def worst(self, targets: Iterable[Target]) -> float:
        """Return the largest miss of the targets, in half bands."""
        return math.inf if self.error else max(self.misses[each.name] for each in targets)


class Bench:
    """Runs machines and keeps their trials."""

    def __init__(self, fit: Fit, run: Runner) -> None:
        self.fit = fit
        self.trials: list[Trial] = []
        self.has_short = any(run.short for run in fit.runs.values())
        inline = {n: r.inline for n, r in fit.runs.items() if r.inline is not None}
        self._planner = Planner(fit.sweep, inline)
        self._run = run
        self._checked: set[str] = set()

    def evaluate(
        self,
        stage: str,
        machines: Sequence[Values],
        targets: Sequence[Target] | None = None,
        short: bool = False,
    ) -> list[Trial]:
        """Return the trials of several machines, which run together.

        Args:
            stage: why they are tried.
            machines: values of the keys.
            targets: what is asked for; by default what is fitted.
            short: whether to run the shorter runs, if there are any.
        """
        wanted = self.fit.fitted if targets is None else targets
        short = short and self.has_short
        made: list[tuple[Machine, str]] = []
        planned: list[Planned] = []
        for values in machines:
            machine, error = self._machine(values, short), ""
            try:
                planned += self._planned(machine, wanted)
            except InputError as refusal:
                error = str(refusal)
            else:
                self._check(machine, wanted)
            made.append((machine, error))
        done = {id(each.point): found for each, found in zip(planned, self._run(planned))}
        found = [
            self._trial(stage, values, short, wanted, each, done)
            for values, each in zip(machines, made)
        ]
        self.trials += found
        return found

    def _machine(self, values: Values, short: bool) -> Machine:
        fit = self.fit
        keys = {
            name: Value(text, fit.places[name])
            for name, text in values.items()
            if name not in fit.constants
        }
        return Machine(self._planner, fit.runs, keys, fit.seeds, short)

    def _planned(self, machine: Machine, targets: Sequence[Target]) -> list[Planned]:
        """Return what a machine has to run. Raises InputError: its values do not fit together."""
        names = dict.fromkeys(name for each in targets for name in each.source.runs())
        return [each for name in names for each in machine.planned(name) if machine.points(name)]

    def _check(self, machine: Machine, targets: Sequence[Target]) -> None:
        """Raise InputError if a target names what no run has."""
        for each in targets:
            if each.name not in self._checked:
                each.source.check(machine)
                self._checked.add(each.name)

    def _trial(
        self,
        stage: str,
        values: Values,
        short: bool,
        targets: Sequence[Target],
        made: tuple[Machine, str],
        done: Mapping[int, Outcome],
    ) -> Trial:
        machine, error = made
        if error:
            return Trial(stage, values, short, error=error)
        outcomes = [done[id(each.point)] for each in self._planned(machine, targets)]
        if bad := [each.error for each in outcomes if each.error]:
            return Trial(stage, values, short, error=bad[0])
        constants = {name: number_of(values[name]) for name in self.fit.constants}
        found = {
            t.name: t.source.number(machine, constants, lambda point: done[id(point)])
            for t in targets
        }
        return Trial(
            stage,
            values,
            short,
            found,
            {t.name: t.wanted.miss(found[t.name]) for t in targets},
            {t.name: t.wanted.residual(found[t.name]) for t in targets},
            seconds={each.key: each.host.get("seconds", 0.0) for each in outcomes},
        )
