# SPDX-License-Identifier: BSD-3-Clause
"""Runs sweeps: all points of a plan, a search trial by trial, or a few points for an estimate."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hmsim.config.node_reader import Value
from hmsim.points.point import Outcome
from hmsim.points.run import run_missing
from hmsim.points.store import Store
from hmsim.points.workers import Place, Processes
from hmsim.sweep.file import Combination, Sweep, load_sweep
from hmsim.sweep.optimise import Trial, search
from hmsim.sweep.plan import (
    Planned,
    Planner,
    check_statistics,
    finish,
    sweep_directory,
    with_tables,
    write_plan,
)
from hmsim.sweep.results import PLAN

if TYPE_CHECKING:  # take a while to import
    import pandas as pd

MINUTE, HOUR = 60, 3600  # seconds
SAMPLE = 4  # points that are timed for an estimate, at most
ENOUGH = 60  # seconds that they take together, behind which no further one is timed


def run_sweep(
    sweep: str | os.PathLike[str] | Sweep,
    out: str | os.PathLike[str] | None = None,
    *,
    jobs: int | None = None,
    client: Place | None = None,
    progress: bool = False,
    calibrate: bool = True,
) -> pd.DataFrame:
    """Run the points of a sweep that are missing, and return all as `hmsim.load_results` does.

    Args:
        sweep: a sweep file, the name of a shipped one, or a result of `load_sweep`.
        out: directory; one of this sweep is resumed. By default the file's stem, in the current
            directory.
        jobs: as for `hmsim.run_points`.
        client: as for `hmsim.run_points`.
        progress: as for `hmsim.run_points`.
        calibrate: as for `hmsim.run_points`.

    Raises:
        InputError: the file or the directory is at fault; finished points are kept.
    """
    loaded = sweep if isinstance(sweep, Sweep) else load_sweep(sweep)
    if loaded.is_search:
        with sweep_directory(out or loaded.path.stem) as directory:
            run_search(
                directory, loaded, jobs=jobs, client=client, progress=progress, calibrate=calibrate
            )
            return finish(directory)
    planned = Planner(loaded).plan()
    with sweep_directory(out or loaded.path.stem) as directory:
        planned = with_tables(planned, calibrate, jobs, progress)
        check_statistics(loaded.statistics, [each.point for each in planned if each.point])
        write_plan(directory, planned, [])
        return run_planned(directory, planned, jobs=jobs, client=client, progress=progress)


def run_planned(
    directory: Path,
    planned: Sequence[Planned],
    *,
    jobs: int | None = None,
    client: Place | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Run the missing points of a directory; write the dataset even if the run is interrupted."""
    points = [each.point for each in planned if each.point]
    try:
        run_missing(points, Store(directory), jobs=jobs, client=client, progress=progress)
    finally:
        table = finish(directory)
    return table


def run_search(
    directory: Path,
    sweep: Sweep,
    command: Sequence[str] = (),
    wanted: Sequence[Value] = (),
    *,
    jobs: int | None = None,
    client: Place | None = None,
    progress: bool = False,
    calibrate: bool = True,
) -> list[Trial]:
    """Run a search; however it ends, write the dataset of its points. Raises InputError.

    The names of the file's statistics and of those ``wanted`` are checked before any point runs.
    """
    planner, store = Planner(sweep), Store(directory)
    planned: list[Planned] = []

    with contextlib.ExitStack() as stack:
        stack.callback(finish, directory)
        pool = client or stack.enter_context(Processes(jobs))  # once, not for each trial

        def evaluate(combinations: Sequence[Combination]) -> list[Outcome]:
            trial = [planner.planned(combination) for combination in combinations]
            trial = with_tables(trial, calibrate, jobs, progress)
            points = [each.point for each in trial if each.point]
            if not planned:
                check_statistics([*sweep.statistics, *wanted], points)
            planned.extend(each for each in trial if each not in planned)
            write_plan(directory, planned, command)
            run_missing(points, store, client=pool, progress=progress)
            found = [store.outcome(each.key) for each in points]
            bad = [Outcome("", error=each.error) for each in trial if each.error]
            return [*found, *bad]

        if not (directory / PLAN).is_file():
            write_plan(directory, planned, command)
        return search(sweep, evaluate)


def estimate(directory: Path, planned: Sequence[Planned], workers: int | None) -> str:
    """Return an estimate of a sweep's duration, in words, from a few of its points that it runs.

    These points are kept: the sweep will not run them again. If points take long, as in gem5, one
    is run, or none if the directory already has one. Progress is reported on standard error.
    """
    points = {each.point.key: each.point for each in planned if each.point}
    store = Store(directory)
    finished = {key: found for key in points if (found := store.load(key)) and found.final}
    missing = [point for key, point in points.items() if key not in finished]
    step = max(1, len(missing) // SAMPLE)
    sample = missing[step // 2 :: step][:SAMPLE]
    timed = [*finished.values()]
    seconds = _seconds(timed)
    for point in sample:
        if sum(seconds) >= ENOUGH:
            break
        run_missing([point], store, jobs=1, progress=True)
        if found := store.load(point.key):
            timed.append(found)
        seconds = _seconds(timed)
    count = workers or len(os.sched_getaffinity(0))
    left = len(points) - len(timed)
    if not seconds:
        return f"{left} points are left to run; no finished point gives an estimate of their time"
    mean = sum(seconds) / len(seconds)
    return (
        f"{left} points are left to run, {len(points) - left} are finished. By "
        f"{len(seconds)} timed points ({min(seconds):.2f} .. {max(seconds):.2f} s "
        f"each, {mean:.2f} s on average): {_span(left * mean)} of one process, "
        f"{_span(left * mean / count)} of {count}"
    )


def _span(seconds: float) -> str:
    """Return a time in a readable unit: seconds, minutes or hours."""
    for unit, size in (("hours", HOUR), ("minutes", MINUTE)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} seconds"


def _seconds(outcomes: Sequence[Outcome]) -> list[float]:
    return [found.host["seconds"] for found in outcomes if "seconds" in found.host]
