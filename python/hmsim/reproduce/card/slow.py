# SPDX-License-Identifier: BSD-3-Clause
"""Slow memories: a fit, what it holds out, all measured points, and wrong models.

configs/anchors/slow_memories.yaml has measurements and method, configs/fits the runs and targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from hmsim.fits import tables
from hmsim.fits.file import Target, load_fit
from hmsim.fits.findings import Findings
from hmsim.fits.formula import Formula
from hmsim.fits.picture import picture
from hmsim.fits.run import find
from hmsim.fits.source import FormulaSource
from hmsim.fits.trials import Bench
from hmsim.fits.wanted import Wanted
from hmsim.points.point import Outcome, measure
from hmsim.reproduce.card.content import Cell, Chart, Line, Section, Table
from hmsim.reproduce.card.method import Extent, read
from hmsim.reproduce.card.parallel import Report, run_all
from hmsim.sweep.plan import Planned

FILE = "slow_memories.yaml"
PARTS = ("optane", "cmm_h", "cxl")
FEW = 8  # trials of a small card
TEXT = (
    "Keys are fitted to the targets marked so, and the others were held out: the search did not "
    "see them. A band is that of the method, fixed before the first run. A wrong model is the "
    "fitted machine with the keys given, and must miss the targets listed."
)


def _points(given: Mapping[str, Any]) -> Iterator[tuple[str, str, Target, bool]]:
    """Yield group, place, target and whether it was fitted, of all measured points."""
    for group, each in given.items():
        for at, real in zip(each["at"], each["is"]):
            text = each["of"].replace("{}", str(at).replace(".", "_"))
            source = FormulaSource(Formula(text), FILE)
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
    return Table("Targets", columns, rows, f"{FILE}, configs/fits/{found.fit.sweep.path.name}")


def _wrong(bench: Bench, best: Mapping[str, str], models: Mapping[str, Any]) -> Table:
    """Run wrong models; each is the fitted machine with other keys."""
    by_name = {each.name: each for each in bench.fit.targets}
    rows: list[list[Cell]] = []
    for name, model in models.items():
        wanted = [by_name[each] for each in model["must_miss"]]
        keys = {key: str(value) for key, value in model["set"].items()}
        (trial,) = bench.evaluate("wrong model", [{**best, **keys}], wanted)
        for each in wanted:
            got = trial.found.get(each.name, float("nan"))
            verdict = trial.error or ("met" if trial.meets([each]) else "missed")
            error = _error(got, each.wanted.centre)
            rows.append([name, each.name, tables.wanted(each.wanted), got, error, verdict])
    columns = ("wrong model", "must miss", "measured", "hmsim", "error, %", "verdict")
    return Table("Wrong models", columns, rows, f"{FILE}, wrong_models")


def compared(
    name: str, trials: int, jobs: int, report: Report
) -> tuple[Findings, Sequence[Table], Sequence[Chart]]:
    """Fit a block, and return what was found, with its tables and charts."""
    method = read(FILE)[name]["method"]
    count = 0

    def run(planned: Sequence[Planned]) -> list[Outcome]:
        nonlocal count
        count += 1
        tasks = [partial(measure, each.point, each.point.key) for each in planned if each.point]
        return run_all(tasks, jobs, lambda _: report(count / (count + 30)))

    bench = Bench(load_fit(name), run, lambda planned: planned)
    found = find(bench, trials, seed=1)
    best = found.best.values
    points = list(_points(method["points"]))
    (trial,) = bench.evaluate("points", [best], [each for _, _, each, _ in points])
    rows: list[list[Cell]] = []
    charts: list[Chart] = []
    for group in method["points"]:
        own = [(at, each, fitted) for g, at, each, fitted in points if g == group]
        real = [each.wanted.low for _, each, _ in own]
        got = [trial.found[each.name] for _, each, _ in own]
        for (at, _, fitted), theirs, ours in zip(own, real, got):
            use = "fitted" if fitted else ""
            rows.append([group, at, theirs, ours, _error(ours, theirs), use])
        if len(own) > 2:
            lines = [Line(n, list(enumerate(y))) for n, y in (("measured", real), ("hmsim", got))]
            lines[0] = Line("measured", lines[0].points, measured=True)
            charts.append(Chart(group, lines, [at for at, _, _ in own]))
    columns = ("quantity", "at", "measured", "hmsim", "error, %", "use")
    every = [
        _targets(found),
        _wrong(bench, best, method["wrong_models"]),
        *(tables.keys(found), tables.scores(found), tables.conflicts(found)),
        Table("All points", columns, rows, f"{FILE}, points; formulas: configs/fits/{name}.yaml"),
    ]
    return found, [each for each in every if each.rows], charts


def section(name: str, extent: Extent, jobs: int, report: Report) -> Section:
    """Compare a block of the file."""
    method = read(FILE)[name]["method"]
    trials = method["trials"] if extent.offered is None else FEW
    found, every, charts = compared(name, trials, jobs, report)
    expected = " ".join(f"({i}) {text}." for i, text in enumerate(method["expected"], 1))
    text = f"{TEXT} {method['model']} Expected before the first run: {expected}".replace("..", ".")
    drawn = [picture(found, key) for key in found.fit.over]
    return Section(name, text, [*every], [*charts], pictures=drawn)
