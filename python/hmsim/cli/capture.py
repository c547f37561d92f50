# SPDX-License-Identifier: BSD-3-Clause
"""The commands ``hmsim trace capture`` and ``hmsim guest capture``."""

import dataclasses
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperCommand

from hmsim._core import InputError
from hmsim.capture.machine import DRIVERS, PROCESSORS
from hmsim.capture.program import capture
from hmsim.capture.settings import SHIPPED, ProgramSettings, SystemSettings
from hmsim.capture.system import USUAL, capture_system
from hmsim.cli.support import Force, Json, application, count, print_facts, print_message
from hmsim.common.hints import hint
from hmsim.common.progress import Bars

STANDARD_ERROR = 2  # file descriptor
SYSTEM = "--system"  # a deprecated option of `trace capture`

OutOption = Annotated[
    Optional[str], typer.Option("--out", metavar="FILE", help="Memory trace to write.")
]
SkipOption = Annotated[
    Optional[int],
    typer.Option(parser=count(0), metavar="N", help="Instructions to run before recording."),
]
LimitOption = Annotated[
    Optional[int],
    typer.Option(parser=count(1), metavar="N", help="Instructions to record at most."),
]


class ProgramCommand(TyperCommand):
    """The command ``trace capture``; with `SYSTEM`, an older spelling, ``guest capture``."""

    def make_context(
        self, info_name: Optional[str], args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Return the context of the command that the arguments mean."""
        own = args[: args.index("--")] if "--" in args else args
        if SYSTEM not in own:
            return super().make_context(info_name, args, parent, **extra)
        print_message("trace capture --system: deprecated, use 'hmsim guest capture'")
        alone = application()
        alone.command("capture")(system)
        rest = [argument for argument in args if argument != SYSTEM]
        return typer.main.get_command(alone).make_context("capture", rest, parent, **extra)


def program(
    command: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="COMMAND", help="Program and its arguments, after --."),
    ] = None,
    out: OutOption = None,
    blocks: Annotated[
        Optional[str], typer.Option("--blocks", metavar="FILE", help="Block trace to write.")
    ] = None,
    block_format: Annotated[
        str,
        typer.Option(
            metavar="FORMAT", help="Format of --blocks: mqsim, or blkparse, which has flushes."
        ),
    ] = ProgramSettings.block_format,
    limit: LimitOption = None,
    skip: SkipOption = None,
    roi: Annotated[bool, typer.Option("--roi", help="Record only between region markers.")] = False,
    files: Annotated[
        Optional[str],
        typer.Option(metavar="PATTERN", help="Pattern of the files whose I/O to record."),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="With --blocks alone: also record child processes.")
    ] = False,
    timeout: Annotated[
        Optional[float], typer.Option(min=1, help="Largest number of seconds to run.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Capture the memory and file traffic of a program under QEMU."""
    if out is None and blocks is None:
        raise InputError("trace capture: --out, --blocks or both are required")
    settings = ProgramSettings(block_format, files, follow, skip, limit, roi, timeout=timeout)
    stdout = STANDARD_ERROR if json else None
    summary = capture(command or (), out, settings, blocks=blocks, force=force, stdout=stdout)
    content = {**dataclasses.asdict(summary), "mpki": summary.mpki, "wpki": summary.wpki}
    print_facts(content, " ".join(command or ()), json)


def system(
    job: Annotated[str, typer.Option(help="Name of a job ('hmsim guest build' lists them).")],
    out: Annotated[
        Optional[str],
        typer.Option("--out", metavar="FILE", help="Trace to write.  [default: JOB.hmsim.zst]"),
    ] = None,
    shipped: Annotated[
        bool,
        typer.Option("--shipped", help="Start from the settings of the job's shipped capture."),
    ] = False,
    scale: Annotated[
        Optional[int], typer.Option(metavar="N", help="Factor on the job's usual input.")
    ] = None,
    icount: Annotated[
        Optional[bool],
        typer.Option("--icount", help="Record the same trace every time, at lower speed."),
    ] = None,
    causes: Annotated[
        Optional[bool], typer.Option("--causes", help="Record the causes for which threads wait.")
    ] = None,
    driver: Annotated[
        Optional[str],
        typer.Option(
            metavar="NAME", help=f"Driver: {', '.join(DRIVERS)}.  [default: {USUAL.driver}]"
        ),
    ] = None,
    delay: Annotated[
        Optional[str], typer.Option(metavar="TIME", help="Additional time of each request of pmbd.")
    ] = None,
    processor: Annotated[
        Optional[str],
        typer.Option(
            metavar="NAME",
            help=f"Processor model: {', '.join(PROCESSORS)}, as in 'guest prepare'.  "
            f"[default: {USUAL.processor}]",
        ),
    ] = None,
    snapshot: Annotated[
        Optional[str],
        typer.Option(
            metavar="DIR", help="Begin with this saved state; create it if it does not exist."
        ),
    ] = None,
    memory: Annotated[
        Optional[str],
        typer.Option(
            metavar="SIZE", help="Bytes of DRAM.  [default: 1GiB for small jobs, otherwise 2GiB]"
        ),
    ] = None,
    nvdimm: Annotated[
        Optional[str],
        typer.Option(metavar="SIZE", help=f"Bytes of the NVDIMM.  [default: {USUAL.nvdimm}]"),
    ] = None,
    vcpus: Annotated[
        Optional[int],
        typer.Option(metavar="N", help=f"Number of processors.  [default: {USUAL.vcpus}]"),
    ] = None,
    limit: LimitOption = None,
    skip: SkipOption = None,
    size_limit: Annotated[
        Optional[str],
        typer.Option(metavar="SIZE", help="Largest size of the uncompressed trace in bytes."),
    ] = None,
    timeout: Annotated[
        Optional[float],
        typer.Option(
            min=1, help=f"Largest number of seconds to run.  [default: {USUAL.timeout:g}]"
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Capture the memory traffic of a job in a whole machine under QEMU."""
    given = locals()  # options have the names of the settings
    names = [field.name for field in dataclasses.fields(SystemSettings)]
    chosen = {name: given[name] for name in names if given[name] is not None}
    settings = dataclasses.replace(_of_shipped(job) if shipped else USUAL, **chosen)
    name = out or f"{job}.hmsim.zst"
    with Bars(True) as bars:
        summary = capture_system(
            job,
            name,
            settings,
            snapshot=snapshot,
            force=force,
            report=lambda step, done: bars.report(f"{job}: {step}", done),
        )
    print_facts({"trace": name, **dataclasses.asdict(summary)}, f"{job} in a machine", json)


def _of_shipped(job: str) -> SystemSettings:
    """Return the settings of the shipped capture of a job. Raises InputError."""
    if job not in SHIPPED:
        jobs = hint(job, SHIPPED, "the jobs are")
        raise InputError(f"--shipped: no capture of job '{job}' is shipped; {jobs}")
    return SHIPPED[job]
