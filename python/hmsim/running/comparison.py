# SPDX-License-Identifier: BSD-3-Clause
"""Systems and policies side by side on the same workloads and seeds."""

from __future__ import annotations

import contextlib
import fnmatch
import math
import os
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hmsim import _core
from hmsim._core import InputError
from hmsim.common.paths import cache_directory
from hmsim.common.progress import Bars
from hmsim.config.configuration import AnyBundle, Config
from hmsim.config.write_variants import difference, expanded
from hmsim.running import mixes
from hmsim.running.calibration import with_table
from hmsim.running.options import Options, options
from hmsim.running.point_store import Store
from hmsim.running.points import Outcome, Point, measurement
from hmsim.running.request_log import RequestLog
from hmsim.running.result import Result
from hmsim.running.runner import (
    AnyConfig,
    AnyWorkload,
    as_config,
    as_workload,
    named_system,
    simulate,
)

if TYPE_CHECKING:  # takes a while to import: only for tables
    import pandas as pd

# Statistics that a comparison shows unchanged, if a run has them.
SHOWN = (
    "system.ipc",
    "dram.read_latency_ns.mean",
    "dram.read_latency_ns.p99",
    "dram.row_hit_ratio",
    "dram.bandwidth_gb_per_s",
    "nvdimm.line_latency_ns.mean",
    "nvdimm.line_latency_ns.p99",
    "nvdimm.response_time_us.mean",
    "nvdimm.response_time_us.p99",
    "nvdimm.queue.share_over_104",
    "nvdimm.buffer.read_hit_ratio",
    "nvdimm.buffer.write_hit_ratio",
    "bus.dram_share",
    "bus.nvdimm_share",
    *("storage.read_latency_us.mean", "storage.read_latency_us.p99"),
    *("storage.write_latency_us.mean", "storage.write_latency_us.p99"),
    *("storage.bandwidth_gb_per_s", "storage.cores_used"),
)

# The same for every core and every job.
SHOWN_OF_EACH = (
    *("core.*.ipc", "agent.*.ipc", "agent.*.makespan_us"),
    *(f"agent.*.request_latency_us.read.{part}" for part in ("mean", "p99")),
    *(f"agent.*.request_latency_us.write.{part}" for part in ("mean", "p99")),
    *(f"agent.*.time.{part}" for part in ("running", "copying", "run_queue", "reading")),
    *(f"agent.*.time.{part}" for part in ("read_ahead", "writing", "throttled", "syncing")),
)


@dataclass(frozen=True)
class Comparison:
    """A comparison's runs, workload by workload and system by system.

    Attributes:
        results: results of the runs.
        rows: rows of the table, in the order of ``results``; a row omits values that its run lacks.
        columns: all columns of the table, in a fixed order.
        commands_checked: commands that the protocol check verified in all executed runs.
    """

    results: tuple[Result, ...]
    rows: tuple[Mapping[str, Any], ...]
    columns: tuple[str, ...]
    commands_checked: int = 0

    @cached_property
    def table(self) -> pd.DataFrame:
        """The table that `compare` returns."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=list(self.columns))


def compare(
    config: AnyConfig | Sequence[AnyConfig],
    policies: Sequence[AnyBundle],
    workloads: Sequence[AnyWorkload],
    *,
    writes: str | None = None,
    seed: int = 1,
    warmup: str | int | None = None,
    check: bool = False,
    jobs: int | None = None,
    progress: bool = False,
    calibrate: bool = True,
) -> pd.DataFrame:
    """Simulate every workload on every configuration under every policy bundle, side by side.

    Each agent also runs alone, on the same system, for slowdowns. Each run is cached when it ends
    and is not repeated.

    Args:
        config: a Config, a path, or the name of a shipped configuration; or a list of these. For
            several configurations ``policies`` may be empty: each then runs under its own policies,
            or, if named as ``CONFIG,POLICY``, under that bundle.
        policies: policy bundles: names, paths or Bundles; speedups are over the first system. A
            name or path may give a write mode: ``split,drained``, ``split,mixed``.
        workloads: Workloads, paths or names of shipped workloads.
        writes: ``drained``, ``mixed`` or ``both``: the write mode of every bundle whose name gives
            none and whose scheduler leaves it open. With None, each bundle sets its own mode, and a
            warning is printed if the modes differ.
        seed: of every run.
        warmup: as for `hmsim.run`.
        check: as for `hmsim.run`; all runs are repeated, even those in the cache.
        jobs: parallel simulations; by default one per processor. It does not change the result.
        progress: report it on standard error: bars on a terminal, otherwise lines.
        calibrate: as for `hmsim.run`.

    Returns:
        One row per workload, configuration and policy. Columns: ``workload``, ``config``,
        ``policy`` (None without one); per agent
        ``agent.N.rate`` (instructions or 4 KB blocks per second), ``core.N.ipc``,
        ``agent.N.speedup`` (its rate over that on the first system), ``agent.N.slowdown`` (its
        rate alone over its rate here); over the measured agents ``speedup`` (geometric mean),
        ``weighted_speedup`` (sum of 1 / slowdown) and ``max_slowdown``; and latencies
        (ns, us), ratios and shares under the names that they have in ``stats.json``. NaN where a
        run has no such value.

    Raises:
        InputError: the input is at fault; one line per error.
        SimulatorFault: the simulator is at fault, or ``check`` found a violated rule.
    """
    chosen = options(seed, warmup, check)
    how: dict[str, Any] = {"writes": writes, "calibrate": calibrate}
    return compare_runs(config, policies, workloads, chosen, jobs, progress, **how).table


def compare_runs(
    config: AnyConfig | Sequence[AnyConfig],
    policies: Sequence[AnyBundle],
    workloads: Sequence[AnyWorkload],
    chosen: Options,
    jobs: int | None = None,
    progress: bool = False,
    *,
    writes: str | None = None,
    warn: Callable[[str], None] = warnings.warn,
    calibrate: bool = True,
    logs: Path | None = None,
) -> Comparison:
    """Run as `compare`, and return the runs too. Calls ``warn`` first if write modes differ.

    With ``logs``, a folder for scratch files, whole workloads are run even if they are cached, and
    each of these runs has a request log.
    """
    if isinstance(policies, str) or isinstance(workloads, str) or not workloads:
        raise InputError("compare: needs a list of policies and a list of workloads")
    systems = _systems(config, policies, writes, warn)
    loaded = [as_workload(workload) for workload in mixes.expand(workloads)]
    _refuse_repeated("workload", [workload.name for workload in loaded])
    for workload in loaded:
        for system in systems:
            workload.check(system, bool(chosen.warmup_ps or chosen.warmup_instructions))
    systems = [with_table(system, calibrate, jobs, progress) for system in systems]

    shared = [Point(system, workload, chosen) for workload in loaded for system in systems]
    wanted = {_key(point): point for point in shared}
    for point in shared:
        for index, agent in enumerate(point.workload.agents):
            if len(point.workload.agents) > 1 and agent.measured:
                alone = replace(point, workload=point.workload.alone(index))
                wanted.setdefault(_key(alone), alone)
    store = Store(cache_directory())
    logged = {_key(point): RequestLog(logs) for point in shared} if logs else {}
    found = {} if chosen.check else _kept(wanted, store)
    found = {key: result for key, result in found.items() if key not in logged}
    missing = {key: point for key, point in wanted.items() if key not in found}
    found |= _simulate_all(missing, logged, len(found), store, jobs, progress)
    # Cached results record neither the file names nor the workload's name.
    results = [
        replace(found[_key(point)], config=point.config, workload=point.workload)
        for point in shared
    ]

    rows: list[dict[str, Any]] = []
    for number, result in enumerate(results):
        first = results[number - number % len(systems)]
        rates = _agent_rates(result)
        if len(rates) > 1:
            agents = (result.workload.alone(index) for index in range(len(rates)))
            keys = [_key(Point(result.config, agent, chosen)) for agent in agents]
            rates = [_rates(found[key].stats, 1)[0] if key in found else math.nan for key in keys]
        rows.append(_row(result, _agent_rates(first), rates))
    commands = sum(int(result.host.get("commands_checked", 0)) for result in found.values())
    return Comparison(tuple(results), tuple(rows), _columns(rows), commands)


def titles(configs: Sequence[Config]) -> list[str]:
    """Return the name of each system of a comparison: its policy, its configuration, or both.

    The policy is omitted if a system has its own, the configuration if all have the same one.
    """
    several = len({config.name for config in configs}) > 1
    names = ([config.name if several else None, config.policy] for config in configs)
    return [", ".join(filter(None, each)) or "its own" for each in names]


def _systems(
    config: AnyConfig | Sequence[AnyConfig],
    policies: Sequence[AnyBundle],
    writes: str | None,
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
    if not policies and (len(bases) < 2 or writes is not None):
        raise InputError("compare: needs policies, or several configurations")
    systems: list[Config] = []
    for base in bases:
        under = [base.with_policy(policy) for policy in policies] if policies else [base]
        under = expanded(under, writes)
        _refuse_repeated("policy", [str(system.policy) for system in under])
        systems += under
    names = [", ".join(filter(None, (base.name, base.policy))) for base in bases]
    _refuse_repeated("configuration", names)
    if policies and writes is None:
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


def _row(result: Result, first: Sequence[float], alone: Sequence[float]) -> dict[str, Any]:
    stats = result.stats
    row: dict[str, Any] = {
        "workload": result.workload.name,
        "config": result.config.name,
        "policy": result.config.policy,
    }
    rates = _agent_rates(result)
    speedups = [_ratio(rate, base) for rate, base in zip(rates, first)]
    slowdowns = [_ratio(solo, rate) for rate, solo in zip(rates, alone)]
    measured = [index for index, agent in enumerate(result.workload.agents) if agent.measured]
    logarithms = [math.log(speedups[n]) if speedups[n] > 0 else math.nan for n in measured]
    row["speedup"] = math.exp(sum(logarithms) / len(measured))
    row["weighted_speedup"] = sum(_ratio(1.0, slowdowns[n]) for n in measured)
    row["max_slowdown"] = max(slowdowns[n] for n in measured)
    for index, rate in enumerate(rates):
        row[f"agent.{index}.rate"] = rate
        row[f"agent.{index}.speedup"] = speedups[index]
        row[f"agent.{index}.slowdown"] = slowdowns[index]
    has_nvdimm = result.config.resolved()["nvdimm.present"] == "true"
    for name, value in stats.items():
        shown = name in SHOWN or any(fnmatch.fnmatch(name, pattern) for pattern in SHOWN_OF_EACH)
        if shown and (has_nvdimm or "nvdimm" not in name):
            row[name] = value
    return row


def _columns(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    ranks = {name: rank for rank, name in enumerate(SHOWN)}
    known = sorted((name for name in names if name in ranks), key=ranks.__getitem__)
    return (*(name for name in names if name not in ranks), *known)


def _rates(stats: Mapping[str, float], agents: int) -> list[float]:
    return [stats.get(f"agent.{number}.rate", math.nan) for number in range(agents)]


def _agent_rates(result: Result) -> list[float]:
    return _rates(result.stats, len(result.workload.agents))


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else math.nan


def _refuse_repeated(what: str, names: Sequence[str]) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise InputError(f"compare: the {what} '{name}' occurs twice")


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
            name = f"{workload.name}, {system}{agents}"
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
