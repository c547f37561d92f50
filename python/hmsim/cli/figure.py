# SPDX-License-Identifier: BSD-3-Clause
"""The command hmsim figure."""

import json as json_format
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from hmsim._core import InputError
from hmsim.cli.statuses import FAULT
from hmsim.cli.support import Jobs, Json, print_json, print_message, print_table, resumable
from hmsim.common.directories import new_file
from hmsim.common.paths import cache_directory

MODULES = ("", ".page", ".style", ".alternatives", ".records", ".experiment", ".claims")


def figure(
    name: Annotated[
        list[str],
        typer.Argument(
            help="Names of figures: table1, fig5, ..., or all; an unknown name lists them."
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for NAME.svg, NAME.png and NAME.csv.")
    ] = Path("figures"),
    quick: Annotated[bool, typer.Option("--quick", help="Use shorter runs and one seed.")] = False,
    report: Annotated[
        Optional[Path], typer.Option(metavar="FILE", help="Write a page of all figures in --out.")
    ] = None,
    readings: Annotated[
        bool,
        typer.Option(
            "--readings", help="Also judge claims under the other readings of the paper's words."
        ),
    ] = False,
    wrong_models: Annotated[
        bool,
        typer.Option(
            "--wrong-models",
            help="Only run each claim's wrong model; fail if a verdict is 'reproduced'.",
        ),
    ] = False,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Rerun the paper's tables and figures, and show the paper's numbers next to hmsim's.

    Finished runs are reused. Existing files of the same names are replaced.
    """
    if wrong_models and (readings or report is not None):
        raise InputError("--wrong-models: takes neither --readings nor --report; leave them out")
    figures, page, style, alternatives, records, experiment, claims = _modules()
    wanted = list(dict.fromkeys(each for one in name for each in figures.names(one)))
    style.matplotlib()
    runs = experiment.Runs((cache_directory() / "figures").absolute(), quick, jobs, True)
    try:
        if not wrong_models:
            out.mkdir(parents=True, exist_ok=True)
        runs.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be written: {error.strerror}") from error
    kept = f"finished runs are kept in {runs.folder}"
    if wrong_models:
        with resumable(kept):
            rows = [each for own in wanted for each in alternatives.wrong(own, runs)]
        _judge_wrong(rows, json)
        return
    lines = []
    for each in wanted:
        with resumable(kept):
            made = figures.figures()[each].make(runs)
            others = alternatives.readings(each, runs) if readings else {}
        style.save(alternatives.joined(made, others), each, out)
        findings = {name: own.findings for name, own in others.items()}
        content = {**records.record(each, made, findings), "quick": quick}
        with new_file(out / f"{each}.json", force=True) as scratch:
            scratch.write_text(json_format.dumps(content, indent=1) + "\n", encoding="utf-8")
        for claim, found in records.found_in(content).items():
            lines.append((each, *page.row(claims.BY_ID[claim], found)))
        print(f"{out / each}.svg, .png, .csv", file=sys.stderr)
    if report is not None:
        page.write(out, report)
    _show(("figure", *page.COLUMNS), lines, json)


def _judge_wrong(rows: list[Any], json: bool) -> None:
    """Print the verdicts under wrong models. Raises Exit if a claim is reproduced under one."""
    columns = (
        *("figure", "claim", "wrong model", "hmsim", "verdict"),
        *("with it", "verdict with it"),
    )
    _show(columns, [row.cells() for row in rows], json)
    passed = [row for row in rows if row.passes]
    for row in passed:
        print_message(f"{row.claim}: is reproduced although {row.what}")
    if passed:
        raise typer.Exit(FAULT)


def _show(columns: tuple[str, ...], rows: list[Any], json: bool) -> None:
    if json:
        print_json([dict(zip(columns, row)) for row in rows])
    elif rows:
        print_table(columns, rows)


def _modules() -> tuple[Any, ...]:
    """Import and return the modules of figures. This is slow, and libraries may be missing."""
    try:
        return tuple(import_module(f"hmsim.reproduce.figures{name}") for name in MODULES)
    except ModuleNotFoundError as error:
        raise InputError(f"figures: {error.name} is not installed") from error
