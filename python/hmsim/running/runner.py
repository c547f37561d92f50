# SPDX-License-Identifier: BSD-3-Clause
"""One simulation: from a configuration and a workload to a result and its directory."""

from __future__ import annotations

import json
import os
import platform
import resource
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from hmsim import _core
from hmsim._core import InputError, Simulation
from hmsim.common.directories import new_directory
from hmsim.common.progress import Bars
from hmsim.config.configuration import AnyBundle, Config, load_config
from hmsim.config.policies import makers
from hmsim.config.settings import nested
from hmsim.running.calibration import with_table
from hmsim.running.command_log import MOST_ROWS, CommandLog
from hmsim.running.request_log import ROWS, RequestLog
from hmsim.running.workload import Workload, load_workload
from hmsim.traces.reader import TraceSource, expected_size

if TYPE_CHECKING:  # takes a while to import: only for time series
    import pandas as pd

HISTOGRAM_PARTS = (
    "count",
    "mean",
    "p50",
    "p99",
    "p999",
    "max",
)  # of a statistic that is a histogram
STEPS = 100_000  # kernel steps between two looks at the clock, the keyboard and the bars
LARGEST_SEED = (1 << 64) - 1
LARGEST_COUNT = (1 << 62) - 1
AnyConfig = Union[Config, str, "os.PathLike[str]"]
AnyWorkload = Union[Workload, str, "os.PathLike[str]"]


class Cancelled(Exception):
    """The simulation was told to stop before its end."""


@dataclass(frozen=True)
class Options:
    """What shapes a run beside its configuration and workload.

    Attributes:
        seed: of all pseudo-random choices, 0 .. 2^64 - 1.
        warmup_ps: picoseconds before measuring begins.
        warmup_instructions: instructions that every core does before measuring begins.
        check: judge every command by the rules of devices, buses and the ack protocol; changes no
            result, but ends the run with SimulatorFault when one is broken.
    """

    seed: int = 1
    warmup_ps: int = 0
    warmup_instructions: int = 0
    check: bool = False


def options(seed: int = 1, warmup: str | int | None = None, check: bool = False) -> Options:
    """Return the options of a run.

    Args:
        seed: 0 .. 2^64 - 1.
        warmup: a time with its unit (``"10ms"``), or a number of instructions.
        check: as `Options.check`.

    Raises:
        InputError: names the argument.
    """
    if not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"seed: {seed} is outside 0 .. {LARGEST_SEED}")
    if warmup is None:
        return Options(seed, check=check)
    text = str(warmup).strip()
    if text.isdecimal() and text.isascii():
        if int(text) > LARGEST_COUNT:
            raise InputError(f"warmup: {text} instructions are too many")
        return Options(seed, warmup_instructions=int(text), check=check)
    try:
        return Options(seed, warmup_ps=_core.parse_time(text), check=check)
    except InputError as error:
        raise InputError(f"warmup: {error}, nor a number of instructions") from error


@dataclass(frozen=True)
class Result:
    """What a simulation found.

    Attributes:
        config: the configuration, the policy bundle included.
        workload: the agents.
        options: seed and warm-up.
        statistics: dictionaries with path, unit, description, kind and value, as the core gives.
        host: what the run cost: ``seconds``, ``requests_per_second``, ``peak_rss_bytes``; with the
            protocol check ``commands_checked`` too.
        samples: the time series as the core gives it, or None.
        request_log: what became of each request, or None.
        simulator: versions of what simulated around our controller, by name; empty: we did.
        command_log: what happened on the channels and inside the NVDIMMs, or None.
    """

    config: Config
    workload: Workload
    options: Options
    statistics: tuple[dict[str, Any], ...]
    host: dict[str, float]
    samples: dict[str, Any] | None = None
    request_log: RequestLog | None = None
    simulator: Mapping[str, str] = field(default_factory=dict)
    command_log: CommandLog | None = None

    @property
    def stats(self) -> dict[str, float]:
        """The values by dotted path (``"dram.read_latency_ns.p99"``); none where none is."""
        values: dict[str, float] = {}
        for statistic in self.statistics:
            path, value = statistic["path"], statistic["value"]
            if isinstance(value, dict):
                values.update({f"{path}.{name}": part for name, part in value.items()})
            elif value is not None:
                values[path] = value
        return values

    @property
    def units(self) -> dict[str, str]:
        """The unit of each value in `stats`, '' for plain numbers."""
        by_path = {statistic["path"]: statistic["unit"] for statistic in self.statistics}
        units = {}
        for name in self.stats:
            parent, _, last = name.rpartition(".")
            units[name] = by_path.get(name) or ("" if last == "count" else by_path.get(parent, ""))
        return units

    def nested(self) -> dict[str, Any]:
        """Return `stats` with dots as nesting: the content of ``stats.json``."""
        return nested(self.stats.items())

    @property
    def series(self) -> pd.DataFrame | None:
        """What each statistic read at regular times; None unless the configuration asks for it.

        ``frontend.series_interval`` turns it on. The index ``time_ps`` is simulated time in
        picoseconds; a column per path holds the value since measuring began, as `stats` would at
        that time: ``diff()`` gives what happened in an interval. Histograms are there as ``.count``
        and ``.mean``. NaN where there is no value. ``attrs`` holds ``units`` by path and
        ``interval_ps``, which doubles whenever the table reaches 10 million values.
        """
        return None if self.samples is None else series_table(self.samples)

    @property
    def requests(self) -> pd.DataFrame | None:
        """What became of each request that was done while measuring; None unless asked for.

        ``run(..., request_log=True)`` asks for it. A row per request, in order of completion:
        ``id`` (order of arrival), ``arrival_ps``, ``admitted_ps`` (to its transaction queue),
        ``first_command_ps``, ``issue_ps`` (its data-bus command), ``done_ps``, ``channel``,
        ``source``, ``class`` (dram, nvdimm), ``write``, ``address`` (in the memory of its class),
        ``rank``, ``bank``, ``row_hit`` (DRAM: no activate was made for it), and the parts of its
        latency, which add up to ``done_ps - arrival_ps``: ``outside_ps``, ``queueing_ps``,
        ``bank_ps``, ``bus_ps``, ``transfer_ps``, ``refresh_ps``, ``ack_wait_ps``,
        ``gc_blocked_ps``. Times are simulated, in picoseconds.
        """
        return None if self.request_log is None else self.request_log.table()

    def save(self, directory: str | os.PathLike[str], force: bool = False) -> None:
        """Write the files of a run.

        ``config.yaml``, ``stats.json``, ``run.json`` and, where asked for, ``series.parquet``,
        ``requests.parquet``, ``commands.parquet`` and ``modules.parquet``: all of them or nothing.

        Args:
            directory: must not exist, or with ``force`` be one that hmsim wrote; it is replaced.

        Raises:
            InputError: the directory is refused or cannot be written.
        """
        with new_directory(directory, force) as fresh:
            self.write(fresh)

    def write(self, directory: Path, command: list[str] | None = None) -> None:
        """Write the files of a run into a directory."""
        (directory / "config.yaml").write_text(self.config.to_yaml(), encoding="utf-8")
        write_json(directory / "stats.json", self.nested())
        write_json(directory / "run.json", {**self.origin(), "command": command})
        series = self.series
        if series is not None:
            series.to_parquet(directory / "series.parquet")
        if self.request_log is not None:
            self.request_log.save(directory / "requests.parquet")
        if self.command_log is not None:
            self.command_log.save(directory)

    def origin(self) -> dict[str, Any]:
        """Return what the run was made of and what it cost: the content of ``run.json``."""
        log = {} if self.command_log is None else {"command_log": self.command_log.describe()}
        return {
            "versions": {**versions(), **self.simulator},
            "config": self.config.name,
            "policy": self.config.policy,
            "python_policies": {name: _named(maker) for name, maker in self.config.objects},
            "workload": {
                "name": self.workload.name,
                "agents": [dict(agent.flat()) for agent in self.workload.agents],
            },
            "seed": self.options.seed,
            "warmup_ps": self.options.warmup_ps,
            "warmup_instructions": self.options.warmup_instructions,
            "host": self.host,
            "units": {name: unit for name, unit in self.units.items() if unit},
            **log,
        }


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
        workload: a Workload, a path, or the name of a shipped workload.
        policy: a policy bundle to lay over the configuration: a name, a path or a Bundle.
        seed: of all pseudo-random choices.
        warmup: a time (``"10ms"``) or a number of instructions before measuring begins.
        check: have an independent checker judge every command; it changes no result.
        request_log: keep what became of each request, as `Result.requests`.
        command_log: keep what happens on the channels and inside the NVDIMMs, for `Result.save`
            and ``hmsim timeline``: so many rows at most, or, if true, 10 million.
        progress: show a progress bar on standard error after two seconds.
        calibrate: train a table that the policy wants, once; false: refuse.

    Raises:
        InputError: the input is at fault; one line per error.
        SimulatorFault: the simulator is, or ``check`` found a rule broken.
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
        )


def _begin(
    config: Config,
    workload: Workload,
    chosen: Options,
    log: RequestLog | None = None,
    commands: CommandLog | None = None,
) -> Simulation:
    """Return the simulation of a run at time 0. Raises InputError."""
    workload.check(config, bool(chosen.warmup_ps or chosen.warmup_instructions))
    traces = [agent.trace for agent in workload.agents]
    try:
        return Simulation(
            config.flat(),
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
        )
    except InputError as error:
        raise InputError(workload.locate(str(error))) from error


def statistic_names(config: Config, workload: Workload, chosen: Options) -> set[str]:
    """Return the names that `Result.stats` of a run can have, without running it.

    Raises InputError.
    """
    names: set[str] = set()
    for statistic in _begin(config, workload, chosen).statistics():
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
) -> Result:
    """Run to the end, telling ``report`` the share that is done, ``log`` every request and
    ``commands`` every command.

    Raises Cancelled soon after ``stop`` is set.
    """
    started = time.perf_counter()
    simulation = _begin(config, workload, chosen, log, commands)
    while not simulation.run(STEPS):
        if log is not None and simulation.logged_requests >= ROWS:
            log.write(simulation.take_requests())
        if commands is not None:
            commands.collect(simulation)
        if stop is not None and stop.is_set():
            raise Cancelled
        report(min(simulation.progress(), 0.999))
    if log is not None:
        log.write(simulation.take_requests())
        log.close()
    if commands is not None:
        commands.collect(simulation, last=True)
    report(1.0)
    seconds = time.perf_counter() - started
    statistics = tuple(simulation.statistics())
    requests = next((s["value"] for s in statistics if s["path"] == "sim.requests"), 0)
    host = {
        "seconds": round(seconds, 3),
        "requests_per_second": round(requests / seconds, 1),
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    if chosen.check:
        host["commands_checked"] = simulation.checked_commands
    return Result(
        config, workload, chosen, statistics, host, simulation.series(), log, command_log=commands
    )


def series_table(samples: dict[str, Any]) -> pd.DataFrame:
    """Return the core's time series as `Result.series` describes it."""
    import pandas as pd

    columns = samples["columns"]
    table = pd.DataFrame(
        samples["values"],
        pd.Index(samples["times_ps"], name="time_ps"),
        [column["path"] for column in columns],
    )
    table.attrs["units"] = {column["path"]: column["unit"] for column in columns}
    table.attrs["interval_ps"] = samples["interval_ps"]
    return table


def as_config(config: AnyConfig) -> Config:
    """Return a configuration, loaded if it is a path or name. Raises InputError."""
    return config if isinstance(config, Config) else load_config(config)


def as_workload(workload: AnyWorkload) -> Workload:
    """Return a workload, loaded if it is a path or name. Raises InputError."""
    return workload if isinstance(workload, Workload) else load_workload(workload)


def _named(maker: object) -> str:
    return f"{getattr(maker, '__module__', '')}.{getattr(maker, '__qualname__', repr(maker))}"


def versions() -> dict[str, str]:
    """Return the versions of what took part in a run."""
    return {
        "hmsim": _core.version,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file: indented, in the order given, without NaN."""
    text = json.dumps(content, indent=2, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")
