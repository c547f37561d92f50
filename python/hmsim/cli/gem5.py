# SPDX-License-Identifier: BSD-3-Clause
"""The command ``gem5``."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from hmsim.capture import gem5_machines
from hmsim.cli.support import Jobs, print_message
from hmsim.cli.sweep import sweep
from hmsim.common.progress import Bars
from hmsim.sweep import gem5_jobs
from hmsim.sweep.results import load_results


def gem5(
    machine: Annotated[
        list[str],
        typer.Argument(
            metavar="JOB...",
            help="Files of jobs: paths or shipped names; or folders of 'hmsim guest prepare'.",
        ),
    ],
    policy: Annotated[
        list[str], typer.Option(help="Policy bundle; may be repeated to compare several.")
    ],
    out: Annotated[str, typer.Option(metavar="DIR", help="Directory to write, new or to resume.")],
    gem5: Annotated[
        str, typer.Option(metavar="FILE", help="gem5 binary with the extension.")
    ] = "gem5.opt",
    config: Annotated[
        str, typer.Option(help="A configuration: a path or a shipped name.")
    ] = "gem5",
    seeds: Annotated[
        int, typer.Option(min=1, help="Runs from different start times, for confidence intervals.")
    ] = 3,
    io: Annotated[
        Optional[str],
        typer.Option(
            metavar="BYTES",
            help="Start at the first millisecond that moves this much NVDIMM data, for "
            "example 64KiB.",
        ),
    ] = None,
    skip: Annotated[str, typer.Option(help="Time to skip first, with atomic cores.")] = "0us",
    warm: Annotated[
        str, typer.Option(help="Time to run next, with atomic cores and caches.")
    ] = "2ms",
    warmup: Annotated[
        str, typer.Option(help="Time to run next, with detailed cores, before measuring.")
    ] = "200us",
    duration: Annotated[str, typer.Option(help="Time to measure.")] = "20ms",
    option: Annotated[
        Optional[list[str]],
        typer.Option(help="Option of configs/gem5/fs_boot.py, for example '--llc=4MiB'."),
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Continue jobs of the guest in gem5, each under each policy; run it again to resume.

    First QEMU prepares the machine of each job (in DIR/machines), and gem5 makes a checkpoint of
    it. Then the sweep DIR/sweep.yaml runs; 'hmsim sweep' also accepts that file.
    """
    program = gem5_jobs.find_gem5(gem5)
    with Bars(True) as bars:
        machines = gem5_machines.prepared(machine, Path(out, "machines"), bars.report)
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
        print_message(line)
