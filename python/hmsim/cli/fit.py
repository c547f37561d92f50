# SPDX-License-Identifier: BSD-3-Clause
"""The command ``fit``."""

import contextlib
from typing import Annotated, Any, Optional

import typer

from hmsim.cli.support import (
    Cluster,
    Jobs,
    Json,
    NoCalibrate,
    count,
    print_json,
    print_table,
    print_wrapped,
    resumable,
)
from hmsim.common.packages import need
from hmsim.fits import tables
from hmsim.fits.file import load_fit
from hmsim.fits.page import CONFIG, PAGE, TEXT, summary
from hmsim.fits.run import fit as run_fit
from hmsim.points.clusters import load_cluster
from hmsim.runs.options import LARGEST_SEED

MOST_COLUMNS = 6  # of a table in a terminal; the pages have all


def fit(
    file: Annotated[
        str, typer.Argument(metavar="FIT", help="A fit file: a path or a shipped name.")
    ],
    trials: Annotated[
        int, typer.Option(help="Machines that the search tries.", parser=count(4), metavar="N")
    ] = 200,
    hold_out: Annotated[
        Optional[list[str]],
        typer.Option(
            metavar="GROUP", help="Do not show a group of targets to the search; may be repeated."
        ),
    ] = None,
    out: Annotated[
        Optional[str],
        typer.Option(
            metavar="DIR", help="Directory, new or to resume; by default the stem of FIT."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the search.")] = 1,
    cluster: Cluster = None,
    jobs: Jobs = None,
    no_calibrate: NoCalibrate = False,
    search_only: Annotated[
        bool,
        typer.Option(
            "--search-only", help="Neither refine the best machine nor probe how far keys go."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Look for the values of keys that explain given numbers; run it again to resume.

    DIR/fit.html and fit.md say what was reached, which keys the numbers determine, which targets
    contradict each other, and how the machine predicts targets that it was not fitted to.
    DIR/fitted.yaml is the machine.
    """
    loaded = load_fit(file)
    need("a fit", "optimise", "optuna")
    place = load_cluster(cluster) if cluster is not None else None
    directory = out or loaded.sweep.path.stem
    with resumable(f"finished runs are kept in {directory}"), contextlib.ExitStack() as stack:
        client = stack.enter_context(place.client()) if place else None
        how: dict[str, Any] = {"jobs": jobs, "client": client, "progress": True}
        how |= {"refine": not search_only}
        how |= {"calibrate": not no_calibrate, "hold_out": hold_out or (), "seed": seed}
        found = run_fit(loaded, directory, trials=trials, **how).findings
    parts = [tables.targets(found), tables.keys(found), tables.conflicts(found)]
    parts += [tables.scores(found)]
    if json:
        print_json({part.name.lower(): part.records() for part in parts})
    else:
        for part in parts:
            if part.rows:
                columns = part.titles()[:MOST_COLUMNS]
                print_table(columns, [row[:MOST_COLUMNS] for row in part.rows], part.name)
        print_wrapped(f"{summary(found)} {directory}: {PAGE}, {TEXT}, {CONFIG}.")
