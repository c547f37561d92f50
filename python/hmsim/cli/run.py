# SPDX-License-Identifier: BSD-3-Clause
"""The commands that make a run directory: by a simulation, or from a run in gem5."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Optional

import typer

from hmsim._core import InputError
from hmsim.cli.hbf_remarks import hbf_remarks
from hmsim.cli.support import (
    Check,
    CommandLogFlag,
    ConfigArgument,
    For,
    Force,
    Json,
    LogRows,
    NoCalibrate,
    Out,
    PolicyOption,
    RequestLogFlag,
    Seed,
    Sets,
    Until,
    Warmup,
    WorkloadOption,
    configuration,
    limited,
    print_json,
    print_table,
    print_wrapped,
)
from hmsim.common import labels
from hmsim.common.directories import check_output, existing_parent, new_directory
from hmsim.common.progress import Bars
from hmsim.common.tables import Row, number
from hmsim.config.node_reader import located
from hmsim.runs.calibration import with_table
from hmsim.runs.command_log import MOST_ROWS, CommandLog
from hmsim.runs.machine import unused
from hmsim.runs.options import options
from hmsim.runs.record import read_record
from hmsim.runs.request_log import RequestLog
from hmsim.runs.result import Result
from hmsim.runs.runner import PREPARING, EndedByError, simulate
from hmsim.runs.showing import headline, steadiness, unfinished
from hmsim.traces.records import FORMATS
from hmsim.workloads import mixes
from hmsim.workloads.workload import Agent, Workload, load_workload

NOTABLE = 1.0  # seconds of preconditioning from which they are reported
OFTEN = 100  # repetitions of an agent's work from which they are reported


def run(
    config: ConfigArgument,
    workload: WorkloadOption,
    policy: PolicyOption = None,
    sets: Sets = None,
    seed: Seed = 1,
    warmup: Warmup = None,
    time: For = None,
    until: Until = None,
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
    logs = place_of_logs(request_log, out)
    if command_log and out is None:
        raise InputError("--command-log: needs --out, for the log")
    system = configuration(config, limited(sets, time, until), bundle)
    with located("--"):
        chosen = options(seed, warmup, check)
    if out is not None:
        check_output(out, force)
    system = with_table(system, not no_calibrate, progress=True)
    log = RequestLog(logs) if logs else None
    commands = None
    if command_log and out is not None:
        commands = CommandLog(existing_parent(out), log_rows)
    try:
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
    except EndedByError as error:
        _leave(error.partial, out, force, json)
        raise
    _leave(result, out, force, json)
    if check and not json:
        print_checked(int(result.host["commands_checked"]))


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


def place_of_logs(request_log: bool, out: Optional[str]) -> Optional[Path]:
    """Return a folder for scratch files of request logs, or None without request logs."""
    if not request_log:
        return None
    if out is None:
        raise InputError("--request-log: needs --out, for requests.parquet")
    return existing_parent(out)


def _leave(result: Result, out: Optional[str], force: bool, json: bool) -> None:
    if out is not None:
        with new_directory(out, force) as fresh:
            result.write(fresh, sys.argv)
    if json:
        print_json(result.record())
    else:
        _print_result(result)


def print_checked(commands: int) -> None:
    """Print that the commands of a run were checked."""
    print(f"protocol check: {commands} commands, no violation")


def _print_result(result: Result) -> None:
    stats, units = result.main, result.units
    slow = labels.slow_memory(result.config.resolved())
    rows: list[Row] = []
    for group, members in labels.lines(stats, units, slow):
        rows.append(group)
        for line in members:
            value = stats[line.name]
            remark = steadiness(stats, units, line.name) or line.remark(value)
            rows.append((line.label, line.text(value), remark))
    print(f"{headline(result)} in {result.host['seconds']:.1f} s")
    before = result.host.get("preconditioning_seconds", 0.0)
    if before > NOTABLE and 2 * before > result.host["seconds"]:
        print(f"(preconditioning took {before:.1f} s of these; later runs reuse it)")
    print_agents(result.workload)
    if result.ended_by is None:
        print_unfinished(result)
    else:
        print("partial result: an error ended the run; the numbers describe the time before it")
    print_remarks(result)
    if backward := stats.get("frontend.backward_arrivals"):
        print(f"{number(backward)} requests arrive before a preceding one; their order is kept")
    if empty := stats.get("frontend.zero_length_requests"):
        print(f"{number(empty)} requests of length 0 were left out (zero_length: skip)")
    if bad := stats.get("frontend.bad_records"):
        print(f"{number(bad)} malformed records were left out (on_bad_record: skip)")
    columns = 2 + any(not isinstance(row, str) and row[2] != "" for row in rows)
    print_table(
        ("", ">", "")[:columns], [row if isinstance(row, str) else row[:columns] for row in rows]
    )
    classes, parts = labels.causes(stats, slow)
    if classes:
        lines = [(name, *map(number, values)) for name, values in parts]
        print_table(("mean latency (ns)", *(f">{title}" for title in classes)), lines)
    for bound in result.bounds:
        print_wrapped(str(bound))


def print_agents(workload: Workload) -> None:
    """Print a line for each agent, and the notes on the workload."""
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
    known = FORMATS.get(keys.get("format", "")) if agent.kind == "block_trace" else None
    return "replay" not in keys and known is not None and known.has_completions


def print_unfinished(result: Result, where: str = "") -> None:
    """Print the agents that the end of the run kept from finishing, if any."""
    if ended := unfinished(result, where):
        print(ended)


def print_remarks(result: Result, where: str = "") -> None:
    """Print what qualifies agents' numbers, keys without use, and remarks on HBF."""
    for index in range(len(result.workload.agents)):
        rate = f"agent.{index}.rate"
        if steadiness(result.stats, result.units, rate) == "transient":
            window = result.stats[f"agent.{index}.window_rate"]
            print(
                f"the rate of agent {index} is transient{where}: "
                f"{number(window)} {result.units[rate]} in the last five rounds, and buffers "
                f"absorbed {number(100 * result.stats['sim.absorbed'])} % of the written pages"
            )
        passes = result.stats.get(f"agent.{index}.passes", 0)
        if passes > OFTEN:
            print(f"agent {index} did its work {number(passes)} times{where}: it is short")
        if dropped := result.stats.get(f"agent.{index}.arrivals.dropped"):
            offered = number(result.stats[f"agent.{index}.arrivals.offered"])
            print(f"agent {index} dropped {number(dropped)} of {offered} arrivals{where}")
        scaled = f"agent.{index}.scaled.step_time"
        if f"{scaled}_us" in result.stats and f"{scaled}_least_us" not in result.stats:
            print(
                f"agent {index} simulated one layer{where}: the error of its scaled time is "
                "unknown; layers_simulated: 2 prints a range"
            )
    if ignored := result.stats.get("storage.ignored_trims"):
        print(
            f"{number(ignored)} trims had no effect{where}: only storage.kind: flash has a map "
            "of pages"
        )
    if result.options.warmup_instructions and not any(n.startswith("core.") for n in result.stats):
        print(f"--warmup has no effect{where}: it counts instructions of cores; give a time")
    for line in unused(result.config.resolved()):
        print(f"{line}{where}")
    for line in hbf_remarks(result, where):
        print(line)
