# SPDX-License-Identifier: BSD-3-Clause
"""Policies side by side on the same workloads and seeds."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmsim import _core, mixes
from hmsim._core import InputError
from hmsim.calibration import with_table
from hmsim.config import AnyBundle, Config
from hmsim.directories import file_digest, new_file
from hmsim.paths import cache_directory
from hmsim.progress import Bars
from hmsim.runner import (
    AnyConfig,
    AnyWorkload,
    Options,
    Result,
    as_config,
    as_workload,
    options,
    simulate,
    write_json,
)
from hmsim.workload import Agent, Workload

if TYPE_CHECKING:  # takes a while to import: only for tables
    import pandas as pd

# Statistics that a comparison shows as they are, where a run has them.
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
)


@dataclass(frozen=True)
class Comparison:
    """A comparison's runs, workload by workload and policy by policy, and their table."""

    results: tuple[Result, ...]
    table: pd.DataFrame
    commands_checked: int = 0  # by the protocol check, in all runs that were made


def compare(
    config: AnyConfig,
    policies: Sequence[AnyBundle],
    workloads: Sequence[AnyWorkload],
    *,
    seed: int = 1,
    warmup: str | int | None = None,
    check: bool = False,
    jobs: int | None = None,
    progress: bool = False,
    calibrate: bool = True,
) -> pd.DataFrame:
    """Simulate every workload under every policy bundle and set the results side by side.

    Each agent also runs alone, under the same policy, for slowdowns; these runs are cached.

    Args:
        config: a Config, a path, or the name of a shipped configuration.
        policies: policy bundles: names, paths or Bundles; speedups are over the first one.
        workloads: Workloads, paths or names of shipped workloads.
        seed: of every run.
        warmup: as for `hmsim.run`.
        check: as for `hmsim.run`; agents run alone again, whatever is cached.
        jobs: simulations at a time; the processors by default. It does not change the result.
        progress: show progress bars on standard error after two seconds.
        calibrate: as for `hmsim.run`.

    Returns:
        One row per workload and policy. Columns: ``workload``, ``policy``; per agent
        ``agent.N.rate`` (instructions or 4 KB blocks per second), ``core.N.ipc``,
        ``agent.N.speedup`` (its rate over that under the first policy), ``agent.N.slowdown`` (its
        rate alone over its rate here); over the measured agents ``speedup`` (geometric mean),
        ``weighted_speedup`` (sum of 1 / slowdown) and ``max_slowdown``; and latencies
        (ns, us), ratios and shares under the names that they have in ``stats.json``. NaN where a
        run has no such value.

    Raises:
        InputError, SimulatorFault.
    """
    chosen = options(seed, warmup, check)
    found = compare_runs(config, policies, workloads, chosen, jobs, progress, calibrate=calibrate)
    return found.table


def compare_runs(
    config: AnyConfig,
    policies: Sequence[AnyBundle],
    workloads: Sequence[AnyWorkload],
    chosen: Options,
    jobs: int | None = None,
    progress: bool = False,
    *,
    calibrate: bool = True,
) -> Comparison:
    """As `compare`, with the runs themselves."""
    base = as_config(config)
    if isinstance(policies, str) or not policies or isinstance(workloads, str) or not workloads:
        raise InputError("compare: needs a list of policies and a list of workloads")
    systems = [base.with_policy(policy) for policy in policies]
    loaded = [as_workload(workload) for workload in mixes.expand(workloads)]
    _refuse_repeated("policy", [str(system.policy) for system in systems])
    _refuse_repeated("workload", [workload.name for workload in loaded])
    for workload in loaded:
        for system in systems:
            workload.check(system)
    systems = [with_table(system, calibrate, jobs, progress) for system in systems]

    shared = [(system, workload) for workload in loaded for system in systems]
    solo: dict[Path, tuple[Config, Workload]] = {}  # by cache file
    for system, workload in shared:
        for index, agent in enumerate(workload.agents):
            if len(workload.agents) > 1 and agent.measured:
                solo[_cache_file(system, agent, chosen)] = (system, workload.alone(index))
    # What a policy in Python does is not known from its name, so nothing of it is kept.
    known = [path for path, (system, _) in solo.items() if not (chosen.check or system.objects)]
    solo_rates = {path: rate for path in known if (rate := _cached_rate(path)) is not None}
    missing = {path: pair for path, pair in solo.items() if path not in solo_rates}

    results = _simulate_all([*shared, *missing.values()], chosen, jobs, progress)
    for path, result in zip(missing, results[len(shared) :]):
        solo_rates[path] = _rates(result)[0]
        if not result.config.objects:
            _store_rate(path, solo_rates[path])

    rows: list[dict[str, Any]] = []
    for index, result in enumerate(results[: len(shared)]):
        first = results[index - index % len(systems)]
        alone = _rates(result)
        if len(alone) > 1:
            files = [_cache_file(result.config, a, chosen) for a in result.workload.agents]
            alone = [solo_rates.get(file, math.nan) for file in files]
        rows.append(_row(result, _rates(first), alone))
    commands = sum(int(result.host.get("commands_checked", 0)) for result in results)
    return Comparison(tuple(results[: len(shared)]), _table(rows), commands)


def _row(result: Result, first: Sequence[float], alone: Sequence[float]) -> dict[str, Any]:
    stats = result.stats
    row: dict[str, Any] = {"workload": result.workload.name, "policy": result.config.policy}
    rates = _rates(result)
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
    for name, value in stats.items():
        if name in SHOWN or (name.startswith("core.") and name.endswith(".ipc")):
            row[name] = value
    return row


def _table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the rows as a table whose columns stand in one order, whichever rows have them."""
    import pandas as pd

    names = list(dict.fromkeys(name for row in rows for name in row))
    ranks = {name: rank for rank, name in enumerate(SHOWN)}
    known = sorted((name for name in names if name in ranks), key=ranks.__getitem__)
    others = [name for name in names if name not in ranks]
    return pd.DataFrame(rows, columns=[*others, *known])


def _rates(result: Result) -> list[float]:
    stats = result.stats
    return [stats.get(f"agent.{n}.rate", math.nan) for n in range(len(result.workload.agents))]


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else math.nan


def _refuse_repeated(what: str, names: Sequence[str]) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise InputError(f"compare: the {what} '{name}' is there twice")


def _simulate_all(
    runs: Sequence[tuple[Config, Workload]], chosen: Options, jobs: int | None, progress: bool
) -> list[Result]:
    """Simulate on several threads: the core does not hold the GIL. Results in the order given."""
    stop = threading.Event()
    with Bars(progress) as bars, ThreadPoolExecutor(jobs or len(os.sched_getaffinity(0))) as pool:

        def task(config: Config, workload: Workload) -> Result:
            agents = "" if len(workload.agents) > 1 else f" ({workload.agents[0].kind} alone)"
            name = f"{workload.name}, {config.policy}{agents}"
            return simulate(config, workload, chosen, lambda done: bars.report(name, done), stop)

        futures = [pool.submit(task, config, workload) for config, workload in runs]
        try:
            _wait_for(futures)
        finally:
            stop.set()
            for future in futures:
                future.cancel()
        return [future.result() for future in futures]


def _wait_for(futures: Sequence[Future[Result]]) -> None:
    """Wait for all, or raise the first error; wakes often enough for the keyboard."""
    while True:
        done, pending = wait(futures, timeout=0.2, return_when=FIRST_EXCEPTION)
        for future in futures:
            if future in done:
                future.result()
        if not pending:
            return


def _cache_file(config: Config, agent: Agent, chosen: Options) -> Path:
    """Return the file that keeps the rate of an agent alone: its name is a hash of all inputs."""
    settings = dict(agent.flat())
    if agent.trace is not None:
        settings["path"] = file_digest(agent.trace)
    inputs = [
        file_digest(Path(str(_core.__file__))),
        sorted(config.resolved().items()),
        sorted(settings.items()),
        [chosen.seed, chosen.warmup_ps, chosen.warmup_instructions],
        [config.policy, [name for name, _ in config.objects]] if config.objects else [],
    ]
    name = hashlib.sha256(json.dumps(inputs).encode()).hexdigest()
    return cache_directory() / "solo" / f"{name}.json"


def _cached_rate(path: Path) -> float | None:
    try:
        return float(json.loads(path.read_text())["rate"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _store_rate(path: Path, rate: float) -> None:
    """Keep a rate for the next time; a cache that cannot be written is done without."""
    with contextlib.suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(path, force=True) as scratch:
            write_json(scratch, {"rate": rate})
