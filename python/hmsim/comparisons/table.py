# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a comparison: a row per run, or a row per value with its unit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hmsim.common import labels
from hmsim.config.configuration import Config
from hmsim.runs.result import Result

if TYPE_CHECKING:  # takes a while to import: only for tables
    import pandas as pd

NAMES = ("workload", "config", "policy", "seed")  # columns that say which run a row is of


@dataclass(frozen=True)
class Comparison:
    """A comparison's runs, workload by workload and system by system.

    Attributes:
        results: results of the runs; within a workload, the seeds follow each other.
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
        from hmsim.common.statistic_table import StatisticTable

        table = StatisticTable(self.rows, columns=list(self.columns))
        units: dict[str, dict[str, None]] = {}
        for name, unit in itertools.chain.from_iterable(map(_units, self.results, self.rows)):
            units.setdefault(name, {})[unit] = None
        known = [name for name in self.columns if name in units]
        table.attrs["units"] = {name: ", ".join(units[name]) for name in known}
        table.attrs["axes"] = [name for name in NAMES if name in self.columns]
        return table

    @cached_property
    def long_table(self) -> pd.DataFrame:
        """One row per value: ``workload``, ``config``, ``policy``, ``name``, ``value``, ``unit``.

        With several seeds, ``seed`` follows ``policy``.
        The unit of a plain number is ``1``, so that no reader of a CSV file takes it as missing.
        """
        import pandas as pd

        names = [name for name in NAMES if name in self.columns]
        rows = [
            (*(row[each] for each in names), name, row[name], unit or "1")
            for result, row in zip(self.results, self.rows)
            for name, unit in _units(result, row)
        ]
        return pd.DataFrame(rows, columns=[*names, "name", "value", "unit"])


def _units(result: Result, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the unit of each value of a row, '' for plain numbers such as speedups."""
    units = result.units
    return [(name, units.get(name, "")) for name in row if name not in NAMES]


def titles(configs: Sequence[Config]) -> list[str]:
    """Return the name of each system of a comparison: its policy, its configuration, or both.

    The policy is omitted if a system has its own, the configuration if all have the same one.
    """
    several = len({config.name for config in configs}) > 1
    names = ([config.name if several else None, config.policy] for config in configs)
    return [", ".join(filter(None, each)) or "its own" for each in names]


def row_of(result: Result, first: Sequence[float], alone: Sequence[float]) -> dict[str, Any]:
    """Return a run's row, without values that it lacks.

    Args:
        result: of the run.
        first: rates of its agents on the first system.
        alone: rates of its agents alone, on the same system or on the first one.
    """
    stats = result.stats
    row: dict[str, Any] = {
        "workload": result.workload.name,
        "config": result.config.name,
        "policy": result.config.policy,
    }
    rates = agent_rates(result)
    scaled = labels.scaled_agents(stats)
    speedups = [_ratio(rate, base) for rate, base in zip(rates, first)]
    slowdowns = [_ratio(solo, rate) for rate, solo in zip(rates, alone)]
    measured = [index for index, agent in enumerate(result.workload.agents) if agent.measured]
    logarithms = [math.log(speedups[n]) if speedups[n] > 0 else math.nan for n in measured]
    row["speedup"] = math.exp(sum(logarithms) / len(measured))
    row["weighted_speedup"] = sum(_ratio(1.0, slowdowns[n]) for n in measured)
    row["max_slowdown"] = max(slowdowns[n] for n in measured)
    for index in range(len(rates)):
        if str(index) in scaled:
            row[f"agent.{index}.scaled.rate"] = rates[index]
        row[f"agent.{index}.rate"] = stats.get(f"agent.{index}.rate", math.nan)
        row[f"agent.{index}.speedup"] = speedups[index]
        row[f"agent.{index}.slowdown"] = slowdowns[index]
    has_nvdimm = result.config.resolved()["nvdimm.present"] == "true"
    main = result.main
    for name in labels.columns(main):
        of_agent = name.startswith("agent.")  # whose slow memory may be a storage device
        if has_nvdimm or of_agent or "nvdimm" not in name:
            row[name] = main[name]
    return row


def with_seed(row: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return a row with its seed, after the other names."""
    names = {name: row[name] for name in NAMES if name in row}
    return names | {"seed": seed} | dict(row)


def columns_of(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return all columns: names, rates and their ratios, then statistics in the labels' order."""
    names = dict.fromkeys(name for row in rows for name in row)
    known = dict.fromkeys(labels.columns(names))
    return (*(name for name in names if name not in known), *known)


def rates_of(stats: Mapping[str, float], agents: int) -> list[float]:
    """Return the rate of each agent, scaled to all layers if it is; NaN where a run has none."""
    rates = (labels.whole_rate(stats, number) for number in range(agents))
    return [math.nan if rate is None else rate for rate in rates]


def agent_rates(result: Result) -> list[float]:
    """Return the rate of each agent of a run."""
    return rates_of(result.stats, len(result.workload.agents))


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else math.nan
