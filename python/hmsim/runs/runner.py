# SPDX-License-Identifier: BSD-3-Clause
"""One simulation: from a configuration and a workload to a result."""

from __future__ import annotations

import contextlib
import os
import resource
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union

from hmsim._core import InputError, Simulation
from hmsim.common.progress import Bars, warn
from hmsim.config.configuration import AnyBundle, Config, load_config
from hmsim.config.policies import makers
from hmsim.runs.calibration import with_table
from hmsim.runs.command_log import MOST_ROWS, CommandLog
from hmsim.runs.options import Options, options
from hmsim.runs.preconditioning import LOAD, Preconditioned
from hmsim.runs.request_log import RequestLog
from hmsim.runs.result import Result
from hmsim.runs.simpoints import combined, runs_of
from hmsim.traces.reader import TraceSource, expected_size
from hmsim.workloads.workload import Workload, load_workload

HISTOGRAM_PARTS = ("count", "mean", "p50", "p95", "p99", "p999", "max")  # of a histogram
PREPARING = "preconditioning"  # its bar
WRITTEN = tuple(  # parameters of what preconditioning writes
    f"{each}.precondition.{name}"
    for each in ("nvdimm", "storage.flash")
    for name in ("fill", "overwrite")
)
STEPS = 2_000  # kernel steps between two checks of signals, the stall limit and progress
AnyConfig = Union[Config, str, "os.PathLike[str]"]
AnyWorkload = Union[Workload, str, "os.PathLike[str]", Mapping[str, Any]]


class Cancelled(Exception):
    """The simulation was stopped before its end."""


class EndedByError(InputError):
    """The input was found at fault during the simulation, ``partial`` is the result up to there."""

    def __init__(self, message: str, partial: Result) -> None:
        super().__init__(message)
        self.partial = partial

    def __reduce__(self) -> tuple[type[InputError], tuple[str]]:
        """Return what other processes get: the message alone."""
        return InputError, (str(self),)


def run(
    config: AnyConfig,
    workload: AnyWorkload,
    *,
    policy: AnyBundle | None = None,
    seed: int = 1,
    warmup: str | int | None = None,
    check: bool = False,
    request_log: bool = False,
    command_log: bool | int = False,
    progress: bool = False,
    calibrate: bool = True,
) -> Result:
    """Simulate a workload on a configuration until every measured agent has finished once.

    Args:
        config: a Config, a path, or the name of a shipped configuration.
        workload: a Workload, a path, the name of a shipped workload, or a dict with the content of
            a workload's YAML file, such as ``{"agents": [{"kind": "io_pattern", "depth": 8}]}``.
            An error in a dict names ``workload: agents[0].key``.
        policy: a policy bundle to lay over the configuration: a name, a path or a Bundle.
        seed: of all pseudo-random choices.
        warmup: a time (``"10ms"``) or a number of instructions before measuring begins.
        check: verify every command with an independent checker; it does not change results.
        request_log: log each request with its times, for `Result.requests`.
        command_log: log events on the channels, inside the NVDIMMs and of threads of jobs, for
            `Result.save` and ``hmsim timeline``: the given number of rows at most, or 10 million
            if true.
        progress: report it on standard error: bars on a terminal, otherwise lines.
        calibrate: train a missing table that the policy needs, once; false: raise InputError
            instead.

    Raises:
        InputError: the input is at fault; one line per error. EndedByError after a measured
            request: its ``partial`` is the result up to the error.
        SimulatorFault: the simulator is at fault, or ``check`` found a violated rule.
    """
    loaded = as_config(config)
    if policy is not None:
        loaded = loaded.with_policy(policy)
    agents = as_workload(workload)
    chosen = options(seed, warmup, check)
    loaded = with_table(loaded, calibrate, progress=progress)
    with Bars(progress) as bars:
        log = RequestLog() if request_log else None
        rows = MOST_ROWS if command_log is True else int(command_log)
        commands = CommandLog(rows=rows) if rows > 0 else None
        return simulate(
            loaded,
            agents,
            chosen,
            lambda done: bars.report(agents.name, done),
            log=log,
            commands=commands,
            preparing=lambda done: bars.report(PREPARING, done),
        )


def _begin(
    config: Config,
    workload: Workload,
    chosen: Options,
    log: RequestLog | None = None,
    commands: CommandLog | None = None,
    preparing: Callable[[float], None] | None = None,
) -> tuple[Simulation, float]:
    """Return the simulation of a run at time 0, and the seconds of preconditioning in advance.

    Raises InputError.
    """
    with _located(config, workload, chosen):
        prepared = Preconditioned(config, chosen.seed, preparing)
        simulation = _built(prepared.flat, config, workload, chosen, log, commands, preparing)
        return simulation, prepared.seconds


def built(config: Config, workload: Workload, chosen: Options) -> Simulation:
    """Return the simulation of a run, not preconditioned, to be asked what it is but not run.

    That of the last SimPoint, if there are some.

    Raises InputError where `simulate` would before the first event.
    """
    flat = config.flat()
    if not dict(flat).get(LOAD):
        flat = [(name, "0" if name in WRITTEN else text) for name, text in flat]
    for each, own in runs_of(workload, chosen):
        with _located(config, each, own):
            simulation = _built(flat, config, each, own)
    return simulation


@contextlib.contextmanager
def _located(config: Config, workload: Workload, chosen: Options) -> Iterator[None]:
    """Check the agents, and let errors of the block name places in the workload's files."""
    workload.check(config, bool(chosen.warmup_ps or chosen.warmup_instructions))
    try:
        yield
    except InputError as error:
        raise InputError(workload.locate(str(error))) from error


def _built(
    flat: Sequence[tuple[str, str]],
    config: Config,
    workload: Workload,
    chosen: Options,
    log: RequestLog | None = None,
    commands: CommandLog | None = None,
    preparing: Callable[[float], None] | None = None,
) -> Simulation:
    traces = [agent.trace for agent in workload.agents]
    return Simulation(
        flat,
        [agent.flat() for agent in workload.agents],
        chosen.seed,
        chosen.warmup_ps,
        chosen.warmup_instructions,
        TraceSource(traces),
        [0 if trace is None else expected_size(trace) for trace in traces],
        check=chosen.check,
        log_requests=log is not None,
        log_commands=0 if commands is None else commands.limit,
        policies=makers(dict(config.objects)),
        preconditioning=preparing,
    )


def statistic_names(config: Config, workload: Workload, chosen: Options) -> set[str]:
    """Return the names that `Result.stats` of a run can have, without running it.

    Raises InputError.
    """
    names: set[str] = set()
    for statistic in built(config, workload, chosen).statistics():
        path = statistic["path"]
        histogram = statistic["kind"] == "histogram"
        names.update(f"{path}.{part}" for part in HISTOGRAM_PARTS) if histogram else names.add(path)
    return names


def simulate(
    config: Config,
    workload: Workload,
    chosen: Options,
    report: Callable[[float], None],
    stop: threading.Event | None = None,
    log: RequestLog | None = None,
    commands: CommandLog | None = None,
    preparing: Callable[[float], None] | None = None,
) -> Result:
    """Run to the end.

    ``report`` receives the share that is done, ``preparing`` the share of preconditioning; ``log``
    collects all requests and ``commands`` all commands. A class of memory that starves is
    reported on standard error while the run continues. SimPoints run one after another, without
    logs.

    Raises Cancelled soon after ``stop`` is set, and EndedByError for an error after a measured
    request.
    """
    if workload.simpoints:
        if log is not None or commands is not None:
            raise InputError(f"{workload.name}: a list of SimPoints has no log; run one of them")
        found: list[Result] = []

        def share(done: float) -> None:
            report((len(found) + done) / len(workload.simpoints))

        for each, own in runs_of(workload, chosen):
            found.append(simulate(config, each, own, share, stop, preparing=preparing))
        return combined(config, workload, chosen, found)
    started = time.perf_counter()
    simulation, preconditioning = _begin(config, workload, chosen, log, commands, preparing)
    ended_by = None
    while True:
        try:
            if simulation.run(STEPS):
                break
        except InputError as error:
            ended_by = str(error)
            break
        for warning in simulation.take_warnings():
            warn(f"{workload.name}, {config.policy or config.name}: {warning}")
        if log is not None:
            log.collect(simulation)
        if commands is not None:
            commands.collect(simulation)
        if stop is not None and stop.is_set():
            raise Cancelled
        report(min(simulation.progress(), 0.999))
    if log is not None:
        log.collect(simulation, last=True)
    if commands is not None:
        commands.collect(simulation, last=True)
    report(1.0)
    seconds = time.perf_counter() - started
    statistics = tuple(simulation.statistics())
    values = {statistic["path"]: statistic["value"] for statistic in statistics}
    requests = values["sim.requests"]
    if ended_by is not None and not (requests and values["sim.ticks"]):
        raise InputError(ended_by)
    host = {
        "seconds": round(seconds, 3),
        "preconditioning_seconds": round(preconditioning, 3),
        "requests_per_second": round(requests / seconds, 1),
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    if chosen.check:
        host["commands_checked"] = simulation.checked_commands
    result = Result(
        *(config, workload, chosen, statistics, host, simulation.series(), log),
        command_log=commands,
        ended_by=ended_by,
    )
    if ended_by is not None:
        raise EndedByError(ended_by, result)
    return result


def as_config(config: AnyConfig) -> Config:
    """Return a configuration, loaded if it is a path or name. Raises InputError."""
    return config if isinstance(config, Config) else load_config(config)


def named_system(name: str, load: Callable[[str], Config] = load_config) -> Config:
    """Return the configuration ``CONFIG``, or ``CONFIG,POLICY`` under that bundle.

    A file whose name has a comma is a configuration. Raises InputError.
    """
    first, _, policy = name.partition(",")
    return load(first).with_policy(policy) if policy and not os.path.isfile(name) else load(name)


def as_workload(workload: AnyWorkload) -> Workload:
    """Return a workload, loaded if it is a path, name or dict. Raises InputError."""
    return workload if isinstance(workload, Workload) else load_workload(workload)
