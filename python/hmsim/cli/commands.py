# SPDX-License-Identifier: BSD-3-Clause
"""The commands of ``hmsim``, each imported when it is asked for: most need what others do not."""

from importlib import import_module
from typing import Any, NamedTuple, Optional

import typer
from typer.core import TyperCommand

from hmsim.cli.support import Group, application


class Entry(NamedTuple):
    """Where a command stands, and the line about it in ``hmsim --help``.

    Attributes:
        module: below `hmsim.cli`.
        name: of a function, or of a `typer.Typer`.
        summary: how its own help begins (`tests/cli/test_commands.py` compares them).
    """

    module: str
    name: str
    summary: str


COMMANDS = {
    "run": Entry("run", "run", "Simulate a workload on a configuration."),
    "compare": Entry(
        "run", "compare", "Set policies, or systems, side by side on the same workloads."
    ),
    "import": Entry("run", "import_run", "Make a run directory of the record of a run in gem5."),
    "sweep": Entry("sweep", "sweep", "Run the points of a sweep file that are missing."),
    "calibrate": Entry("calibrate", "calibrate", "Train the harmonic policy's tables."),
    "precondition": Entry(
        "precondition",
        "precondition",
        "Precondition a configuration's NVDIMMs once, for many runs.",
    ),
    "figure": Entry("figure", "figure", "Make the paper's tables and figures anew."),
    "check": Entry("lists", "check", "Check a configuration, and a workload with it."),
    "policies": Entry("lists", "policies", "List the policy bundles and the policies."),
    "params": Entry(
        "lists", "params", "List parameters, and below agents.KIND the keys of agents."
    ),
    "configs": Entry("lists", "configs", "List the shipped configurations."),
    "workloads": Entry(
        "lists", "workloads", "List the shipped workloads, the paper's mixes, and profiles."
    ),
    "validate": Entry("validate", "validate", "Check the simulator against closed forms."),
    "timeline": Entry(
        "timeline",
        "timeline",
        "Draw what each thread, core, bus, bank, flash channel and LUN did when.",
    ),
    "report": Entry("report", "report", "Write one HTML page about runs."),
    "trace": Entry("trace", "app", "Summarise, convert and capture traces."),
    "guest": Entry("guest", "app", "Build the guests that full-system captures start."),
}


class Commands(Group):
    """The group of all `COMMANDS`."""

    def __init__(self, **keywords: Any) -> None:
        """Take what typer gives a group."""
        super().__init__(**keywords)
        self.commands.update({name: TyperCommand(name) for name in COMMANDS})

    def get_command(self, ctx: Any, cmd_name: str) -> Optional[Any]:
        """Return a command; None if there is none of that name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        found = getattr(import_module(f"hmsim.cli.{entry.module}"), entry.name)
        if not isinstance(found, typer.Typer):
            alone = application()
            alone.command(cmd_name)(found)
            found = alone
        command = typer.main.get_command(found)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of ``--help``, for which nothing is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])
