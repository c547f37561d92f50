# SPDX-License-Identifier: BSD-3-Clause
"""The command that writes the file of a workload: hmsim workload new."""

from pathlib import Path
from typing import Annotated

import typer

from hmsim._core import InputError
from hmsim.cli.support import Force, application, epilog
from hmsim.common.directories import new_file
from hmsim.workloads import trace_workload

app = application("Write the file of a workload.")


@app.callback()
def group() -> None:
    """Write the file of a workload."""


@app.command(epilog=epilog("workload new sort.hmsim.zst --out sort.yaml", "traces.md"))
def new(
    traces: Annotated[
        list[str],
        typer.Argument(
            metavar="TRACE...", help="Traces, with keys as in sort.hmsim.zst,cores=1-3."
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="File to write.")],
    force: Force = False,
) -> None:
    """Write a workload that replays traces: an agent each, and all its keys as comments."""
    agents = []
    for text in traces:
        trace = trace_workload.trace_of(text)
        if trace is None:
            raise InputError(f"{text}: no such trace")
        agents.append(trace_workload.keys_of(trace, text))
    with new_file(out, force) as scratch:
        scratch.write_text(trace_workload.written(agents, out.parent), encoding="utf-8")
    print(f"{out}: hmsim run quick --workload {out}")
