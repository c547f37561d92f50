# SPDX-License-Identifier: BSD-3-Clause
"""The commands of ``hmsim``, each imported only when used: most need modules of their own."""

import gc
from importlib import import_module
from typing import Any, NamedTuple, Optional

import typer
from typer.core import TyperCommand

from hmsim.cli.support import Group, application, epilog
from hmsim.cli.verbosity import with_verbosity


class Entry(NamedTuple):
    """Location of a command, and its texts in ``hmsim --help`` and its own help.

    Attributes:
        place: module below `hmsim.cli`, and a function or a `typer.Typer` in it.
        summary: how its own help begins (`tests/cli/test_commands.py` compares them).
        example: arguments that do something useful; '': its commands have their own.
        page: of the documentation.
    """

    place: str
    summary: str
    example: str
    page: str


COMMANDS = {
    "run": Entry(
        "run.run",
        "Simulate a workload on a configuration.",
        "run quick --workload demo --policy split --out out/split",
        "concepts.md",
    ),
    "compare": Entry(
        "compare.compare",
        "Compare policies, or systems, on the same workloads.",
        "compare quick --policy firm --policy all --workload sorting",
        "where-policies-pay.md",
    ),
    "import": Entry(
        "run.import_run",
        "Convert the record of a run in gem5 to a run directory.",
        "import m5out/run.json --out out/gem5",
        "gem5-programs.md",
    ),
    "sweep": Entry(
        "sweep.sweep",
        "Run the missing points of a sweep file.",
        "sweep storage --out out/storage --dry-run",
        "sweeps.md",
    ),
    "plot": Entry(
        "plot.plot",
        "Draw the results of a comparison, a sweep or a fit for a paper.",
        "plot out/compared --y weighted_speedup --out speedups.pdf",
        "report.md",
    ),
    "curve": Entry(
        "curve.curve",
        "Draw latency against bandwidth of configurations.",
        "curve ddr5_cxl_dram pcm --measured ddr5 --out curve.pdf",
        "report.md",
    ),
    "export": Entry(
        "export.app", "Write models of devices for other simulators.", "", "c-library.md"
    ),
    "fit": Entry(
        "fit.fit",
        "Look for the values of keys that explain given numbers; run it again to resume.",
        "fit p3700 --trials 50 --out out/p3700",
        "fit.md",
    ),
    "gem5": Entry(
        "gem5.gem5",
        "Continue jobs of the guest in gem5, each under each policy.",
        "gem5 sort --policy firm --policy all --out out",
        "gem5-programs.md",
    ),
    "calibrate": Entry(
        "calibrate.calibrate",
        "Train the harmonic policy's tables.",
        "calibrate quick",
        "schedulers.md",
    ),
    "precondition": Entry(
        "precondition.precondition",
        "Precondition a configuration's NVDIMMs or HBF once, for many runs.",
        "precondition quick --set nvdimm.precondition.fill=1 --out full",
        "concepts.md",
    ),
    "figure": Entry(
        "figure.figure",
        "Rerun the paper's tables and figures.",
        "figure fig7 --quick --out out/figures",
        "results.md",
    ),
    "check": Entry(
        "lists.check",
        "Check a configuration, and a workload with it.",
        "check quick --workload demo --set controller.queue_depth=64",
        "parameters.md",
    ),
    "policies": Entry(
        "lists.policies", "List the policy bundles and the policies.", "policies", "policy-guide.md"
    ),
    "policy": Entry(
        "policy.app", "Write and compile your own policies in C++.", "", "policy-guide.md"
    ),
    "params": Entry(
        "lists.params",
        "List parameters; those of parts, policies and agents only with a PREFIX or --all.",
        "params nvdimm.buffer",
        "parameters.md",
    ),
    "configs": Entry("lists.configs", "List the shipped configurations.", "configs", "concepts.md"),
    "workloads": Entry(
        "lists.workloads",
        "List the shipped workloads, the paper's mixes, and profiles.",
        "workloads",
        "workloads.md",
    ),
    "schema": Entry(
        "schema.schema",
        "Print the JSON schema of a kind of files, for editors.",
        "schema sweep",
        "parameters.md",
    ),
    "cite": Entry(
        "cite.cite",
        "Print BibTeX entries for this version and for the paper whose system it re-implements.",
        "cite",
        "index.md",
    ),
    "library": Entry(
        "lists.library",
        "Print a compiler's arguments for programs that use the C library.",
        "library",
        "c-library.md",
    ),
    "workload": Entry("workload.app", "Write the file of a workload.", "", "traces.md"),
    "validate": Entry(
        "validate.validate",
        "Check the simulator against closed forms.",
        "validate storage --accept-listed",
        "trust.md",
    ),
    "timeline": Entry(
        "timeline.timeline",
        "Draw the activity of threads, cores, buses, banks, flash channels and LUNs.",
        "timeline out/log --from 78us --to 80us",
        "report.md",
    ),
    "report": Entry(
        "report.report",
        "Write one self-contained HTML page about runs.",
        "report out/split --out split.html",
        "report.md",
    ),
    "artifact": Entry(
        "artifact.app",
        "Rerun the experiments of the results, and compare with expected values.",
        "",
        "methods.md",
    ),
    "trace": Entry("trace.app", "Summarise, convert and capture traces.", "", "traces.md"),
    "guest": Entry(
        "guest.app",
        "Build guests, capture their jobs, and prepare them for gem5.",
        "",
        "capture.md",
    ),
}


class Commands(Group):
    """The group of all `COMMANDS`."""

    def __init__(self, **keywords: Any) -> None:
        """Create the group from typer's arguments."""
        super().__init__(**keywords)
        self.commands.update({name: TyperCommand(name) for name in COMMANDS})

    def get_command(self, ctx: Any, cmd_name: str) -> Optional[Any]:
        """Return the command of this name, or None if it does not exist."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, name = entry.place.partition(".")
        found = getattr(import_module(f"hmsim.cli.{module}"), name)
        gc.freeze()  # as in `hmsim.cli.main`, which disabled it
        gc.enable()
        if not isinstance(found, typer.Typer):
            alone = application()
            alone.command(cmd_name)(found)
            found = alone
        command = typer.main.get_command(found)
        command.name = cmd_name
        if entry.example:
            command.epilog = epilog(entry.example, entry.page)
        return with_verbosity(command)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of ``--help``, for which nothing is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])
