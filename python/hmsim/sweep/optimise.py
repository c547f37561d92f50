# SPDX-License-Identifier: BSD-3-Clause
"""Successive search: Optuna proposes values and points evaluate them (``method: optimise``).

A trial sets one value of each domain; its objective is the mean over every combination of the
grid. Points are stored like any others, and the seed makes the search repeatable. A rerun takes the
finished trials from the store and continues after them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hmsim._core import InputError
from hmsim.common.packages import need
from hmsim.config.node_reader import Value
from hmsim.points.point import Outcome, column_of
from hmsim.sweep.file import Combination, Sweep
from hmsim.sweep.sampling import Choice, Domain

Evaluate = Callable[[Sequence[Combination]], Sequence[Outcome]]


@dataclass(frozen=True)
class Trial:
    """One trial: the values, and the mean of each objective; None if a point lacks it."""

    values: Mapping[str, str]
    objectives: tuple[float, ...] | None


def search(sweep: Sweep, evaluate: Evaluate) -> list[Trial]:
    """Return the trials of a sweep's search, in order.

    Args:
        sweep: with samples of the method optimise.
        evaluate: runs points, or finds them finished.

    Raises:
        InputError: Optuna is not installed, or no trial has the objective.
    """
    need("method: optimise", "optimise", "optuna")
    import optuna

    samples = sweep.samples
    assert samples is not None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    several = len(samples.objective) > 1
    sampler = optuna.samplers.NSGAIISampler if several else optuna.samplers.TPESampler
    ways = {
        "minimise": optuna.study.StudyDirection.MINIMIZE,
        "maximise": optuna.study.StudyDirection.MAXIMIZE,
    }
    study = optuna.create_study(
        sampler=sampler(seed=samples.seed % (1 << 32)),
        directions=[ways[way] for way in samples.directions],
    )
    trials: list[Trial] = []
    for _ in range(samples.count):
        asked = study.ask()
        texts = {name: _suggested(asked, name, d) for name, (d, _) in samples.over.items()}
        values = {name: Value(text, samples.over[name][1]) for name, text in texts.items()}
        found = _objectives(sweep, values, evaluate)
        trials.append(Trial(texts, found))
        if found is None:
            study.tell(asked, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(asked, list(found))
    if all(trial.objectives is None for trial in trials):
        names = ", ".join(each.text for each in samples.objective)
        raise InputError(f"{sweep.path}: objective: no point has a value of {names}")
    return trials


def _suggested(asked: Any, name: str, domain: Domain) -> str:
    if isinstance(domain, Choice):
        return str(asked.suggest_categorical(name, domain.values))
    low, high, log = domain.low, domain.high, domain.logarithmic
    if domain.whole:
        return f"{asked.suggest_int(name, int(low), int(high), log=log)}{domain.unit}"
    return f"{asked.suggest_float(name, low, high, log=log):.6g}{domain.unit}"


def _objectives(sweep: Sweep, values: Combination, evaluate: Evaluate) -> tuple[float, ...] | None:
    """Return the means over the grid, or None when a point has an error or no value."""
    assert sweep.samples is not None
    wanted = [row for row in trial_combinations(sweep, values) if sweep.allows(row)]
    if not wanted:
        return None
    outcomes = evaluate(wanted)
    rows = [{column_of(n, sweep.axes): v for n, v in each.values.items()} for each in outcomes]
    means = []
    for name in sweep.samples.objective:
        found = [row.get(name.text, math.nan) for row in rows]
        means.append(math.fsum(found) / len(found))
    return tuple(means) if all(map(math.isfinite, means)) else None


def trial_combinations(sweep: Sweep, values: Combination) -> Iterator[Combination]:
    """Yield a trial's values with every listed combination and every one of the grid."""
    for entry in sweep.entries or ({},):
        for row in sweep.grid_combinations():
            yield {**values, **entry, **row}


def best(sweep: Sweep, trials: Sequence[Trial]) -> list[Trial]:
    """Return the best trial, or with several objectives all trials that no other dominates."""
    assert sweep.samples is not None
    signs = [1 if way == "minimise" else -1 for way in sweep.samples.directions]
    sound = {t.objectives: t for t in reversed(trials) if t.objectives is not None}
    costs = [tuple(s * v for s, v in zip(signs, objectives)) for objectives in sound]
    kept = front(costs)
    return [trial for trial, is_kept in zip(sound.values(), kept) if is_kept]


def front(costs: Sequence[Sequence[float]]) -> list[bool]:
    """Return for each point whether it is on the Pareto front.

    No other point is at most as costly in every way and less in one.
    """
    return [
        not any(
            all(a <= b for a, b in zip(other, own)) and any(a < b for a, b in zip(other, own))
            for other in costs
        )
        for own in costs
    ]
