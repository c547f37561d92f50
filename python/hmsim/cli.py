# SPDX-License-Identifier: BSD-3-Clause
"""The command line: ``hmsim COMMAND ...``.

Exit status: 0 done; 2 the user's input or file system is at fault; 1 the simulator is; 130
interrupted; 141 who read what is printed went away.
"""

from typing import Annotated

import typer

from hmsim import (
    cli_calibrate,
    cli_figure,
    cli_guest,
    cli_lists,
    cli_precondition,
    cli_profile,
    cli_report,
    cli_run,
    cli_sweep,
    cli_timeline,
    cli_trace,
    cli_validate,
)
from hmsim._core import version
from hmsim.cli_support import application

app = application("Simulate memory controllers whose channels hold DRAM DIMMs and flash NVDIMMs.")
app.command()(cli_run.run)
app.command()(cli_run.compare)
app.command("import")(cli_run.import_run)
app.command()(cli_sweep.sweep)
app.command()(cli_calibrate.calibrate)
app.command()(cli_precondition.precondition)
app.command()(cli_figure.figure)
app.command()(cli_lists.check)
app.command()(cli_lists.policies)
app.command()(cli_lists.params)
app.command()(cli_lists.configs)
app.command()(cli_lists.workloads)
app.command()(cli_validate.validate)
app.command()(cli_timeline.timeline)
app.command()(cli_report.report)
cli_trace.app.command()(cli_profile.profile)
cli_trace.app.command()(cli_profile.synth)
app.add_typer(cli_trace.app, name="trace")
app.add_typer(cli_guest.app, name="guest")


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


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
