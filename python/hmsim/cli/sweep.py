# SPDX-License-Identifier: BSD-3-Clause
"""The command ``sweep``."""

import contextlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from hmsim._core import InputError
from hmsim.cli.support import Cluster, Jobs, NoCalibrate, print_message, print_table, resumable
from hmsim.common.packages import need
from hmsim.common.tables import interval
from hmsim.points.clusters import load_cluster
from hmsim.sweep.file import Sweep, load_sweep
from hmsim.sweep.optimise import Trial, best
from hmsim.sweep.plan import (
    DATASET,
    Planned,
    Planner,
    check_statistics,
    sweep_directory,
    with_tables,
    write_plan,
)
from hmsim.sweep.results import read_plan, summary
from hmsim.sweep.run import estimate, run_planned, run_search

if TYPE_CHECKING:
    import pandas as pd

UNFINISHED = 1  # exit status: points remain, through no fault of theirs
MOST_ROWS = 40  # of the summary


def sweep(
    file: Annotated[
        str, typer.Argument(metavar="SWEEP", help="A sweep file: a path or a shipped name.")
    ],
    out: Annotated[
        Optional[str],
        typer.Option(
            metavar="DIR", help="Directory, new or to resume; by default the stem of SWEEP."
        ),
    ] = None,
    cluster: Cluster = None,
    jobs: Jobs = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan; run and write nothing.")
    ] = False,
    timed: Annotated[
        bool, typer.Option("--estimate", help="Print the plan and its hours, by up to four points.")
    ] = False,
    no_calibrate: NoCalibrate = False,
) -> None:
    """Run the missing points of a sweep file; run it again to resume.

    DIR/results.parquet contains the results, one row per point. hmsim.load_results reads it, also
    before the sweep has finished.
    """
    loaded = load_sweep(file)
    place = load_cluster(cluster) if cluster is not None else None
    if loaded.is_search and (dry_run or timed):
        raise InputError(
            f"{file}: a search has neither --dry-run nor --estimate: its points depend on results"
        )
    if not (dry_run or timed):
        if place is not None:
            place.check()
        if loaded.is_search:
            need("a search", "optimise", "optuna")
    kept = f"finished points are kept in {out or loaded.path.stem}"
    with resumable(kept):
        planned = [] if loaded.is_search else Planner(loaded).plan()
    if dry_run:
        check_statistics(loaded.statistics, [each.point for each in planned if each.point])
        _print_plan(loaded, planned)
        return
    with resumable(kept), sweep_directory(out or loaded.path.stem) as directory:
        planned = with_tables(planned, not no_calibrate, jobs, True)
        if not loaded.is_search:
            check_statistics(loaded.statistics, [each.point for each in planned if each.point])
            write_plan(directory, planned, sys.argv)
        if timed:
            workers = place.workers if place else jobs
            _print_plan(loaded, planned)
            print(estimate(directory, planned, workers))
            return
        started = time.monotonic()
        with contextlib.ExitStack() as stack:
            client = stack.enter_context(place.client()) if place else None
            how: dict[str, Any] = {"jobs": jobs, "client": client, "progress": True}
            if loaded.is_search:
                how["calibrate"] = not no_calibrate
                trials = run_search(directory, loaded, sys.argv, loaded.statistics, **how)
                table = read_plan(directory)
                _print_best(loaded, best(loaded, trials))
            else:
                table = run_planned(directory, planned, **how)
        _print_results(loaded, table, directory, time.monotonic() - started)
    if table.attrs["missing"]:
        raise typer.Exit(UNFINISHED)


def _print_best(loaded: Sweep, trials: list[Trial]) -> None:
    assert loaded.samples is not None
    names = [*loaded.samples.over, *(f">{name.text}" for name in loaded.samples.objective)]
    rows = [[*trial.values.values(), *(trial.objectives or ())] for trial in trials]
    print_table(names, rows, "best" if len(rows) == 1 else "Pareto-optimal trials")


def _print_plan(loaded: Sweep, planned: list[Planned]) -> None:
    names = list(dict.fromkeys(name for each in planned for name in each.labels))
    rows = []
    for name in names:
        values = list(dict.fromkeys(each.labels.get(name) for each in planned))
        shown = ", ".join(map(str, values[:8])) + (", ..." if len(values) > 8 else "")
        rows.append((name, len(values), shown))
    print_table(("axis", ">values", ""), rows, f"{loaded.path.stem}: {len(planned)} points")
    bad = [each.error for each in planned if each.error]
    if bad:
        print(f"{len(bad)} of them cannot be run; the first error: {bad[0].splitlines()[0]}")


def _print_results(loaded: Sweep, table: "pd.DataFrame", directory: Path, seconds: float) -> None:
    failed = table[table["error"] != ""]
    shown = [name.text for name in loaded.show if name.text in table.columns]
    if shown:
        means = summary(table, shown)
        axes = [n for n in means.attrs["axes"] if means[n].nunique(dropna=False) > 1]
        titles = [
            f"{n} ({table.attrs['units'][n]})" if table.attrs["units"][n] else n for n in shown
        ]
        rows = [
            [
                *(str(row[n]) for n in axes),
                *(interval(row[n], row[f"{n}.high"] - row[n]) for n in shown),
            ]
            for row in means.head(MOST_ROWS).to_dict("records")
        ]
        print_table((*axes, *(f">{title}" for title in titles)), rows)
        if len(means) > MOST_ROWS:
            print(f"... and {len(means) - MOST_ROWS} more")
    for error, rows in failed.groupby("error", sort=False):
        print_message(f"{len(rows)} points failed: {error}")
    print(f"{len(table)} points in {seconds:.1f} s, {len(failed)} failed: {directory / DATASET}")
