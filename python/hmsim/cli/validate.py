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
            "storage or all."
        ),
    ] = "all",
    json: Json = False,
    accept_listed: Annotated[
        bool,
        typer.Option(
            "--accept-listed",
            help="Accept claims that are listed as missed, with a reason; fail a listed "
            "claim that is met.",
        ),
    ] = False,
    card: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE",
            help="Instead of groups: compare with measured machines and drives, and write a page "
            "and, beside it, the same numbers as .json. Takes some minutes.",
        ),
    ] = None,
    small: Annotated[
        bool, typer.Option("--small", help="--card: fewer and shorter runs, for a first look.")
    ] = False,
    jobs: Annotated[
        Optional[int],
        typer.Option(help="--card: runs at a time.", parser=count(1), metavar="N"),
    ] = None,
    force: Force = False,
) -> None:
    """Check the simulator against closed forms, and its DRAM against DRAMsim3 if built in.

    The exit status is 1 if a row fails; standard error lists the failed rows.
    """
    if card is not None:
        _card(card, group, small, jobs, force)
        return
    if small or jobs is not None:
        raise InputError(f"{'--small' if small else '--jobs'}: needs --card")
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


def _card(out: Path, group: str, small: bool, jobs: Optional[int], force: bool) -> None:
    """Write the card of hardware anchors; raise Exit if a judged row fails."""
    import os

    from hmsim.reproduce.card import card
    from hmsim.reproduce.card.method import FULL, SMALL
    from hmsim.reproduce.validate.row import counts

    if group != "all":
        raise InputError(f"--card: takes no group, got '{group}'")
    if out.suffix != ".html":
        raise InputError(f"--card: must end in .html, got '{out}'")
    extent = SMALL if small else FULL
    with Bars(True) as bars:
        number = jobs or len(os.sched_getaffinity(0))
        rows = card.write(out, extent, number, force, bars.report)
    print(f"{out}, {out.with_suffix('.json')}: {counts(rows)}")
    failed = [row for row in rows if not row.passes(accept_listed=True)]
    for row in failed:
        print_message(row.complaint())
    if failed:
        raise typer.Exit(FAULT)
