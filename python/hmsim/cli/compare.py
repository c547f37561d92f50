# SPDX-License-Identifier: BSD-3-Clause
"""The command that runs several systems on several workloads."""

import fnmatch
import itertools
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from hmsim._core import InputError
from hmsim.cli.run import (
    place_of_logs,
    print_agents,
    print_checked,
    print_remarks,
    print_unfinished,
)
from hmsim.cli.support import (
    POLICIES,
    WORKLOADS,
    Check,
    Configs,
    Force,
    Jobs,
    Json,
    NoCalibrate,
    Out,
    RequestLogFlag,
    Seed,
    Sets,
    Warmup,
    configuration,
    print_json,
    print_message,
    print_table,
    print_wrapped,
    resumable,
    terminal_width,
)
from hmsim.common import document_tables, labels
from hmsim.common.directories import check_output, new_directory
from hmsim.common.intervals import mean_interval
from hmsim.common.statistic_names import proposal
from hmsim.common.tables import GAP, Row
from hmsim.comparisons.comparison import compare_runs
from hmsim.comparisons.table import Comparison, titles
from hmsim.config.node_reader import located
from hmsim.runs.options import seeded
from hmsim.runs.result import Result, versions, write_json
from hmsim.runs.runner import as_workload, named_system
from hmsim.workloads import mixes

IDENTITY = ("workload", "config", "policy", "seed")  # of a run, in front of its record
# With a single agent, these values are 1 or that agent's own speedup.
OF_SEVERAL_AGENTS = ("speedup", "weighted_speedup", "max_slowdown", "agent.0.slowdown")
LABELS = 36  # characters of a long label, indented
LITTLE = 0.01  # share of a class's latency that no policy can win back to notice
SEEDS = 3  # of short workloads
EQUAL = "=: as in the first column"
NUMBERS = 9  # characters of a number
INTERVALS = 19  # characters of a mean, half its interval and a mark
LONGEST_NAME = 10  # characters of a policy's name before it is wrapped, when space is short
Values = Mapping[str, Any]  # a row of a comparison
Rows = Sequence[Values]  # of a system, seed by seed


def compare(
    config: Configs,
    workload: Annotated[
        list[str],
        typer.Option(
            *("--workload", "--trace"),
            metavar="NAME",
            help="A workload: a YAML or fio job file, a shipped name, or a trace; may be repeated.",
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
    sets: Sets = None,
    seed: Seed = 1,
    seeds: Annotated[
        Optional[int],
        typer.Option(
            min=1,
            metavar="N",
            help="Run N seeds, from --seed on; print 95 % intervals. Default: 3, or 1 if a "
            "workload's limits are two million requests or more.",
        ),
    ] = None,
    alone: Annotated[
        str,
        typer.Option(
            metavar="own|baseline",
            help="System on which agents run alone, for slowdowns: the same, or the first.",
        ),
    ] = "own",
    warmup: Warmup = None,
    check: Check = False,
    no_calibrate: NoCalibrate = False,
    request_log: RequestLogFlag = False,
    jobs: Jobs = None,
    out: Out = None,
    force: Force = False,
    json: Json = False,
    rows: Annotated[
        Optional[str],
        typer.Option(metavar="NAME,...", help="Statistics to print; '*' is any text."),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print tables in Markdown and nothing else.")
    ] = False,
    latex: Annotated[
        bool, typer.Option("--latex", help="Print LaTeX (booktabs, siunitx) and nothing else.")
    ] = False,
) -> None:
    """Compare policies, or systems, on the same workloads.

    Speedups are relative to the first column. Each agent also runs alone, on the same system or on
    the first, for slowdowns and weighted speedups (--alone). A cache keeps finished runs: after an
    interruption the same command continues.

    With several configurations --policy is optional: each runs under its own policies, or under
    those of POLICY if given as CONFIG,POLICY. --set applies to all configurations.

    With several seeds, tables show the mean over them and half its 95 % interval (Student's t).
    Speedups and slowdowns are taken between runs of the same seed, then averaged. "=" marks values
    whose difference from the first column, seed by seed, has 0 in its interval.

    The write mode (controller.writes: drained or mixed) can matter more than the policy.
    NAME,drained and NAME,mixed set it. FIRM and NVM Duet set the direction themselves.
    """
    if json + markdown + latex > 1:
        raise InputError("--json, --markdown, --latex: must be used without each other")
    if len(config) == 1 and not policy and "," not in config[0]:
        raise InputError("--policy: is required, or several configurations")
    logs = place_of_logs(request_log, out)
    if out is not None:
        check_output(out, force)
    systems = [
        named_system(each, lambda name: configuration(name, sets, check=not policy))
        for each in config
    ]
    workloads = [as_workload(each) for each in mixes.expand(workload)]
    if seeds is None:
        seeds = SEEDS if all(each.is_short() for each in workloads) else 1
    with located("--"):
        chosen = seeded(seed, seeds, warmup, check)
    with resumable("finished runs are kept in the cache"):
        found = compare_runs(
            *(systems, policy or (), workloads, chosen, jobs, True),
            warn=print_message,
            calibrate=not no_calibrate,
            logs=logs,
            alone=alone,
        )
    shown = _chosen(found, rows.split(",")) if rows is not None else found
    if out is not None:
        with new_directory(out, force) as fresh:
            _write_comparison(fresh, found)
    found = shown
    if json:
        print_json([_record(found, *each) for each in zip(found.results, found.rows)])
    elif markdown or latex:
        _print_source(found, document_tables.markdown if markdown else document_tables.latex)
    else:
        _print_comparison(found)
        if check:
            print_checked(found.commands_checked)


def _chosen(found: Comparison, patterns: Sequence[str]) -> Comparison:
    """Return the comparison with the columns, or else the statistics, that each pattern names.

    Raises InputError if one names none.
    """
    every = dict.fromkeys([*found.columns, *(n for each in found.results for n in each.stats)])
    chosen = set()
    for pattern in patterns:
        named = fnmatch.filter(found.columns, pattern) or fnmatch.filter(every, pattern)
        if not named:
            raise InputError(f"--rows: {pattern}: not a statistic{proposal(pattern, every)}")
        chosen.update(named)
    columns = tuple(name for name in every if name in chosen)
    rows = [
        {**{name: result.stats[name] for name in columns if name in result.stats}, **row}
        for result, row in zip(found.results, found.rows)
    ]
    return replace(found, columns=columns, rows=tuple(rows))


def _by_workload(found: Comparison) -> Iterator[tuple[str, list[list[Result]], list[Rows]]]:
    """Yield a title, and the results and rows of each system, seed by seed, of each workload."""
    for workload, group in itertools.groupby(
        zip(found.results, found.rows), lambda each: each[0].workload.name
    ):
        results, rows = map(list, zip(*group))
        configs = {result.config.name for result in results}
        where = f" on {configs.pop()}" if len(configs) == 1 else ""
        seeds = sorted({result.options.seed for result in results})
        which = f"one seed ({seeds[0]})"
        if len(seeds) > 1:
            which = f"mean of seeds {seeds[0]} to {seeds[-1]} ± half its 95 % interval"
        count = len(results) // len(seeds)
        systems = range(count)
        yield (
            f"{workload}{where}, {which}",
            [results[each::count] for each in systems],
            [rows[each::count] for each in systems],
        )


def _print_comparison(found: Comparison) -> None:
    for title, results, rows in _by_workload(found):
        systems = titles([each[0].config for each in results])
        print_wrapped(title)
        if len(rows[0]) > 1:
            print(EQUAL)
        print_agents(results[0][0].workload)
        for system, runs in zip(systems, results):
            for result in runs:
                which = f", seed {result.options.seed}" if len(runs) > 1 else ""
                print_unfinished(result, f" under {system}{which}")
                print_remarks(result, f" under {system}{which}")
        for part in _side_by_side(systems, NUMBERS if len(rows[0]) == 1 else INTERVALS):
            columns = [row for system, row in zip(systems, rows) if system in part]
            lines = _lines(found.columns, results, columns, rows[0])
            print_table(("", *(f">{name}" for name in part.values())), lines)
        _print_bounds(systems, [each[0] for each in results], rows)


def _print_bounds(systems: Sequence[str], results: Sequence[Result], rows: Sequence[Rows]) -> None:
    """Print what bound the first system, each other one that another bound holds, and equality."""
    shown: dict[str, str] = {}
    for system, result in zip(systems, results):
        for bound in result.bounds:
            if shown.get(bound.memory) != bound.what:
                shown.setdefault(bound.memory, bound.what)
                print_wrapped(f"{system}: {bound}")
    if not alike(rows):
        return
    said = "these systems do not differ: all rates of an agent lie within each other's intervals"
    shares = [results[0].main.get(name) for name in labels.CONTEST]
    if all(share is not None and share < LITTLE for share in shares):
        said += f". Under {systems[0]}, less than 1 % of a class's latency is due to the other"
    print_wrapped(said)


def alike(rows: Sequence[Rows]) -> bool:
    """Return whether no agent's rate differs between any two of several systems."""
    names = [name for name in rows[0][0] if name.startswith("agent.") and name.endswith(".rate")]
    pairs = itertools.combinations(rows, 2)
    return len(rows) > 1 and all(_same(name, *pair) for pair in pairs for name in names)


def _print_source(
    found: Comparison, written: Callable[[str, Sequence[str], Sequence[Row]], str]
) -> None:
    """Print a table for each workload as ``written`` returns its source text."""
    texts = []
    for title, results, rows in _by_workload(found):
        systems = titles([each[0].config for each in results])
        lines = _lines(found.columns, results, rows, rows[0])
        title += "; " + EQUAL if len(rows[0]) > 1 else ""
        texts.append(written(title, ("", *(f">{system}" for system in systems)), lines))
    print("\n".join(texts), end="")


def _lines(
    names: Sequence[str], results: Sequence[Sequence[Result]], rows: Sequence[Rows], base: Rows
) -> list[Row]:
    """Return headings, and lines of a label with its unit and a value of each system in ``rows``.

    A value is marked if it does not differ from that of ``base``. ``results``: of all systems.
    """
    first = results[0][0]
    slow = labels.slow_memory(*(each[0].config.resolved() for each in results))
    left_out = OF_SEVERAL_AGENTS if len(first.workload.agents) == 1 else ()
    names = [name for name in names if _says_something(name, rows) and name not in left_out]
    lines: list[Row] = []
    shown: set[str] = set()
    for heading, members in labels.lines(names, first.units, slow):
        lines.append(heading)
        lines += [
            (line.label, *(_same(line.name, each, base) + _mean(line, each) for each in rows))
            for line in members
        ]
        shown.update(line.name for line in members)
    if IDENTITY[0] not in names:  # chosen by name; a whole table has columns that no line shows
        others = [name for name in names if name not in shown]
        lines += ["other statistics"] if others else []
        for name in others:
            plain = labels.Line(name, f"{name} ({first.units.get(name, '')})".replace(" ()", ""), 1)
            line = labels.line_of(name, names, first.units, slow) or plain
            values = (_same(name, each, base) + _mean(line, each) for each in rows)
            lines.append((line.label, *values))
    return lines


def _mean(line: labels.Line, rows: Rows) -> str:
    return line.mean([row.get(line.name) for row in rows])


def _same(name: str, rows: Rows, base: Rows) -> str:
    """Return a mark if 0 is in the 95 % interval of the differences of runs of equal seeds."""
    pairs = [(row.get(name), other.get(name)) for row, other in zip(rows, base)]
    known = [value - other for value, other in pairs if value is not None and other is not None]
    _, low, high = mean_interval(known)
    return "= " if rows is not base and low <= 0 <= high else ""


def _says_something(name: str, rows: Sequence[Rows]) -> bool:
    """Return whether any run has the statistic. Thread times, buses and DRAM must not be 0."""
    nothing = 0 if ".time." in name or name.startswith(("bus.", "dram.")) else None
    values = (row.get(name) for each in rows for row in each)
    return any(value is not None and value == value and value != nothing for value in values)


def _side_by_side(systems: list[str], numbers: int) -> Iterator[dict[str, str]]:
    """Yield the systems in portions that fit the terminal, each with its column's title."""
    room = terminal_width() - LABELS
    headings = {system: system for system in systems}
    if sum(_width(each, numbers) for each in headings.values()) > room:
        headings = {system: _broken(system) for system in systems}
    portion: dict[str, str] = {}
    for system, heading in headings.items():
        taken = sum(_width(each, numbers) for each in portion.values())
        if portion and taken + _width(heading, numbers) > room:
            yield portion
            portion = {}
        portion[system] = heading
    yield portion


def _width(title: str, numbers: int) -> int:
    return len(GAP) + max(numbers, *map(len, title.split("\n")))


def _broken(name: str) -> str:
    """Return a name in lines that end with its underscores, blanks and its comma."""
    lines = [""]
    for piece in re.findall("[^_, ]*[_, ]|[^_, ]+", name):
        if lines[-1] and len(lines[-1] + piece) > LONGEST_NAME:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def _record(found: Comparison, result: Result, row: Values) -> dict[str, Any]:
    """Return a run's record: its identity, the comparison's columns, then other values.

    Omits columns of the comparison without a value, and those that `Result.record` has as well.
    """
    record = result.record()
    own = {name: row[name] for name in found.columns if name in row and name not in record}
    own = {name: value for name, value in own.items() if value is not None and value == value}
    return {name: record.pop(name) for name in IDENTITY} | own | record


def _write_comparison(directory: Path, found: Comparison) -> None:
    """Write the tables, and the files of each run under WORKLOAD/SYSTEM."""
    found.table.to_csv(directory / "comparison.csv", index=False)
    found.long_table.to_csv(directory / "comparison_long.csv", index=False)
    write_json(directory / "run.json", {"versions": versions(), "command": sys.argv})
    several = "seed" in found.columns
    for result, title in zip(found.results, titles([each.config for each in found.results])):
        which = f", seed {result.options.seed}" if several else ""
        folder = directory / result.workload.name / f"{title}{which}"
        folder.mkdir(parents=True)
        result.write(folder, sys.argv)
