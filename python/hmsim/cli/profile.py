# SPDX-License-Identifier: BSD-3-Clause
"""The commands ``hmsim trace profile`` and ``hmsim trace synth``."""

from typing import Annotated, Optional

import typer

from hmsim.cli.support import Force, Json, count, print_facts
from hmsim.common.directories import new_file
from hmsim.common.paths import find_file
from hmsim.common.progress import Bars


def profile(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A trace of misses.")],
    out: Annotated[
        Optional[str], typer.Option("--out", metavar="FILE", help="Profile to write, YAML.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Measure rates, locality, bursts, reuse and phases of a trace of misses."""
    from hmsim.clones.profile_file import dump  # with numpy, as below: not for the list of commands
    from hmsim.clones.profile_meter import measure

    with Bars(True) as bars:
        measured = measure(trace, lambda: bars.report(trace))
    if out is not None:
        with new_file(out, force) as scratch:
            scratch.write_text(dump(measured), encoding="utf-8")
    print_facts({"instructions": measured.instructions, **measured.figures()}, trace, json)


def synth(
    like: Annotated[
        str,
        typer.Option(
            "--like", metavar="PROFILE", help="Profile to imitate: a path or a shipped name."
        ),
    ],
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Trace to write.")],
    instructions: Annotated[
        Optional[int],
        typer.Option(
            "--instructions",
            parser=count(1),
            metavar="N",
            help="Instructions to cover; by default the measured number.",
        ),
    ] = None,
    intensity: Annotated[
        float, typer.Option("--intensity", help="Factor on accesses per instruction.")
    ] = 1.0,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", min=0, help="Seed: another one gives another trace with the same statistics."
        ),
    ] = 1,
    blocks: Annotated[
        bool, typer.Option("--blocks", help="Write only NVDIMM traffic, as a block trace (mqsim).")
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a trace with the statistics of a profile: a statistical twin."""
    from hmsim.clones.profile_file import load
    from hmsim.clones.synthesis import synthesise

    wanted = load(find_file(like, "workloads/profiles", "profile"))
    with Bars(True) as bars:
        summary = synthesise(
            wanted,
            out,
            instructions or wanted.instructions,
            intensity,
            seed,
            blocks,
            force,
            lambda: bars.report(out),
        )
    print_facts(summary, out, json)
