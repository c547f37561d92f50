# SPDX-License-Identifier: BSD-3-Clause
"""The search of a fit: a Sobol start, then Optuna's TPE; NSGA-II for targets in conflict.

Trials are asked for in batches of a fixed size, so that the result does not depend on the number
of processes, and the seed makes it repeatable.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from hmsim._core import InputError
from hmsim.common.packages import need
from hmsim.fits.file import Target
from hmsim.fits.space import Space, Values
from hmsim.fits.trials import Bench, Trial

BATCH = 8
START = 0.25  # of the trials: from the Sobol sequence
MOST_START = 64
SEEDS = 1 << 32  # that Optuna takes


def optuna_module() -> Any:
    """Return Optuna, silent. Raises InputError: it is not installed."""
    need("a fit", "optimise", "optuna")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def start_size(count: int) -> int:
    """Return how many of ``count`` trials come from the Sobol sequence: a power of two."""
    wanted = min(max(START * count, 1), MOST_START, count)
    return 1 << int(math.log2(wanted))


def search(bench: Bench, space: Space, count: int, seed: int) -> list[Trial]:
    """Return ``count`` trials of short runs. Raises InputError: none ran."""
    optuna = optuna_module()
    sampler = optuna.samplers.TPESampler(
        seed=seed % SEEDS, n_startup_trials=0, multivariate=True, constant_liar=True
    )
    study = optuna.create_study(sampler=sampler)
    kinds = _distributions(optuna, space)
    targets = bench.fit.fitted
    trials = bench.evaluate("start", space.drawn(start_size(count), seed), short=True)
    for each in trials:
        if not each.error:
            params = _params(space, each.values)
            loss = each.loss(targets)
            study.add_trial(
                optuna.trial.create_trial(params=params, distributions=kinds, value=loss)
            )
    while len(trials) < count:
        size = min(BATCH, count - len(trials))
        asked = [study.ask(kinds) for _ in range(size)]
        done = bench.evaluate("search", [_values(space, each.params) for each in asked], short=True)
        for ticket, each in zip(asked, done):
            if each.error:
                study.tell(ticket, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(ticket, each.loss(targets))
        trials += done
    if all(each.error for each in trials):
        raise InputError(trials[0].error)
    return trials


def approach(
    bench: Bench, space: Space, pair: Sequence[Target], near: Iterable[Trial], count: int, seed: int
) -> list[Trial]:
    """Return trials that look for machines that meet both targets of a pair.

    Args:
        bench: runs them.
        space: of the keys.
        pair: two targets.
        near: the trials that the search begins with.
        count: how many to run.
        seed: of NSGA-II.
    """
    optuna = optuna_module()
    sampler = optuna.samplers.NSGAIISampler(seed=seed % SEEDS, population_size=BATCH)
    study = optuna.create_study(sampler=sampler, directions=["minimize"] * len(pair))
    kinds = _distributions(optuna, space)
    for each in near:
        study.enqueue_trial(_params(space, each.values))
    found: list[Trial] = []
    while len(found) < count and not any(each.meets(pair) for each in found):
        asked = [study.ask(kinds) for _ in range(BATCH)]
        done = bench.evaluate("conflict", [_values(space, each.params) for each in asked])
        for ticket, each in zip(asked, done):
            if each.error:
                study.tell(ticket, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(ticket, [each.misses[target.name] for target in pair])
        found += done
    return found


def _distributions(optuna: Any, space: Space) -> dict[str, Any]:
    kinds = optuna.distributions
    ranges = {name: kinds.FloatDistribution(0.0, 1.0) for name in space.ranges}
    lists = {name: kinds.CategoricalDistribution(d.values) for name, d in space.lists.items()}
    return {**ranges, **lists}


def _params(space: Space, values: Values) -> dict[str, Any]:
    places = dict(zip(space.ranges, space.shares(values)))
    return {**places, **{name: values[name] for name in space.lists}}


def _values(space: Space, params: dict[str, Any]) -> Values:
    chosen = {name: str(params[name]) for name in space.lists}
    return space.moved(chosen, [params[name] for name in space.ranges])
