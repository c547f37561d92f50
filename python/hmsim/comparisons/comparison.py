# SPDX-License-Identifier: BSD-3-Clause
"""Systems and policies side by side on the same workloads and seeds."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hmsim import _core
from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.common.paths import cache_directory
from hmsim.common.progress import Bars
from hmsim.comparisons.table import Comparison, agent_rates, columns_of, row_of, with_seed
from hmsim.config.configuration import AnyBundle, Config
from hmsim.config.write_variants import difference
from hmsim.points.point import Outcome, Point, measurement
from hmsim.points.store import Store
from hmsim.runs.calibration import with_table
from hmsim.runs.options import Options, seeded
from hmsim.runs.request_log import RequestLog
from hmsim.runs.result import Result
from hmsim.runs.runner import AnyConfig, AnyWorkload, as_config, as_workload, named_system, simulate
from hmsim.runs.simpoints import combined, runs_of
from hmsim.workloads import mixes

if TYPE_CHECKING:  # takes a while to import: only for tables
    import pandas as pd

ALONE = ("own", "baseline")  # systems on which agents run alone


def compare(
    config: AnyConfig | Sequence[AnyConfig],
    policies: Sequence[AnyBundle],
    workloads: Sequence[AnyWorkload],
    *,
    seed: int = 1,
    seeds: int = 1,
    warmup: str | int | None = None,
    check: bool = False,
    jobs: int | None = None,
    progress: bool = False,
    calibrate: bool = True,
    alone: str = "own",
) -> pd.DataFrame:
    """Simulate every workload on every configuration under every policy bundle, side by side.

    Each agent also runs alone, on the same system or the first one, for slowdowns. Each run is
    cached when it ends and is not repeated.

    Args:
        config: a Config, a path, or the name of a shipped configuration; or a list of these. For
            several configurations ``policies`` may be empty: each then runs under its own policies,
            or, if named as ``CONFIG,POLICY``, under that bundle.
        policies: policy bundles: names, paths or Bundles; speedups are over the first system. A
            name or path may give a write mode: ``split,drained``, ``split,mixed``. A warning is
            printed if the modes differ.
        workloads: Workloads, paths or names of shipped workloads.
        seed: of every run; the first one, if there are several.
        seeds: number of runs of each system, with consecutive seeds.
        warmup: as for `hmsim.run`.
        check: as for `hmsim.run`; all runs are repeated, even those in the cache.
        jobs: parallel simulations; by default one per processor. It does not change the result.
        progress: report it on standard error: bars on a terminal, otherwise lines.
        calibrate: as for `hmsim.run`.
        alone: the system on which agents run alone: ``own``, the same one, or ``baseline``, the
            first one.

    Returns:
        One row per workload, seed, configuration and policy. Columns: ``workload``, ``config``,
        ``policy`` (None without one), ``seed`` (only with several); per agent
        ``agent.N.rate`` (instructions, 4 KB blocks or tokens per second), ``core.N.ipc``,
        ``agent.N.speedup`` (its rate over that on the first system), ``agent.N.slowdown`` (its
        rate alone over its rate here), both from ``agent.N.scaled.rate`` if it simulates some
        layers only; over the measured agents ``speedup`` (geometric mean),
        ``weighted_speedup`` (sum of 1 / slowdown) and ``max_slowdown``; and latencies
        (ns, us), ratios and shares under the names that they have in ``stats.json``. NaN where a
        run has no such value. ``attrs["units"]`` has the unit of each column, '' for plain numbers,
        and ``attrs["axes"]`` the names of the columns that distinguish rows.

    Raises:
        InputError: the input is at fault; one line per error.
        SimulatorFault: the simulator is at fault, or ``check`` found a violated rule.
    """
    chosen = seeded(seed, seeds, warmup, check)
    how: dict[str, Any] = {"calibrate": calibrate, "alone": alone}
    return compare_runs(config, policies, workloads, chosen, jobs, progress, **how).table


def compare_runs(
    config: AnyConfig | Sequence[AnyConfig],
    policies: Sequence[AnyBundle],
    workloads: Sequence[AnyWorkload],
    chosen: Sequence[Options],
    jobs: int | None = None,
    progress: bool = False,
    *,
    warn: Callable[[str], None] = warnings.warn,
    calibrate: bool = True,
    logs: Path | None = None,
    alone: str = "own",
) -> Comparison:
    """Run as `compare`, and return the runs too. Calls ``warn`` first if write modes differ.

    ``chosen`` has the options of each seed; they differ in the seed only. Runs of a seed are
    compared with each other, so speedups and slowdowns pair runs of equal seeds.

    With ``logs``, a folder for scratch files, whole workloads are run even if they are cached, and
    each of these runs has a request log.
    """
    if isinstance(policies, str) or isinstance(workloads, str) or not workloads:
        raise InputError("compare: needs a list of policies and a list of workloads")
    if alone not in ALONE:
        raise InputError(f"alone: '{alone}' is not allowed; {hint(alone, ALONE)}")
    systems = _systems(config, policies, warn)
    loaded = [as_workload(workload) for workload in mixes.expand(workloads)]
    _refuse_repeated("workload", [workload.name for workload in loaded])
    for workload in loaded:
        for system in systems:
            workload.check(system, bool(chosen[0].warmup_ps or chosen[0].warmup_instructions))
    systems = [with_table(system, calibrate, jobs, progress) for system in systems]

    shared = [
        Point(system, workload, each)
        for workload in loaded
        for each in chosen
        for system in systems
    ]
    whole = {_key(run): run for point in shared for run in _runs(point)}
    wanted = dict(whole)
    singles: list[list[Point | None]] = []  # of each point, its agents alone, if it has several
    for place, point in enumerate(shared):
        base = point if alone == "own" else shared[place - place % len(systems)]
        single = [
            replace(base, workload=point.workload.alone(index)) if agent.measured else None
            for index, agent in enumerate(point.workload.agents)
        ]
        singles.append(single if len(single) > 1 else [])
        for run in (run for each in singles[-1] if each for run in _runs(each)):
            wanted.setdefault(_key(run), run)
    store = Store(cache_directory())
    logged = {key: RequestLog(logs) for key in whole} if logs else {}
    found = {} if chosen[0].check else _kept(wanted, store)
    found = {key: result for key, result in found.items() if key not in logged}
    missing = {key: point for key, point in wanted.items() if key not in found}
    found |= _simulate_all(missing, logged, len(found), store, jobs, progress)
    results = [_result(point, found) for point in shared]

    rows: list[dict[str, Any]] = []
    for number, result in enumerate(results):
        first = results[number - number % len(systems)]
        rates = [
            agent_rates(_result(each, found))[0] if each else math.nan for each in singles[number]
        ]
        rates = rates or agent_rates(result if alone == "own" else first)
        row = row_of(result, agent_rates(first), rates)
        rows.append(with_seed(row, result.options.seed) if len(chosen) > 1 else row)
    commands = sum(int(result.host.get("commands_checked", 0)) for result in found.values())
    return Comparison(tuple(results), tuple(rows), columns_of(rows), commands)


def _runs(point: Point) -> list[Point]:
    """Return the point, or one for each of its SimPoints."""
    runs = runs_of(point.workload, point.options)
    return [replace(point, workload=workload, options=own) for workload, own in runs]


def _result(point: Point, found: Mapping[str, Result]) -> Result:
    """Return a point's result from those of its runs, by their keys.

    Cached results record neither the file names nor the workload's name.
    """
    runs = [
        replace(found[_key(run)], config=run.config, workload=run.workload) for run in _runs(point)
    ]
    return combined(point.config, point.workload, point.options, runs)


def _systems(
    config: AnyConfig | Sequence[AnyConfig],
    policies: Sequence[AnyBundle],
    warn: Callable[[str], None],
) -> list[Config]:
    """Return every configuration under every policy."""
    is_one = isinstance(config, (str, os.PathLike, Config))
    given = [config] if is_one else config
    bases = [
        named_system(each) if isinstance(each, str) else as_config(each)
        for each in cast("Sequence[AnyConfig]", given)
    ]
    for base in bases:
        if policies and base.policy is not None:
            raise InputError(f"compare: {base.name} has policy {base.policy}; omit the policies")
    if not policies and len(bases) < 2:
        raise InputError("compare: needs policies, or several configurations")
    systems: list[Config] = []
    for base in bases:
        under = [base.with_policy(policy) for policy in policies] if policies else [base]
        _refuse_repeated("policy", [str(system.policy) for system in under])
        systems += under
    names = [", ".join(filter(None, (base.name, base.policy))) for base in bases]
    _refuse_repeated("configuration", names)
    if policies:
        differing = difference(systems[: len(systems) // len(bases)])
        if differing:
            warn(differing)
    return systems


def _kept(wanted: Mapping[str, Point], store: Store) -> dict[str, Result]:
    """Return the results that the store holds of these points."""
    kept: dict[str, Result] = {}
    for key, point in wanted.items():
        done = store.load(key)
        if done is not None and not done.error and not _has_series(point):
            statistics = tuple(
                {"path": path, "unit": done.units.get(path, ""), "value": value}
                for path, value in done.values.items()
            )
            kept[key] = Result(
                point.config, point.workload, point.options, statistics, dict(done.host)
            )
    return kept


def _has_series(point: Point) -> bool:
    """Return whether the point's run has a time series; stores do not hold these."""
    return _core.parse_time(point.config.resolved()["frontend.series_interval"]) != 0


def _refuse_repeated(what: str, names: Sequence[str]) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise InputError(f"{what}: '{name}' occurs twice")


def _simulate_all(
    points: Mapping[str, Point],
    logged: Mapping[str, RequestLog],
    kept: int,
    store: Store,
    jobs: int | None,
    progress: bool,
) -> dict[str, Result]:
    """Simulate on several threads: the core does not hold the GIL. Each result is kept at once.

    ``kept`` is the number of cached results, which the bar over all runs includes.
    """
    stop = threading.Event()
    ended: list[str] = []
    with Bars(progress) as bars, ThreadPoolExecutor(jobs or len(os.sched_getaffinity(0))) as pool:

        def task(key: str, point: Point) -> Result:
            workload = point.workload
            agents = "" if len(workload.agents) > 1 else f" ({workload.agents[0].kind} alone)"
            system = point.config.policy or point.config.name
            name = f"{workload.name}, {system}{agents}, seed {point.options.seed}"
            result = simulate(
                point.config,
                workload,
                point.options,
                lambda done: bars.report(name, done),
                stop,
                logged.get(key),
            )
            if _is_known(point):
                # An unwritable cache is ignored.
                with contextlib.suppress(InputError):
                    store.save(Outcome.of(key, measurement(result)), point)
            ended.append(key)
            bars.report("all runs", (kept + len(ended)) / (kept + len(points)))
            return result

        futures = {key: pool.submit(task, key, point) for key, point in points.items()}
        try:
            _wait_for(list(futures.values()))
        finally:
            stop.set()
            for future in futures.values():
                future.cancel()
        return {key: future.result() for key, future in futures.items()}


def _wait_for(futures: Sequence[Future[Result]]) -> None:
    """Wait for all, or raise the first error; wakes often enough for the keyboard."""
    while True:
        done, pending = wait(futures, timeout=0.2, return_when=FIRST_EXCEPTION)
        for future in futures:
            if future in done:
                future.result()
        if not pending:
            return


def _key(point: Point) -> str:
    """Return a key that no other point of this comparison has."""
    if _is_known(point):
        return point.key
    plain = replace(point, config=replace(point.config, objects=()))
    return f"{point.config.policy} {plain.key}"


def _is_known(point: Point) -> bool:
    """Return whether all that the result depends on is known, so that it can be reused later."""
    try:
        return bool(point.key)
    except InputError:
        return False
