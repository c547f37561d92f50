# SPDX-License-Identifier: BSD-3-Clause
"""The command hmsim validate."""

from typing import Annotated

import typer

from hmsim.cli_support import FAULT, Json, on_terminal, print_json, print_table
from hmsim.progress import Bars
from hmsim.validate import validate as run_checks


def validate(
    group: Annotated[
        str, typer.Argument(help="dram, flash, ftl, nvdimm, policies or all.")
    ] = "all",
    json: Json = False,
) -> None:
    """Check the simulator against closed forms; exit status 1 when a row fails."""
    with Bars(on_terminal()) as bars:
        rows = run_checks(group, lambda _name, done: bars.report("validate", done))
    if json:
        print_json([row.as_dict() for row in rows])
    else:
        print_table(
            ("group", "check", ">expected", ">got", ">tolerance", "unit", "ok"),
            [
                (r.group, r.name, r.expected, r.got, r.tolerance, r.unit, "ok" if r.ok else "FAIL")
                for r in rows
            ],
        )
    if not all(row.ok for row in rows):
        raise typer.Exit(FAULT)
