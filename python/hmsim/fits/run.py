# SPDX-License-Identifier: BSD-3-Clause
"""Runs fits: search, refinement, probes, neighbours, conflicts and held-out targets."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from hmsim._core import InputError
from hmsim.common.progress import Bars
from hmsim.fits.file import Fit, load_fit
from hmsim.fits.findings import Findings
from hmsim.fits.local import Local, Slopes
from hmsim.fits.page import write
from hmsim.fits.result import Fitted
from hmsim.fits.search import BATCH, approach, optuna_module, search
from hmsim.fits.space import Space
from hmsim.fits.trials import Bench, Runner, Trial
from hmsim.points.point import Outcome
from hmsim.points.run import run_missing
from hmsim.points.store import Store
from hmsim.points.workers import Place, Processes
from hmsim.sweep.plan import Planned, finish, sweep_directory, with_tables, write_plan

RANDOM = 8  # machines at random beside the fitted one
LONG = 0.1  # of the trials of short runs: run whole
CONFLICTS = 3  # pairs that are searched for
SHARE = 8  # one trial for each so many of the search's, for a pair
LEAST = 32  # of these
ROUNDS = 2  # of refinement with each other entry of a list


def fit(
    file: str | os.PathLike[str] | Fit,
    out: str | os.PathLike[str] | None = None,
    *,
    trials: int = 200,
    hold_out: Sequence[str] = (),
    seed: int = 1,
    jobs: int | None = None,
    client: Place | None = None,
    progress: bool = False,
    calibrate: bool = True,
    refine: bool = True,
) -> Fitted:
    """Look for values of keys that explain targets, and return them with what they leave open.

    Args:
        file: a fit file, the name of a shipped one, or a result of `load_fit`.
        out: directory; one of this fit is resumed. By default the file's stem, in the current
            directory. It gets the page, ``fit.html`` and ``fit.md``, and ``fitted.yaml``.
        trials: of the search. What follows runs about half as many machines again.
        hold_out: groups of targets that the search must not see.
        seed: of the search.
        jobs: as for `hmsim.run_points`.
        client: as for `hmsim.run_points`.
        progress: as for `hmsim.run_points`.
        calibrate: as for `hmsim.run_points`.
        refine: whether to move from the best machine, for a better one, for the ranges of keys
            and for targets that none met; without, for costly machines, the search is all.

    Raises:
        InputError: the file or the directory is at fault; finished points are kept.
    """
    optuna_module()
    loaded = (file if isinstance(file, Fit) else load_fit(file)).holding_out(hold_out)
    with sweep_directory(out or loaded.sweep.path.stem) as directory, contextlib.ExitStack() as run:
        client = client or run.enter_context(Processes(jobs))
        bars = run.enter_context(Bars(progress))
        run.callback(finish, directory)
        bench = Bench(loaded, _runner(directory, client, bars), partial(_ready, calibrate))
        found = find(bench, trials, seed, refine)
        write(directory, found)
    return Fitted(found)


def _ready(calibrate: bool, planned: Planned) -> Planned:
    """Return a point with the table that its policy needs, trained if it is missing."""
    return with_tables([planned], calibrate, None, False)[0]


def _runner(directory: Path, client: Place, bars: Bars) -> Runner:
    """Return what finishes points in a directory."""
    store = Store(directory)
    plan: dict[str, Planned] = {}
    write_plan(directory, [], [])

    def run(planned: Sequence[Planned]) -> list[Outcome]:
        points = [each.point for each in planned if each.point]
        plan.update((point.key, each) for point, each in zip(points, planned))
        if points:
            write_plan(directory, list(plan.values()), [])
            run_missing(points, store, client=client)
            bars.report("fit", None, f"{len(plan)} runs")
        return [store.outcome(point.key) for point in points]

    return run


def find(bench: Bench, count: int, seed: int, refine: bool = True) -> Findings:
    """Run all trials of a fit. Raises InputError: none has numbers."""
    wanted = bench.fit
    space = Space(wanted.over)
    tried = search(bench, space, count, seed)
    if bench.has_short:
        tried = _best(tried, wanted, max(1, round(LONG * len(tried))))
        tried = bench.evaluate("whole", [each.values for each in tried])
    (best,) = _best(tried, wanted, 1)
    if refine:
        best, slopes = _refined(bench, space, tried)
        if best.meets(wanted.fitted):
            Local(bench, space).probe(best, slopes)
    every = wanted.targets
    (best,) = bench.evaluate("best", [best.values], every)
    if best.error:  # of a run that only held-out targets need: finished points are kept
        raise InputError(best.error)
    beside = space.neighbours(best.values)
    judged = [each for each in every if each in wanted.fitted or best.meets([each])]
    around = bench.evaluate("neighbour", [values for _, values in beside], judged)
    drawn = bench.evaluate("random", space.drawn(RANDOM, seed), every)
    constants = {name: space.ranges[name].at(0.0) for name in wanted.constants}
    (unfitted,) = bench.evaluate("unfitted", [constants], every)
    neighbours = [(name, trial) for (name, _), trial in zip(beside, around)]

    def findings() -> Findings:
        mine = [each for each in bench.trials if each is not unfitted]
        return Findings(wanted, space, best, mine, neighbours, drawn, unfitted, seed)

    if refine:
        _approach(bench, space, findings, count, seed)
    return findings()


def _refined(bench: Bench, space: Space, tried: Sequence[Trial]) -> tuple[Trial, Slopes]:
    """Return the best trial after refinement, from the best one and with each entry of lists."""
    fit, local = bench.fit, Local(bench, space)
    (first,) = _best(tried, fit, 1)
    found = [local.refined(first)]
    for name, domain in space.lists.items():
        others = [text for text in domain.values if text != first.values[name]]
        swapped = bench.evaluate("entry", [{**first.values, name: text} for text in others])
        for text, alike in zip(others, swapped):
            own = [each for each in (*tried, alike) if each.values[name] == text]
            (start,) = _best(own, fit, 1)
            if not start.error:
                found.append(local.refined(start, ROUNDS))
    return min(found, key=lambda each: each[0].loss(fit.fitted))


def _best(trials: Sequence[Trial], fit: Fit, count: int) -> list[Trial]:
    return sorted(trials, key=lambda each: each.loss(fit.fitted))[:count]


def _approach(
    bench: Bench, space: Space, findings: Callable[[], Findings], count: int, seed: int
) -> None:
    """Look for machines that meet targets that none met: each alone, then the nearest pairs."""
    by_name = {each.name: each for each in bench.fit.targets}
    for each in findings().conflicts():
        if not each.other:
            Local(bench, space, [by_name[each.one]]).refined(each.nearest)
    pairs = [each for each in findings().conflicts() if each.other][:CONFLICTS]
    for each in pairs:
        pair = [by_name[each.one], by_name[each.other]]
        known = findings()
        near = sorted(known.judged, key=lambda trial: trial.worst(pair))
        inside = [trial for trial in near if known.is_inside(trial.values)][:BATCH]
        approach(bench, space, pair, inside, max(count // SHARE, LEAST), seed)
