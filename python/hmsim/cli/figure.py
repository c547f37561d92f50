# SPDX-License-Identifier: BSD-3-Clause
"""The command hmsim figure."""

import json as json_format
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from hmsim._core import InputError
from hmsim.cli.support import Jobs, Json, print_json, print_table, resumable
from hmsim.common.directories import new_file
from hmsim.common.paths import cache_directory

MODULES = ("", ".page", ".style", ".claims", ".experiment")


def figure(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of a figure: table1, fig5, ..., or all; an unknown name lists them."
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for NAME.svg, NAME.png and NAME.csv.")
    ] = Path("figures"),
    quick: Annotated[bool, typer.Option("--quick", help="Use shorter runs and one seed.")] = False,
    report: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="Write a page of all figures in --out."),
    ] = None,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Rerun the paper's tables and figures, and show the paper's numbers next to hmsim's.

    Finished runs are reused. Existing files of the same names are replaced.
    """
    figures, page, style, claims, experiment = _modules()
    wanted = figures.names(name)
    style.matplotlib()
    runs = experiment.Runs((cache_directory() / "figures").absolute(), quick, jobs, True)
    try:
        out.mkdir(parents=True, exist_ok=True)
        runs.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be written: {error.strerror}") from error
    rows = []
    for each in wanted:
        with resumable(f"finished runs are kept in {runs.folder}"):
            made = figures.figures()[each].make(runs)
        style.save(made, each, out)
        content = {**page.record(each, made), "quick": quick}
        with new_file(out / f"{each}.json", force=True) as scratch:
            scratch.write_text(json_format.dumps(content, indent=1) + "\n", encoding="utf-8")
        for finding in made.findings:
            claim = claims.BY_ID[finding.claim]
            rows.append((each, *page.row(claim, finding)))
        print(f"{out / each}.svg, .png, .csv", file=sys.stderr)
    if report is not None:
        page.write(out, report)
    columns = ("figure", "claim", "place", "what", "paper", "hmsim", "interval", "verdict")
    if json:
        print_json([dict(zip(columns, row)) for row in rows])
    elif rows:
        print_table(columns, rows)


def _modules() -> tuple[Any, ...]:
    """Import and return the modules of figures. This is slow, and libraries may be missing."""
    try:
        return tuple(import_module(f"hmsim.figures{name}") for name in MODULES)
    except ModuleNotFoundError as error:
        raise InputError(f"figures: {error.name} is not installed") from error
