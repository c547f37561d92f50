# SPDX-License-Identifier: BSD-3-Clause
"""The command hmsim validate."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, Optional, Union

import typer

from hmsim._core import InputError
from hmsim.cli.statuses import FAULT
from hmsim.cli.support import (
    Force,
    Json,
    count,
    print_json,
    print_message,
    print_table,
    terminal_width,
)
from hmsim.common.progress import Bars


def validate(
    group: Annotated[
        str,
        typer.Argument(
            help="Group of checks: dram, flash, ftl, media, nvdimm, policies, replay, "
            "storage or all. card: compare with measured machines and drives; takes some minutes."
        ),
    ] = "all",
    which: Annotated[
        str,
        typer.Argument(
            metavar="[NAME|FILE]",
            help="Only for card: one part of it (a64fx, graviton, skylake, machines, drives, "
            "standards, prac), or a file of your own measurements. Default: all of these parts. "
            "Others: optane, cmm_h, cxl, cxl_card, over_provisioning.",
        ),
    ] = "",
    json: Json = False,
    accept_listed: Annotated[
        bool,
        typer.Option(
            "--accept-listed",
            help="Accept claims that are listed as missed, with a reason; fail a listed "
            "claim that is met.",
        ),
    ] = False,
    out: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="card: the page, and beside it the numbers as .json."),
    ] = None,
    small: Annotated[
        bool, typer.Option("--small", help="card: fewer and shorter runs, for a first look.")
    ] = False,
    jobs: Annotated[
        Optional[int], typer.Option(help="card: runs at a time.", parser=count(1), metavar="N")
    ] = None,
    force: Force = False,
) -> None:
    """Check the simulator against closed forms, and its DRAM against DRAMsim3 if built in.

    The exit status is 1 if a row fails; standard error lists the failed rows.
    """
    if group == "card":
        _card(out, which, small, jobs, force)
        return
    given = {which: which, "--out": out, "--small": small, "--jobs": jobs is not None}
    for name in (name for name, value in given.items() if value):
        raise InputError(f"{name}: only for 'hmsim validate card'")
    from hmsim.reproduce.validate import dram_comparison  # with numpy: not for help
    from hmsim.reproduce.validate.checks import validate as run_checks
    from hmsim.reproduce.validate.row import counts

    if group in ("dram", "all") and not dram_comparison.available():
        typer.echo(dram_comparison.ABSENT, err=True)
    with Bars(True) as bars:
        rows = run_checks(group, lambda _name, done: bars.report("validate", done))
    if json:
        print_json([row.as_dict() for row in rows])
    else:
        cited = any(row.claim for row in rows)
        lines: list[Union[Sequence[Any], str]] = []
        for name, members in groupby(rows, lambda row: row.group):
            lines.append(name)
            lines += [
                (
                    *(row.name, *([row.document] * cited), row.band, row.got, row.unit),
                    row.verdict(accept_listed),
                )
                for row in members
            ]
        print_table(("check", *(["source"] * cited), ">expected", ">got", "unit", "ok"), lines)
        print(fill(counts(rows), terminal_width()))
    failed = [row for row in rows if not row.passes(accept_listed)]
    for row in failed:
        print_message(row.complaint())
    if failed:
        raise typer.Exit(FAULT)


def _card(out: Optional[Path], which: str, small: bool, jobs: Optional[int], force: bool) -> None:
    """Write the card of hardware anchors; raise Exit if a judged row fails."""
    import os

    from hmsim.fits.slow import section
    from hmsim.reproduce.card import card
    from hmsim.reproduce.card.method import FULL, SMALL
    from hmsim.reproduce.card.subject import subject
    from hmsim.reproduce.validate.row import counts

    if out is None or out.suffix != ".html":
        raise InputError(f"--out: is required and must end in .html{f', got {out}' if out else ''}")
    found = subject(which)
    extent = SMALL if small else FULL
    with Bars(True) as bars:
        number = jobs or len(os.sched_getaffinity(0))
        rows = card.write(out, found, extent, number, force, bars.report, section)
    print(f"{out}, {out.with_suffix('.json')}" + (f": {counts(rows)}" if rows else ""))
    failed = [row for row in rows if not row.passes(accept_listed=True)]
    for row in failed:
        print_message(row.complaint())
    if failed:
        raise typer.Exit(FAULT)
