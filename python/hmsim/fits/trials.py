# SPDX-License-Identifier: BSD-3-Clause
"""Trials: machines whose runs are finished, and the numbers of their targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hmsim._core import InputError
from hmsim.config.node_reader import Value
from hmsim.fits.file import Fit, Target
from hmsim.fits.source import Done, Machine, Missing, Ready
from hmsim.fits.space import Values, number
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

    def __init__(self, fit: Fit, run: Runner, ready: Ready) -> None:
        self.fit = fit
        self.trials: list[Trial] = []
        self.has_short = any(run.short for run in fit.runs.values())
        inline = {n: r.inline for n, r in fit.runs.items() if r.inline is not None}
        self._planner = Planner(fit.sweep, inline)
        self._run = run
        self._ready = ready
        self._done = Done()
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
        made = [self._machine(values, short) for values in machines]
        found: list[Trial | None] = [None] * len(made)
        while lacking := [index for index, trial in enumerate(found) if trial is None]:
            planned: dict[str, Planned] = {}
            for index in lacking:
                machine = made[index]
                found[index] = self._trial(stage, machines[index], short, wanted, machine, planned)
            points = list(planned.values())
            self._done.update(zip(planned, self._run(points)))
        trials = [each for each in found if each is not None]
        self.trials += trials
        return trials

    def _machine(self, values: Values, short: bool) -> Machine:
        fit = self.fit
        own = [name for name in values if name not in fit.constants]
        keys = {name: Value(values[name], fit.places[name]) for name in own}
        constants = {name: number(values[name]) for name in fit.constants}
        return Machine(self._planner, fit.runs, keys, constants, fit.seeds, short, self._ready)

    def _trial(
        self,
        stage: str,
        values: Values,
        short: bool,
        targets: Sequence[Target],
        machine: Machine,
        planned: dict[str, Planned],
    ) -> Trial | None:
        """Return a machine's trial, or None and add the points that have to run first."""
        found: dict[str, float] = {}
        for each in targets:
            try:
                found[each.name] = each.source.number(machine, self._done)
            except Missing as missing:
                planned.update((p.point.key, p) for p in missing.planned if p.point)
            except InputError as error:
                return Trial(stage, values, short, error=str(error))
            if each.name not in self._checked:
                each.source.check(machine)
                self._checked.add(each.name)
        if len(found) < len(targets):
            return None
        return Trial(
            stage,
            values,
            short,
            found,
            {t.name: t.wanted.miss(found[t.name]) for t in targets},
            {t.name: t.wanted.residual(found[t.name]) for t in targets},
            seconds=dict(machine.seconds),
        )
