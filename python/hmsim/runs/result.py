# SPDX-License-Identifier: BSD-3-Clause
"""Result of a simulation, and the files that store it."""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmsim import _core
from hmsim.common.directories import new_directory
from hmsim.common.statistic_names import Statistics
from hmsim.config.configuration import Config, dram_peak
from hmsim.config.settings import nested
from hmsim.runs.command_log import CommandLog
from hmsim.runs.options import Options
from hmsim.runs.request_log import RequestLog
from hmsim.workloads.workload import Workload

if TYPE_CHECKING:  # the first takes a while to import: only for time series
    import pandas as pd


@dataclass(frozen=True)
class Result:
    """Result of a simulation.

    Attributes:
        config: the configuration, including the policy bundle.
        workload: the agents.
        options: seed and warm-up.
        statistics: dictionaries with path, unit, description, kind and value, from the core.
        host: cost of the run: ``seconds``, the part ``preconditioning_seconds`` of these,
            ``requests_per_second``, ``peak_rss_bytes``; with the protocol check also
            ``commands_checked``.
        samples: the time series from the core, or None.
        request_log: log of requests, or None.
        simulator: names and versions of the simulators that hosted hmsim's controller; empty for a
            run of hmsim alone.
        command_log: events on the channels, inside the NVDIMMs and of threads, or None.
        ended_by: the error that ended the run before its end, or None. The statistics then describe
            the time up to the error.
        simpoints: results of the workload's SimPoints, from which this one is combined.
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
    ended_by: str | None = None
    simpoints: tuple[Result, ...] = ()

    def __repr__(self) -> str:
        """Return what ran, and the main numbers with units, in at most 16 lines."""
        return str(_module("runs.showing").as_text(self))

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        return str(_module("runs.showing").as_html(self))

    @cached_property
    def stats(self) -> dict[str, float]:
        """The values by dotted path (``"dram.read_latency_ns.p99"``); absent without a value.

        ``stats[path]`` raises a KeyError that names the nearest paths; ``in`` and ``get`` act as on
        any dictionary.
        """
        values: dict[str, float] = {}
        for statistic in self.statistics:
            path, value = statistic["path"], statistic["value"]
            if isinstance(value, dict):
                values.update({f"{path}.{name}": part for name, part in value.items()})
            elif value is not None:
                values[path] = value
        return Statistics(_whole_first(values), self.statistics)

    @cached_property
    def units(self) -> dict[str, str]:
        """The unit of each value in `stats`, '' for plain numbers; raises what `stats` raises."""
        by_path = {statistic["path"]: statistic["unit"] for statistic in self.statistics}
        units = {}
        for name in self.stats:
            parent, _, last = name.rpartition(".")
            units[name] = by_path.get(name) or ("" if last == "count" else by_path.get(parent, ""))
        return Statistics(units, self.statistics)

    @property
    def unfinished(self) -> tuple[int, ...]:
        """The measured agents whose work was not done when the run ended."""
        stats = self.stats
        return tuple(
            index
            for index, agent in enumerate(self.workload.agents)
            if agent.measured and not stats.get(f"agent.{index}.finished", 1)
        )

    @property
    def bounds(self) -> list[Any]:
        """What bound each class of memory, and the parameters that raise its rate.

        Objects of ``hmsim.bounds.bound.Bound``.
        """
        agents = [dict(agent.flat()) for agent in self.workload.agents]
        return list(_module("bounds.verdict").bounds(self.stats, self.config.resolved(), agents))

    @property
    def main(self) -> dict[str, float]:
        """`stats` as tables show them, with the shares of latency due to the other class."""
        found: dict[str, float] = _module("bounds.verdict").main(self.stats, self.config.resolved())
        return found

    def nested(self) -> dict[str, Any]:
        """Return `stats` with dots as nesting: the content of ``stats.json``."""
        return nested(self.stats.items())

    def record(self) -> dict[str, Any]:
        """Return the run's inputs and `stats` as one flat row, as ``hmsim run --json`` prints it.

        Keys: ``workload``, ``config``, ``policy`` (None without one), ``seed``, for a partial
        result ``partial`` (the error that ended it), then every statistic that has a value, by its
        dotted path. ``contest.CLASS`` is the share of latency due to the other class,
        ``bound.CLASS.by`` what bound it, ``.share`` that of the least capacity which it reached,
        ``.raise`` the parameters to raise, the best first, those with ``+`` together.
        """
        values = {name: value for name, value in self.stats.items() if math.isfinite(value)}
        verdict: dict[str, Any] = {
            name: value for name, value in self.main.items() if name.startswith("contest.")
        }
        for bound in self.bounds:
            name = f"bound.{bound.memory.lower()}"
            verdict[f"{name}.by"] = bound.what
            verdict[f"{name}.share"] = bound.rate / bound.capacity
            verdict[f"{name}.raise"] = ", ".join("+".join(names) for names, *_ in bound.gains)
        return {
            "workload": self.workload.name,
            "config": self.config.name,
            "policy": self.config.policy,
            "seed": self.options.seed,
            **({} if self.ended_by is None else {"partial": self.ended_by}),
            **values,
            **verdict,
        }

    @property
    def series(self) -> pd.DataFrame | None:
        """Values of each statistic at regular times; None unless the configuration enables it.

        ``frontend.series_interval`` enables it. The index ``time_ps`` is simulated time in
        picoseconds. One column per path holds the value since measuring began, as `stats` would
        at that time; ``diff()`` gives the change in each interval. Histograms appear as ``.count``
        and ``.mean``. NaN where there is no value. ``attrs`` holds ``units`` by path and
        ``interval_ps``, which doubles whenever the table reaches 10 million values.
        """
        return None if self.samples is None else series_table(self.samples)

    @property
    def requests(self) -> pd.DataFrame | None:
        """Requests that completed while measuring, with their times; None unless enabled.

        ``run(..., request_log=True)`` enables it. One row per request, in order of completion:
        ``id`` (order of arrival), ``arrival_ps``, ``admitted_ps`` (to its transaction queue),
        ``first_command_ps``, ``issue_ps`` (its data-bus command), ``done_ps``, ``channel``,
        ``source``, ``class`` (dram, nvdimm), ``write``, ``address`` (in the memory of its class),
        ``rank``, ``bank``, ``row_hit`` (DRAM: no activate was made for it), and the parts of its
        latency, which add up to ``done_ps - arrival_ps``: ``admission_ps``, ``queueing_ps``,
        ``bank_ps``, ``bus_ps``, ``transfer_ps``, ``refresh_ps``, ``ack_wait_ps``,
        ``gc_blocked_ps``. ``link_ps`` is the time on a port's link, both ways: times are those
        of the device behind it, and the host's latency is longer by this. Times are simulated, in
        picoseconds.
        """
        return None if self.request_log is None else self.request_log.table()

    @property
    def io_requests(self) -> pd.DataFrame | None:
        """The block requests of agents that ended while measuring; None unless enabled.

        ``run(..., request_log=True)`` enables it. One row per request, in order of completion:
        ``agent`` (its place in the workload), ``thread`` (of the agent), ``kind`` (read, write,
        flush, trim), ``offset`` and ``bytes`` (on the device), ``submitted_ps`` (when the thread
        began it, before any software; in an open loop, when it arrived) and ``done_ps`` (when the
        thread may continue). Times are simulated, in picoseconds.
        """
        return None if self.request_log is None else self.request_log.io.table()

    def save(self, directory: str | os.PathLike[str], force: bool = False) -> None:
        """Write the files of a run.

        ``config.yaml``, ``stats.json``, ``run.json`` and, where asked for, ``series.parquet``,
        ``requests.parquet``, ``io_requests.parquet``, ``commands.parquet``, ``modules.parquet`` and
        ``threads.parquet``. The directory is written atomically.

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
            self.request_log.io.save(directory / "io_requests.parquet")
        if self.command_log is not None:
            self.command_log.save(directory)
        for index, run in enumerate(self.simpoints):
            folder = directory / f"simpoint.{index}"
            folder.mkdir()
            run.write(folder, command)

    def origin(self) -> dict[str, Any]:
        """Return the run's inputs and its cost: the content of ``run.json``."""
        log = {} if self.command_log is None else {"command_log": self.command_log.describe()}
        weights = [point.weight for point in self.workload.simpoints]
        partial = {} if self.ended_by is None else {"partial": self.ended_by}
        return {
            "versions": {**versions(), **self.simulator},
            "config": self.config.name,
            "policy": self.config.policy,
            "python_policies": {name: _named(maker) for name, maker in self.config.objects},
            "workload": {
                "name": self.workload.name,
                "agents": [dict(agent.flat()) for agent in self.workload.agents],
                **({"weights": weights} if weights else {}),
            },
            "seed": self.options.seed,
            "warmup_ps": self.options.warmup_ps,
            "warmup_instructions": self.options.warmup_instructions,
            "capacity_bytes": self.config.capacities(),
            "dram_peak_gb_per_s": dram_peak(self.config.resolved()),
            "host": self.host,
            "units": {name: unit for name, unit in self.units.items() if unit},
            **log,
            **partial,
        }


def _whole_first(values: dict[str, float]) -> dict[str, float]:
    """Return the values of an agent that are scaled to its whole work before its others."""
    scaled = [name for name in values if name.startswith("agent.") and ".scaled." in name]
    ordered: dict[str, float] = {}
    if not scaled:
        return values
    for name, value in values.items():
        agent = ".".join(name.split(".")[:2])
        ordered |= {each: values[each] for each in scaled if each.startswith(f"{agent}.scaled.")}
        ordered[name] = value
    return ordered


def _module(name: str) -> Any:
    """Return a module of hmsim, imported by name: no part of `identity.of_code`."""
    return import_module(f"hmsim.{name}")


def series_table(samples: dict[str, Any]) -> pd.DataFrame:
    """Return the core's time series as `Result.series` describes it."""
    import pandas as pd

    from hmsim.common.statistic_table import StatisticTable

    columns = samples["columns"]
    table = StatisticTable(
        samples["values"],
        pd.Index(samples["times_ps"], name="time_ps"),
        [column["path"] for column in columns],
    )
    table.attrs["units"] = {column["path"]: column["unit"] for column in columns}
    table.attrs["interval_ps"] = samples["interval_ps"]
    return table


def _named(maker: object) -> str:
    return f"{getattr(maker, '__module__', '')}.{getattr(maker, '__qualname__', repr(maker))}"


def versions() -> dict[str, str]:
    """Return the versions of the software that took part in a run."""
    return {
        "hmsim": _core.version,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file: indented, in the order given, without NaN."""
    text = json.dumps(content, indent=2, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")
