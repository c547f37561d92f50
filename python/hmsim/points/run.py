# SPDX-License-Identifier: BSD-3-Clause
"""Runs points that a directory does not hold yet, and returns all of them as a table."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hmsim.common.directories import remove_dead
from hmsim.common.progress import Bars, inform
from hmsim.points.point import NAMES, OUTCOME, Outcome, Point, Scalar, column_of
from hmsim.points.store import AGAIN, DONE, FAILED, Store
from hmsim.points.workers import Place, end_unguarded_worker, outcomes
from hmsim.runs.calibration import with_table

if TYPE_CHECKING:  # take a while to import
    import pandas as pd


def run_points(
    points: Iterable[Point],
    out: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    client: Place | None = None,
    progress: bool = False,
    calibrate: bool = True,
) -> pd.DataFrame:
    """Run the points that are not in ``out`` yet, and return all of them as a table.

    Args:
        points: in the order of the table's rows.
        out: a directory, created if missing; several sets of points may share it.
        jobs: parallel processes; by default one per processor. With 1, points run in this process.
        client: of a Dask cluster to run on, instead of processes of this machine.
        progress: report it on standard error: bars on a terminal, otherwise lines.
        calibrate: train missing tables that policies need, once; false: raise InputError instead.

    Returns:
        One row per point. Columns: ``config``, ``policy``, ``workload``, ``seed``, the points'
        axes, ``point`` (the key), ``error`` (empty without an error), and every statistic under its
        path, or PATH.measured if an axis has that name; NaN where a run lacks it.
        ``attrs["units"]`` has the unit of each statistic, ``attrs["axes"]`` the names of the
        columns before ``point``.

    Raises:
        InputError: ``out`` cannot be written (finished points are kept).
    """
    end_unguarded_worker()
    wanted, store = points_with_tables([*points], calibrate, jobs, progress), Store(out)
    run_missing(wanted, store, jobs=jobs, client=client, progress=progress)
    return as_table([(each.labels(), store.outcome(each.key)) for each in wanted])


def points_with_tables(
    points: Sequence[Point], calibrate: bool, jobs: int | None, progress: bool
) -> list[Point]:
    """Return the points with the tables that policies need; each is trained once, in advance."""
    configs = dict.fromkeys(each.config for each in points)
    ready = {config: with_table(config, calibrate, jobs, progress) for config in configs}
    return [replace(each, config=ready[each.config]) for each in points]


def run_missing(
    points: Sequence[Point],
    store: Store,
    *,
    jobs: int | None = None,
    client: Place | None = None,
    progress: bool = False,
) -> None:
    """Run the points that the store does not hold. Raises InputError: it cannot keep them."""
    remove_dead(store.folder)
    states = {each.key: store.state(each.key) for each in points}
    missing = {each.key: each for each in points if states[each.key] in (None, AGAIN)}
    total, failed = len(states), list(states.values()).count(FAILED)
    done = total - len(missing)
    inform(f"{done} of {total} points have results in {store.folder}")
    with contextlib.ExitStack() as stack:
        bars = stack.enter_context(Bars(progress))
        running = stack.enter_context(
            contextlib.closing(outcomes(list(missing.values()), jobs, client))
        )
        if missing:
            bars.report("points", done / total, f"{done}/{total}, {failed} failed")
        for lines in running:
            done += len(lines)
            failed += sum(state != DONE for state, _ in lines)
            store.append(lines, last=done == total)
            bars.report("points", done / total, f"{done}/{total}, {failed} failed")


def as_table(rows: Sequence[tuple[Mapping[str, Scalar], Outcome]]) -> pd.DataFrame:
    """Return the table of `run_points`, from the points' labels and outcomes."""
    from hmsim.common.statistic_table import StatisticTable

    axes = list(dict.fromkeys([*NAMES, *(name for labels, _ in rows for name in labels)]))
    columns = {
        path: column_of(path, axes) for path in sorted({p for _, done in rows for p in done.values})
    }
    units: dict[str, list[str]] = {name: [] for name in columns.values()}
    for _, outcome in rows:
        for path in outcome.values:
            if (unit := outcome.units.get(path, "")) not in units[columns[path]]:
                units[columns[path]].append(unit)
    table = StatisticTable(
        [
            {
                **labels,
                **dict(zip(OUTCOME, (outcome.key, outcome.error))),
                **{columns[path]: value for path, value in outcome.values.items()},
            }
            for labels, outcome in rows
        ],
        columns=[*axes, *OUTCOME, *columns.values()],
    )
    table.attrs["axes"] = axes
    table.attrs["units"] = {name: " or ".join(found) for name, found in units.items()}
    return table
