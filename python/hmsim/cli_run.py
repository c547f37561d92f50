# SPDX-License-Identifier: BSD-3-Clause
"""The commands that simulate: run and compare."""

import fnmatch
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from hmsim.cli_support import (
    ConfigArgument,
    Force,
    Jobs,
    Json,
    Out,
    Seed,
    Sets,
    Warmup,
    configuration,
    number,
    on_terminal,
    print_json,
    print_table,
)
from hmsim.comparison import Comparison, compare_runs
from hmsim.directories import check_output, new_directory
from hmsim.progress import Bars
from hmsim.runner import Result, options, simulate, versions, write_json
from hmsim.workload import load_workload

if TYPE_CHECKING:
    import pandas as pd

# What the summary of a run shows, of all that stats.json holds.
SUMMARY = (
    "sim.requests",
    "agent.*.progress",
    "agent.*.rate",
    "core.*.ipc",
    "dram.reads",
    "dram.writes",
    "dram.read_latency_ns.mean",
    "dram.read_latency_ns.p99",
    "dram.row_hit_ratio",
    "dram.bandwidth_gb_per_s",
    "nvdimm.reads",
    "nvdimm.writes",
    "nvdimm.line_latency_ns.mean",
    "nvdimm.line_latency_ns.p99",
    "nvdimm.response_time_us.mean",
    "nvdimm.response_time_us.p99",
    "nvdimm.queue.share_over_104",
    "nvdimm.buffer.read_hit_ratio",
    "nvdimm.buffer.write_hit_ratio",
    "nvdimm.ftl.waf",
    "nvdimm.gc.count",
    "bus.*_share",
)
POLICIES_SIDE_BY_SIDE = 3  # in 80 columns

WorkloadOption = Annotated[
    str, typer.Option("--workload", help="A workload: a path or a shipped name.")
]
PolicyOption = Annotated[
    Optional[str], typer.Option("--policy", help="A policy bundle: a path or a shipped name.")
]


def run(
    config: ConfigArgument,
    workload: WorkloadOption,
    policy: PolicyOption = None,
    sets: Sets = None,
    seed: Seed = 1,
    warmup: Warmup = None,
    out: Out = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Simulate a workload on a configuration."""
    system = configuration(config, sets, policy)
    agents = load_workload(workload)
    chosen = options(seed, warmup)
    if out is not None:
        check_output(out, force)
    with Bars(on_terminal()) as bars:
        result = simulate(system, agents, chosen, lambda done: bars.report(agents.name, done))
    if out is not None:
        with new_directory(out, force) as fresh:
            result.write(fresh, sys.argv)
    if json:
        print_json(result.nested())
    else:
        _print_result(result)


def compare(
    config: ConfigArgument,
    policy: Annotated[
        list[str], typer.Option("--policy", help="A policy bundle; give two or more.")
    ],
    workload: Annotated[list[str], typer.Option("--workload", help="A workload; may be repeated.")],
    sets: Sets = None,
    seed: Seed = 1,
    warmup: Warmup = None,
    jobs: Jobs = None,
    out: Out = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Set policies side by side on the same workloads.

    Speedups are over the first policy. Each agent also runs alone, under the same policy, for
    slowdowns; these runs are cached.
    """
    if out is not None:
        check_output(out, force)
    system = configuration(config, sets)
    chosen = options(seed, warmup)
    found = compare_runs(system, policy, workload, chosen, jobs, on_terminal())
    if out is not None:
        with new_directory(out, force) as fresh:
            _write_comparison(fresh, found)
    if json:
        print_json(_records(found.table))
    else:
        _print_comparison(found.table)


def _print_result(result: Result) -> None:
    stats, units = result.stats, result.units
    rows = [
        (name, stats[name], units[name])
        for pattern in SUMMARY
        for name in stats
        if fnmatch.fnmatchcase(name, pattern)
    ]
    policy = f" under {result.config.policy}" if result.config.policy else ""
    simulated = number(stats["sim.ticks"] / 1e9)  # ms
    title = (
        f"{result.workload.name} on {result.config.name}{policy}, seed {result.options.seed}: "
        f"{simulated} ms simulated in {result.host['seconds']:.1f} s"
    )
    print_table(("statistic", ">value", "unit"), rows, title)


def _print_comparison(table: "pd.DataFrame") -> None:
    for workload, rows in table.groupby("workload", sort=False):
        policies = list(rows["policy"])
        for start in range(0, len(policies), POLICIES_SIDE_BY_SIDE):
            part = rows.iloc[start : start + POLICIES_SIDE_BY_SIDE]
            lines: list[Sequence[Any]] = [
                (name, *part[name])
                for name in table.columns
                if name not in ("workload", "policy") and not rows[name].isna().all()
            ]
            print_table(("", *(f">{policy}" for policy in part["policy"])), lines, str(workload))


def _records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Return the rows as dictionaries without what they have no value for."""
    return [
        {name: value for name, value in row.items() if value == value}
        for row in table.to_dict("records")
    ]


def _write_comparison(directory: Path, found: Comparison) -> None:
    """Write the table, and the files of each run under WORKLOAD/POLICY."""
    found.table.to_csv(directory / "comparison.csv", index=False)
    write_json(directory / "run.json", {"versions": versions(), "command": sys.argv})
    for result in found.results:
        folder = directory / result.workload.name / str(result.config.policy)
        folder.mkdir(parents=True)
        result.write(folder, sys.argv)
