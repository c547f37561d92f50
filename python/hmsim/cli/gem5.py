# SPDX-License-Identifier: BSD-3-Clause
"""The command ``gem5``."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from hmsim.capture import gem5_machines
from hmsim.cli.support import Jobs, complain
from hmsim.cli.sweep import sweep
from hmsim.common.progress import Bars
from hmsim.sweep import gem5_jobs
from hmsim.sweep.results import load_results


def gem5(
    machine: Annotated[
        list[str],
        typer.Argument(
            metavar="JOB...",
            help="Files of jobs, paths or shipped names; or folders of 'hmsim guest prepare'.",
        ),
    ],
    policy: Annotated[list[str], typer.Option(help="Policy bundle; several: side by side.")],
    out: Annotated[str, typer.Option(metavar="DIR", help="Folder, new or to resume.")],
    gem5: Annotated[
        str, typer.Option(metavar="FILE", help="gem5 with the extension.")
    ] = "gem5.opt",
    config: Annotated[
        str, typer.Option(help="A configuration: a path or a shipped name.")
    ] = "gem5",
    seeds: Annotated[int, typer.Option(min=1, help="Begins of each run, for intervals.")] = 3,
    io: Annotated[
        Optional[str],
        typer.Option(
            metavar="BYTES",
            help="Begin where a millisecond moves so many of the NVDIMM's, e.g. 64KiB.",
        ),
    ] = None,
    skip: Annotated[str, typer.Option(help="On from there, by atomic cores.")] = "0us",
    warm: Annotated[str, typer.Option(help="On from there, by atomic cores with caches.")] = "2ms",
    warmup: Annotated[str, typer.Option(help="By detailed cores, before measuring.")] = "200us",
    duration: Annotated[str, typer.Option(help="Measured.")] = "20ms",
    partner: Annotated[
        Optional[list[str]],
        typer.Option(help="Program with its arguments beside each job, in place of its own."),
    ] = None,
    option: Annotated[
        Optional[list[str]],
        typer.Option(help="Of configs/gem5/fs_boot.py, such as '--llc=4MiB'."),
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Let jobs of the guest go on in gem5, each under each policy; run it again to resume.

    First QEMU prepares the machine of each job (in DIR/machines), and gem5 makes a checkpoint of
    it. DIR/sweep.yaml is the sweep that is run: 'hmsim sweep' takes it, too.
    """
    program = gem5_jobs.find_gem5(gem5)
    with Bars(True) as bars:
        machines = gem5_machines.prepared(
            machine, Path(out, "machines"), partner or (), bars.report
        )
    arguments = ["--skip", skip, "--warm", warm, "--warmup", warmup, "--duration", duration]
    arguments += ["--io", io] if io is not None else []
    wanted = gem5_jobs.Jobs(
        machines=machines,
        gem5=program,
        config=config,
        policies=policy,
        seeds=seeds,
        arguments=[*arguments, *(option or ())],
    )
    Path(out).mkdir(parents=True, exist_ok=True)
    with Bars(True) as bars:
        file = gem5_jobs.prepare(wanted, out, bars.report)
    runs = Path(out) / "runs"
    sweep(str(file), str(runs), jobs=jobs)
    for line in gem5_jobs.quiet_windows(load_results(runs)):
        complain(line)
