# SPDX-License-Identifier: BSD-3-Clause
"""The commands, and the options that all of them share."""

from typing import Annotated

import typer

from hmsim._core import version
from hmsim.cli.commands import Commands
from hmsim.cli.support import application
from hmsim.common.paths import data_directory

app = application(
    "Simulate memory controllers whose channels contain DRAM DIMMs and flash NVDIMMs.",
    Commands,
    completion=True,
    end=f"\b\nThe pages are in {data_directory()}/docs.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"hmsim {version}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass
