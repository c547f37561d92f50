# SPDX-License-Identifier: BSD-3-Clause
"""The commands below ``hmsim guest``."""

from typing import Annotated, Optional

import typer

from hmsim.capture import guest, leaving
from hmsim.cli.capture import system
from hmsim.cli.support import Json, application, epilog, print_json, print_table
from hmsim.common.progress import Bars

app = application("Build guests, capture their jobs, and prepare them for gem5.")


@app.command(epilog=epilog("guest build --small", "capture.md"))
def build(
    small: Annotated[
        bool, typer.Option("--small", help="Build only the kernel, busybox and small C programs.")
    ] = False,
    json: Json = False,
) -> None:
    """Build kernel and image from Debian's packages, unless the cache has them."""
    with Bars(True) as bars:
        made = guest.build(small, bars.report)
    content = made.manifest()
    if json:
        print_json(content)
        return
    rows: list[tuple[str, str]] = []
    for part, facts in content.items():
        print(f"{part}: {facts['directory']}")
        rows += facts["packages"].items()
        rows += [
            (name, f"{about['bytes'] / (1 << 20):.1f} MiB")
            for name, about in facts["files"].items()
        ]
    print_table(("", ">"), rows)
    print(f"jobs: {', '.join(made.jobs)}")


app.command("capture", epilog=epilog("guest capture --job fio-direct-read", "capture.md"))(system)


@app.command(
    epilog=epilog("guest prepare --job fio-direct-read --out read.machine", "gem5-programs.md")
)
def prepare(
    job: Annotated[str, typer.Option(help="Name of a job ('hmsim guest build' lists them).")],
    out: Annotated[str, typer.Option(help="Folder to write.")],
    scale: Annotated[int, typer.Option(help="Factor on the usual size of the job's files.")] = 1,
    driver: Annotated[
        str, typer.Option(help="Driver of the NVDIMM's block device; dax: without a page cache.")
    ] = "nd_pmem",
    partner: Annotated[
        Optional[list[str]],
        typer.Option(
            help="Program with its arguments that runs beside the job, on a separate CPU."
        ),
    ] = None,
    window: Annotated[
        Optional[list[str]],
        typer.Option(
            help="Save the machine after its region has moved this many bytes to or from "
            "the NVDIMM."
        ),
    ] = None,
    vcpus: Annotated[int, typer.Option(help="Number of the machine's cores.")] = 4,
    memory: Annotated[str, typer.Option(help="Bytes of DRAM, at most 3GiB.")] = "2GiB",
    nvdimm: Annotated[str, typer.Option(help="Bytes of the NVDIMM.")] = "1GiB",
    timeout: Annotated[float, typer.Option(help="Largest number of seconds of real time.")] = 1800,
    json: Json = False,
) -> None:
    """Boot a guest under QEMU up to its job's region of interest, where gem5 continues."""
    with Bars(True) as bars:
        folders = leaving.leave(
            job,
            out,
            scale=scale,
            driver=driver,
            partners=partner or (),
            windows=window or (),
            vcpus=vcpus,
            memory=memory,
            nvdimm=nvdimm,
            timeout=timeout,
            report=lambda step, done: bars.report(f"{job}: {step}", done),
        )
    if json:
        print_json([str(folder) for folder in folders])
        return
    for folder in folders:
        print(folder)
