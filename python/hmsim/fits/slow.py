# SPDX-License-Identifier: BSD-3-Clause
"""Slow memories and pairs of drives: held-out targets, all measured points, and wrong models.

configs/anchors has measurements and methods, a fit file the runs and targets of each.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hmsim._core import InputError
from hmsim.config.node_reader import Value
from hmsim.fits import tables
from hmsim.fits.file import Fit, Target, load_fit
from hmsim.fits.findings import Findings
from hmsim.fits.formula import Formula
from hmsim.fits.picture import picture
from hmsim.fits.run import find
from hmsim.fits.source import FormulaSource
from hmsim.fits.space import Space, Values
from hmsim.fits.trials import Bench, Runner
from hmsim.fits.wanted import Wanted
from hmsim.points.point import Outcome, measure
from hmsim.reproduce.card.content import Cell, Chart, Line, Section, Table
from hmsim.reproduce.card.method import Extent, anchors, read
from hmsim.reproduce.card.parallel import Report, run_all
from hmsim.sweep.plan import Planned

FILE = "slow_memories.yaml"
PAIRS = "over_provisioning"  # a part of another file, of which nothing is fitted
FEW = 8  # trials of a small card
FITTED = "Keys are fitted to the targets marked so; the search did not see the others."
TEXT = (
    "Bands of held-out targets were fixed before the first run. A wrong model is the same machine "
    "with other keys, and must miss the targets listed."
)


def block(name: str) -> dict[str, Any]:
    """Return the method of a part, with the names of its file and of its runs' file."""
    if name == PAIRS:
        content = read("steady_drives.yaml")
        return {**content["method"], "file": content["file"], "runs": anchors() / f"{PAIRS}.yaml"}
    return {**read(FILE)[name]["method"], "file": FILE, "runs": name}


def _points(given: Mapping[str, Any]) -> Iterator[tuple[str, str, Target, bool]]:
    """Yield group, place, target and whether it was fitted, of all measured points."""
    for group, each in given.items():
        for at, real in zip(each["at"], each["is"]):
            text = each["of"].replace("{}", str(at).replace(".", "_"))
            source = FormulaSource(Formula(text), group)
            target = Target(f"{group} {at}", text, Wanted(real, real, real), source)
            yield group, str(at), target, at in each.get("fitted", ())


def _error(got: float, real: float | None) -> Cell:
    return None if real is None else 100 * (got / real - 1)


def _targets(found: Findings) -> Table:
    rows: list[list[Cell]] = []
    for each in found.fit.targets:
        got, use = found.best.found[each.name], "held out" if each.hold_out else "fitted"
        error = _error(got, each.wanted.centre)
        verdict = found.status(each)[0]
        rows.append([each.name, use, tables.wanted(each.wanted), got, error, verdict])
    columns = ("target", "use", "measured", "hmsim", "error, %", "verdict")
    return Table("Targets", columns, rows, found.fit.sweep.path.name)


def wrong(fit: Fit, best: Values, models: Mapping[str, Any], run: Runner) -> Table:
    """Run wrong models; each is the fitted machine with other keys."""
    by_name = {each.name: each for each in fit.targets}
    rows: list[list[Cell]] = []
    for name, model in models.items():
        wanted = [by_name[each] for each in model["must_miss"]]
        keys = {key: Value(str(value), name) for key, value in model["set"].items()}
        runs = {n: replace(each, values={**each.values, **keys}) for n, each in fit.runs.items()}
        bench = Bench(replace(fit, runs=runs), run, lambda planned: planned)
        for each in wanted:
            got, verdict = math.nan, "no such number"
            with contextlib.suppress(InputError):  # the model lacks the statistic
                (trial,) = bench.evaluate("wrong model", [best], [each])
                got = trial.found.get(each.name, math.nan)
                verdict = trial.error or ("met" if trial.meets([each]) else "missed")
            error = _error(got, each.wanted.centre)
            rows.append([name, each.name, tables.wanted(each.wanted), got, error, verdict])
    columns = ("wrong model", "must miss", "measured", "hmsim", "error, %", "verdict")
    return Table("Wrong models", columns, rows, "the method's wrong_models")


def _fitted(fit: Fit, bench: Bench, trials: int) -> Findings:
    """Fit, or run the machine as it is if no key is fitted."""
    if fit.over:
        return find(bench, trials, seed=1)
    (best,) = bench.evaluate("best", [{}], fit.targets)
    return Findings(fit, Space({}), best, [best], (), (), best, 1)


def _all_points(
    bench: Bench, best: Values, given: Mapping[str, Any], where: str
) -> tuple[Table, list[Chart]]:
    points = list(_points(given))
    (trial,) = bench.evaluate("points", [best], [each for _, _, each, _ in points])
    rows: list[list[Cell]] = []
    charts: list[Chart] = []
    for group in given:
        own = [(at, each, fitted) for g, at, each, fitted in points if g == group]
        real = [each.wanted.low for _, each, _ in own]
        got = [trial.found[each.name] for _, each, _ in own]
        for (at, _, fitted), theirs, ours in zip(own, real, got):
            use = "fitted" if fitted else ""
            rows.append([group, at, theirs, ours, _error(ours, theirs), use])
        if len(own) > 2 and not isinstance(given[group]["at"][0], str):
            lines = [
                Line("measured", list(enumerate(real)), measured=True),
                Line("hmsim", list(enumerate(got))),
            ]
            charts.append(Chart(group, lines, [at for at, _, _ in own]))
    columns = ("quantity", "at", "measured", "hmsim", "error, %", "use")
    return Table("All points", columns, rows, where), charts


def section(name: str, extent: Extent, jobs: int, report: Report) -> Section:
    """Compare a part."""
    method = block(name)
    fit = load_fit(method["runs"], some_fitted=name != PAIRS)
    done: dict[str, Outcome] = {}

    def run(planned: Sequence[Planned]) -> list[Outcome]:
        points = {each.point.key: each.point for each in planned if each.point}
        lacking = [key for key in points if key not in done]
        share = len(done) / (len(done) + 100)
        tasks = [partial(measure, points[key], key) for key in lacking]
        done.update(zip(lacking, run_all(tasks, jobs, lambda _: report(share))))
        return [done[each.point.key] for each in planned if each.point]

    bench = Bench(fit, run, lambda planned: planned)
    found = _fitted(fit, bench, method["trials"] if extent.offered is None else FEW)
    best = found.best.values
    points, charts = _all_points(bench, best, method["points"], f"{method['file']}, points")
    every = [_targets(found), wrong(fit, best, method["wrong_models"], run)]
    if fit.over:
        every += [tables.keys(found), tables.scores(found), tables.conflicts(found)]
    expected = " ".join(f"({i}) {each}." for i, each in enumerate(method["expected"], 1))
    words = [*([FITTED] if fit.over else []), TEXT, method["model"]]
    text = f"{' '.join(words)} Expected before the first run: {expected}".replace("..", ".")
    drawn = [picture(found, key) for key in fit.over]
    shown = [each for each in (*every, points) if each.rows]
    return Section(name, text, shown, charts, pictures=drawn)
