# SPDX-License-Identifier: BSD-3-Clause
"""The command ``report``, which shows the results of runs."""

from typing import Annotated

import typer

from hmsim.cli.support import Force
from hmsim.common.directories import check_file
from hmsim.common.progress import Bars


def report(
    directories: Annotated[
        list[str],
        typer.Argument(metavar="DIR...", help="Runs, or folders of runs as 'compare' writes them."),
    ],
    out: Annotated[
        str, typer.Option(metavar="FILE", help="Page to write; must not exist yet.")
    ] = "report.html",
    force: Force = False,
) -> None:
    """Write one self-contained HTML page about runs."""
    from hmsim.report import write_report

    check_file(out, force)
    with Bars(True) as bars:
        bars.report(f"writing {out}")
        count = write_report(directories, out, force)
    print(f"{out}: {count} {'run' if count == 1 else 'runs'}")
