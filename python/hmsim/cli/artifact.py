# SPDX-License-Identifier: BSD-3-Clause
"""The commands about artifacts: hmsim artifact run, compare and pack."""

import dataclasses
from pathlib import Path
from typing import Annotated, Optional

import typer

from hmsim._core import InputError
from hmsim.cli.statuses import FAULT
from hmsim.cli.support import (
    Force,
    Json,
    application,
    epilog,
    print_json,
    print_message,
    print_table,
    resumable,
)
from hmsim.common.hints import hint
from hmsim.common.tables import number
from hmsim.reproduce import artifact

app = application("Rerun the experiments of the results, and compare with expected values.")
Names = Annotated[
    Optional[list[str]],
    typer.Argument(metavar="[NAME]...", help="Names of experiments; by default the first one."),
]
All = Annotated[bool, typer.Option("--all", help="All experiments instead of the first.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder of results, new or to resume.")]


@app.callback()
def group() -> None:
    """Rerun the experiments of the results, and compare with expected values."""


@app.command(epilog=epilog("artifact run", "methods.md"))
def run(names: Names = None, everything: All = False, out: Out = Path("artifact")) -> None:
    """Run the experiments that have no results of this code yet, one after another."""
    wanted = _chosen(names, everything)
    minutes = sum(each.minutes for each in wanted)
    print_message(f"about {minutes:.2g} minutes on two processors")
    with resumable(f"finished experiments are kept in {out}"):
        for each in wanted:
            print_message(f"{each.name} ({each.minutes:g} min): {each.what}")
            if not artifact.run(each, out):
                print_message(f"{each.name}: already has results")
    chosen = " --all" if everything else "".join(f" {name}" for name in names or ())
    print(f"{out}: compare with the expected values: 'hmsim artifact compare{chosen} --out {out}'")


@app.command(epilog=epilog("artifact compare", "methods.md"))
def compare(
    names: Names = None, everything: All = False, out: Out = Path("artifact"), json: Json = False
) -> None:
    """Compare results with the expected ones; exit status 1 if one differs too much."""
    verdicts = [artifact.compare(each, out) for each in _chosen(names, everything)]
    if json:
        print_json([dataclasses.asdict(each) for each in verdicts])
    else:
        rows = [
            (
                *(each.name, number(each.values), number(each.differing)),
                *(f"{each.worst:.2g}", number(each.seconds / 60), each.example),
            )
            for each in verdicts
        ]
        columns = ("experiment", ">values", ">differ", ">by at most", ">minutes", "the first")
        print_table(columns, rows)
    if any(each.differing for each in verdicts):
        raise typer.Exit(FAULT)


@app.command(epilog=epilog("artifact pack --out hmsim.tar.gz", "methods.md"))
def pack(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The archive to write, .tar.gz.")],
    force: Force = False,
) -> None:
    """Pack the committed source tree: code, configurations, captures, expected values."""
    artifact.pack(out, force)
    print(f"{out}: {out.stat().st_size:,} bytes; analysis/artifact/Containerfile builds it")


def _chosen(names: Optional[list[str]], everything: bool) -> list[artifact.Experiment]:
    known = artifact.experiments()
    for name in names or ():
        if name not in known:
            raise InputError(f"{name}: unknown experiment; {hint(name, known)}")
    if names:
        return [known[name] for name in dict.fromkeys(names)]
    return [each for each in known.values() if everything or each.first]
