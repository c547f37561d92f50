# SPDX-License-Identifier: BSD-3-Clause
"""The commands that simulate: run and compare."""

import itertools
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from hmsim._core import InputError
from hmsim.cli.support import (
    CONFIGS,
    POLICIES,
    WORKLOADS,
    Check,
    CommandLogFlag,
    ConfigArgument,
    Force,
    Jobs,
    Json,
    LogRows,
    NoCalibrate,
    Out,
    PolicyOption,
    RequestLogFlag,
    Seed,
    Series,
    Sets,
    Warmup,
    WorkloadOption,
    complain,
    configuration,
    print_json,
    print_table,
    resumable,
    terminal_width,
)
from hmsim.common import labels
from hmsim.common.directories import check_output, existing_parent, new_directory
from hmsim.common.progress import Bars
from hmsim.common.tables import GAP, Row, number
from hmsim.running import mixes
from hmsim.running.calibration import with_table
from hmsim.running.command_log import MOST_ROWS, CommandLog
from hmsim.running.comparison import Comparison, compare_runs, titles
from hmsim.running.options import options
from hmsim.running.request_log import RequestLog
from hmsim.running.result import Result, versions, write_json
from hmsim.running.run_record import read_record
from hmsim.running.runner import PREPARING, named_system, simulate
from hmsim.running.workload import Agent, Workload, load_workload
from hmsim.traces.records import FORMATS

NOTABLE = 1.0  # seconds of preconditioning that are told
IDENTITY = ("workload", "config", "policy", "seed")  # of a run, in front of its record
OFTEN = 100  # times that an agent did its work, from which on it is told
# With a single agent, these values are 1 or that agent's own speedup.
OF_SEVERAL_AGENTS = ("speedup", "weighted_speedup", "max_slowdown", "agent.0.slowdown")
LABELS = 32  # characters of the longest label, indented
NUMBERS = 9  # characters of a number
LONGEST_NAME = 10  # characters of a policy's name before it is wrapped, when space is short


def run(
    config: ConfigArgument,
    workload: WorkloadOption,
    policy: PolicyOption = None,
    sets: Sets = None,
    seed: Seed = 1,
    warmup: Warmup = None,
    series: Series = None,
    request_log: RequestLogFlag = False,
    command_log: CommandLogFlag = False,
    log_rows: LogRows = MOST_ROWS,
    check: Check = False,
    no_calibrate: NoCalibrate = False,
    out: Out = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Simulate a workload on a configuration."""
    bundle = _only("--policy", policy) if policy else None
    agents = load_workload(_only("--workload", workload))
    if series is not None:
        if out is None:
            raise InputError("--series: needs --out, for series.parquet")
        sets = [*(sets or ()), f"frontend.series_interval={series}"]
    logs = _place_of_logs(request_log, out)
    if command_log and out is None:
        raise InputError("--command-log: needs --out, for the log")
    system = configuration(config, sets, bundle)
    chosen = options(seed, warmup, check)
    if out is not None:
        check_output(out, force)
    system = with_table(system, not no_calibrate, progress=True)
    log = RequestLog(logs) if logs else None
    commands = None
    if command_log and out is not None:
        commands = CommandLog(existing_parent(out), log_rows)
    with Bars(True) as bars:
        result = simulate(
            system,
            agents,
            chosen,
            lambda done: bars.report(agents.name, done),
            log=log,
            commands=commands,
            preparing=lambda done: bars.report(PREPARING, done),
        )
    _leave(result, out, force, json)
    if check and not json:
        _print_checked(int(result.host["commands_checked"]))


def compare(
    config: Annotated[
        list[str],
        typer.Argument(
            metavar="CONFIG...",
            help="Configurations: paths or shipped names; CONFIG,POLICY adds a bundle.",
            autocompletion=CONFIGS,
        ),
    ],
    workload: Annotated[
        list[str],
        typer.Option(
            "--workload",
            help="A workload: a path or a shipped name; may be repeated.",
            autocompletion=WORKLOADS,
        ),
    ],
    policy: Annotated[
        Optional[list[str]],
        typer.Option(
            "--policy",
            help="A policy bundle, NAME,drained or NAME,mixed; may be repeated.",
            autocompletion=POLICIES,
        ),
    ] = None,
    writes: Annotated[
        Optional[str],
        typer.Option(
            metavar="both|drained|mixed",
            help="The write mode of bundles that do not set it; by default the bundle's.",
        ),
    ] = None,
    sets: Sets = None,
    seed: Seed = 1,
    warmup: Warmup = None,
    check: Check = False,
    no_calibrate: NoCalibrate = False,
    request_log: RequestLogFlag = False,
    jobs: Jobs = None,
    out: Out = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Compare policies, or systems, on the same workloads.

    Speedups are relative to the first column. Each agent also runs alone, on the same system, for
    slowdowns. A cache keeps finished runs: after an interruption the same command continues.

    With several configurations --policy is optional: each runs under its own policies, or under
    those of POLICY if given as CONFIG,POLICY. --set applies to all configurations.

    The write mode (controller.writes: drained or mixed) can matter more than the policy. --writes
    both shows each policy as NAME,drained and as NAME,mixed. FIRM and NVM Duet set the direction
    themselves; --writes does not change them.
    """
    logs = _place_of_logs(request_log, out)
    if out is not None:
        check_output(out, force)
    systems = [
        named_system(each, lambda name: configuration(name, sets, check=not policy))
        for each in config
    ]
    chosen = options(seed, warmup, check)
    with resumable("finished runs are kept in the cache"):
        found = compare_runs(
            *(systems, policy or (), workload, chosen, jobs, True),
            writes=writes,
            warn=complain,
            calibrate=not no_calibrate,
            logs=logs,
        )
    if out is not None:
        with new_directory(out, force) as fresh:
            _write_comparison(fresh, found)
    if json:
        print_json([_record(found, *each) for each in zip(found.results, found.rows)])
    else:
        _print_comparison(found)
        if check:
            _print_checked(found.commands_checked)


def import_run(
    record: Annotated[str, typer.Argument(metavar="RECORD", help="run.json of gem5's script.")],
    out: Out = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Convert the record of a run in gem5 to a run directory."""
    result = read_record(record)
    _leave(result, out, force, json)


def _only(option: str, values: Sequence[str]) -> str:
    """Return the value of an option that a run takes once. Raises InputError."""
    if len(values) > 1:
        raise InputError(f"{option}: given {len(values)} times; 'hmsim compare' takes several")
    return values[0]


def _place_of_logs(request_log: bool, out: str | None) -> Path | None:
    """Return a folder for scratch files of request logs, or None without request logs."""
    if not request_log:
        return None
    if out is None:
        raise InputError("--request-log: needs --out, for requests.parquet")
    return existing_parent(out)


def _leave(result: Result, out: str | None, force: bool, json: bool) -> None:
    if out is not None:
        with new_directory(out, force) as fresh:
            result.write(fresh, sys.argv)
    if json:
        print_json(result.record())
    else:
        _print_result(result)


def _print_checked(commands: int) -> None:
    print(f"protocol check: {commands} commands, no violation")


def _print_result(result: Result) -> None:
    stats, units = result.stats, result.units
    rows: list[Row] = []
    for group, members in labels.lines(stats, units):
        rows.append(group)
        rows += [(line.label, number(_scaled(stats[line.name], line.factor))) for line in members]
    policy = f" under {result.config.policy}" if result.config.policy else ""
    print(
        f"{result.workload.name} on {result.config.name}{policy}, seed {result.options.seed}: "
        f"{number(stats['sim.ticks'] / 1e9)} ms simulated in {result.host['seconds']:.1f} s"
    )
    before = result.host.get("preconditioning_seconds", 0.0)
    if before > NOTABLE and 2 * before > result.host["seconds"]:
        print(f"(preconditioning took {before:.1f} s of these; later runs reuse it)")
    _print_agents(result.workload)
    _print_unfinished(result)
    _print_repeated(result)
    if backward := stats.get("frontend.backward_arrivals"):
        print(f"{number(backward)} requests arrive before a preceding one; their order is kept")
    print_table(("", ">"), rows)
    classes, parts = labels.causes(stats)
    if classes:
        names = [*(label for label, _ in labels.CAUSES), "sum"]
        lines = [(name, *map(number, values)) for name, values in zip(names, parts)]
        print_table(("mean latency (ns)", *(f">{title}" for title in classes)), lines)


def _print_comparison(found: Comparison) -> None:
    for workload, group in itertools.groupby(
        zip(found.results, found.rows), lambda each: each[0].workload.name
    ):
        results, rows = zip(*group)
        units = results[0].units
        left_out = OF_SEVERAL_AGENTS if len(results[0].workload.agents) == 1 else ()
        configs = [result.config for result in results]
        columns_of = titles(configs)
        where = f" on {configs[0].name}" if len({config.name for config in configs}) == 1 else ""
        print(f"{workload}{where}, seed {results[0].options.seed}")
        _print_agents(results[0].workload)
        for result, title in zip(results, columns_of):
            _print_unfinished(result, f" under {title}")
            _print_repeated(result, f" under {title}")
        for part in _side_by_side(columns_of):
            columns = [row for title, row in zip(columns_of, rows) if title in part]
            told = [name for name in found.columns if _says_something(name, columns)]
            names = [name for name in told if name not in left_out]
            lines: list[Row] = []
            for heading, members in labels.lines(names, units):
                lines.append(heading)
                for line in members:
                    values = (row.get(line.name, math.nan) for row in columns)
                    scaled = [_scaled(value, line.factor) for value in values]
                    lines.append((line.label, *map(number, scaled)))
            print_table(("", *(f">{name}" for name in part.values())), lines)


def _says_something(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether any run has the statistic. Thread times, buses and DRAM must not be 0."""
    nothing = 0 if ".time." in name or name.startswith(("bus.", "dram.")) else None
    values = (row.get(name) for row in rows)
    return any(value is not None and value == value and value != nothing for value in values)


def _print_agents(workload: Workload) -> None:
    for index, agent in enumerate(workload.agents):
        trace = f" of {agent.trace.name}" if agent.trace else ""
        print(f"agent {index}: {agent.kind}{trace}{'' if agent.measured else ', not measured'}")
        if _could_infer(agent):
            print("  (its requests do not wait for each other; replay: inferred makes them wait)")
    for note in workload.notes:
        print(f"({note})")
    if workload.name.startswith(mixes.PREFIX) and "," not in workload.name:
        print(f"the program waits for its I/O; in {workload.name},closed it does not")


def _could_infer(agent: Agent) -> bool:
    """Return whether a block trace's causes could be inferred and its replay mode is unset."""
    keys = dict(agent.flat())
    known = FORMATS.get(keys.get("format", ""))
    return (
        agent.kind == "block_trace"
        and "replay" not in keys
        and known is not None
        and known.tells_completions
    )


def _print_unfinished(result: Result, where: str = "") -> None:
    if result.unfinished:
        agents = ", ".join(map(str, result.unfinished))
        print(f"frontend.time_limit ended the run{where} before agents had finished: {agents}")


def _print_repeated(result: Result, where: str = "") -> None:
    for index in range(len(result.workload.agents)):
        passes = result.stats.get(f"agent.{index}.passes", 0)
        if passes > OFTEN:
            print(f"agent {index} did its work {number(passes)} times{where}: it is short")


def _scaled(value: float, factor: float) -> float:
    return value if factor == 1 else value * factor


def _side_by_side(systems: list[str]) -> Iterator[dict[str, str]]:
    """Yield the systems in portions that fit the terminal, each with its column's title."""
    room = terminal_width() - LABELS
    headings = {system: system for system in systems}
    if sum(map(_width, headings.values())) > room:
        headings = {system: _broken(system) for system in systems}
    portion: dict[str, str] = {}
    for system, heading in headings.items():
        if portion and sum(map(_width, portion.values())) + _width(heading) > room:
            yield portion
            portion = {}
        portion[system] = heading
    yield portion


def _width(title: str) -> int:
    return len(GAP) + max(NUMBERS, *map(len, title.split("\n")))


def _broken(name: str) -> str:
    """Split a name into lines after its underscores, its blanks and its comma."""
    lines = [""]
    for piece in re.findall("[^_, ]*[_, ]|[^_, ]+", name):
        if lines[-1] and len(lines[-1] + piece) > LONGEST_NAME:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def _record(found: Comparison, result: Result, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run's record: its identity, the comparison's columns, then other values.

    Omits columns of the comparison without a value, and those that `Result.record` has as well.
    """
    record = result.record()
    own = {name: row[name] for name in found.columns if name in row and name not in record}
    own = {name: value for name, value in own.items() if value is not None and value == value}
    return {name: record.pop(name) for name in IDENTITY} | own | record


def _write_comparison(directory: Path, found: Comparison) -> None:
    """Write the table, and the files of each run under WORKLOAD/SYSTEM."""
    found.table.to_csv(directory / "comparison.csv", index=False)
    write_json(directory / "run.json", {"versions": versions(), "command": sys.argv})
    for result, title in zip(found.results, titles([each.config for each in found.results])):
        folder = directory / result.workload.name / title
        folder.mkdir(parents=True)
        result.write(folder, sys.argv)
