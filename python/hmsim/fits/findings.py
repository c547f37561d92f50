# SPDX-License-Identifier: BSD-3-Clause
"""What a fit found: the best machine, ranges of keys, conflicts, neighbours and scores."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hmsim.fits.file import Fit, Target
from hmsim.fits.space import Space, Values, number, share
from hmsim.fits.trials import Trial
from hmsim.sweep.sampling import Range

DETERMINED = 0.05  # of the fitted value: half the range of a key that counts as determined
TIED = 0.1  # of a range: a key that moves this far with another one is tied to it
IN, OUT, EDGE = "in band", "out of band", "knife-edge"


@dataclass(frozen=True)
class KeyRange:
    """Values of a key in trials within all bands.

    Attributes:
        name: of the key.
        fitted: its value in the best machine.
        low, high: ends of the range, or for a list its values within the bands, joined, and ''.
        determined: whether they leave one value, or 5 % around it; None: no trial is in the bands,
            or none probed how far the key goes.
        tied: other ranges that move with it from one end to the other.
    """

    name: str
    fitted: str
    low: str
    high: str
    determined: bool | None
    tied: tuple[str, ...] = ()

    def verdict(self) -> str:
        """Return the verdict in words."""
        if self.determined is None:
            return "not judged"
        return "determined" if self.determined else "undetermined"


@dataclass(frozen=True)
class Conflict:
    """Targets that no trial met together.

    Attributes:
        one, other: their names; ``other`` is '' if no trial met ``one`` at all.
        nearest: the trial that came nearest.
        miss: its larger miss of the two, in half bands.
    """

    one: str
    other: str
    nearest: Trial
    miss: float


@dataclass(frozen=True)
class Score:
    """How many targets a machine meets, and its mean miss in half bands, each cut at ten."""

    machine: str
    held_out: float
    held_out_miss: float
    fitted: float
    fitted_miss: float


@dataclass(frozen=True)
class Findings:
    """All trials of a fit.

    Attributes:
        fit: what was asked.
        space: of its keys.
        best: the best machine, with all targets.
        trials: all of them.
        neighbours: of the best machine: the key that is a step away, and the trial.
        random: machines at random, with all targets.
        unfitted: the machine without fitted keys, with all targets.
        seed: of the search.
    """

    fit: Fit
    space: Space
    best: Trial
    trials: Sequence[Trial]
    neighbours: Sequence[tuple[str, Trial]]
    random: Sequence[Trial]
    unfitted: Trial
    seed: int

    @cached_property
    def judged(self) -> list[Trial]:
        """Trials of whole runs that have all fitted targets."""
        names = {each.name for each in self.fit.fitted}
        return [t for t in self.trials if not t.short and not t.error and names <= t.found.keys()]

    @cached_property
    def inside(self) -> list[Trial]:
        """Trials of machines within all bands of fitted targets."""
        return [t for t in self.judged if t.meets(self.fit.fitted) and self.is_inside(t.values)]

    def status(self, target: Target) -> tuple[str, list[str]]:
        """Return whether the best machine meets a target, and the neighbours that do not."""
        if not self.best.meets([target]):
            return OUT, []
        failing = [
            f"{key}={trial.values[key]}"
            for key, trial in self.neighbours
            if not trial.error and not trial.meets([target])
        ]
        return (EDGE if failing else IN), failing

    @cached_property
    def ranges(self) -> list[KeyRange]:
        """The range of each key over the trials within all bands."""
        return [self._range(name) for name in self.fit.over]

    def _range(self, name: str) -> KeyRange:
        domain, fitted = self.fit.over[name], self.best.values[name]
        probed = any(trial.stage in ("probe", "entry") for trial in self.trials)
        if not self.inside:
            return KeyRange(name, fitted, "", "", None)
        if not isinstance(domain, Range):
            met = {trial.values[name] for trial in self.inside}
            kept = [text for text in domain.values if text in met]
            return KeyRange(name, fitted, ", ".join(kept), "", len(kept) == 1 if probed else None)
        ordered = sorted(self.inside, key=lambda trial: number(trial.values[name]))
        ends = ordered[0].values, ordered[-1].values
        low, high = (number(each[name]) for each in ends)
        whole = abs(number(fitted)) or domain.high - domain.low
        determined = (high - low) / 2 <= DETERMINED * whole if probed else None
        tied = self._tied(name, *ends) if determined is False else ()
        return KeyRange(name, fitted, ends[0][name], ends[1][name], determined, tied)

    def _tied(self, name: str, low: Values, high: Values) -> tuple[str, ...]:
        return tuple(
            other
            for other, domain in self.space.ranges.items()
            if other != name and abs(share(domain, high[other]) - share(domain, low[other])) > TIED
        )

    def is_inside(self, values: Values) -> bool:
        """Return whether all values are in their domains; neighbours may be outside."""
        for name, domain in self.fit.over.items():
            if isinstance(domain, Range):
                if not domain.low <= number(values[name]) <= domain.high:
                    return False
            elif values[name] not in domain.values:
                return False
        return True

    def conflicts(self) -> list[Conflict]:
        """Return fitted targets that no trial met, alone or two together, nearest first."""
        alone = []
        reached = []
        for target in self.fit.fitted:
            if any(trial.meets([target]) for trial in self.judged):
                reached.append(target)
            else:
                alone.append(self._conflict(target))
        pairs = [
            self._conflict(*pair)
            for pair in itertools.combinations(reached, 2)
            if not any(trial.meets(pair) for trial in self.judged)
        ]
        return sorted(alone, key=lambda each: each.miss) + sorted(pairs, key=lambda each: each.miss)

    def _conflict(self, one: Target, other: Target | None = None) -> Conflict:
        both = [one] if other is None else [one, other]
        nearest = min(self.judged, key=lambda trial: trial.worst(both))
        return Conflict(one.name, other.name if other else "", nearest, nearest.worst(both))

    def scores(self) -> list[Score]:
        """Return the scores of the fitted machine, machines at random, and the unfitted one."""
        return [
            self._score("fitted", [self.best]),
            self._score(f"at random, mean of {len(self.random)}", self.random),
            self._score("unfitted", [self.unfitted]),
        ]

    def _score(self, machine: str, trials: Sequence[Trial]) -> Score:
        found: list[float] = []
        for targets in (self.fit.held_out, self.fit.fitted):
            for part in (_met, _missed):
                values = [part(trial, targets) for trial in trials]
                found.append(math.fsum(values) / len(values) if targets else math.nan)
        return Score(machine, *found)


def _met(trial: Trial, targets: Sequence[Target]) -> float:
    return float(sum(trial.meets([each]) for each in targets))


def _missed(trial: Trial, targets: Sequence[Target]) -> float:
    most = 10.0
    misses = [most if trial.error else min(trial.misses[t.name], most) for t in targets]
    return math.fsum(misses) / max(1, len(misses))
