# SPDX-License-Identifier: BSD-3-Clause
"""The command hmsim calibrate."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from hmsim.cli.support import (
    ConfigArgument,
    Force,
    Jobs,
    Json,
    Sets,
    configuration,
    count,
    print_json,
    resumable,
)
from hmsim.common.directories import check_file, new_file
from hmsim.config.harmonic_table import cache_file, find_table
from hmsim.runs.calibration import REQUESTS, WARMUP, store, train


def calibrate(
    config: ConfigArgument,
    sets: Sets = None,
    requests: Annotated[
        int,
        typer.Option(
            parser=count(1, 10**9),
            metavar="N",
            help="Requests measured for each of the 624 patterns.",
        ),
    ] = REQUESTS,
    warmup: Annotated[
        int,
        typer.Option(
            parser=count(0, 10**9), metavar="N", help="Requests before measuring each pattern."
        ),
    ] = WARMUP,
    jobs: Jobs = None,
    out: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="File for the table; by default the cache."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Train the harmonic policy's tables for a configuration, by simulation.

    Other commands train a missing table automatically. An interrupted training continues.
    """
    system = configuration(config, sets)
    if out is not None:
        check_file(out, force)
    found = None if force or out is not None else find_table(system)
    if found is None:
        with resumable("measured patterns are kept in the cache"):
            table = train(system, requests, warmup, jobs, progress=True)
        path = cache_file(table.key) if out is None else out
        if out is None:
            store(table, system.name)
        else:
            with new_file(out, force) as scratch:
                scratch.write_bytes(table.content(system.name))
    else:
        table, path = found
    if json:
        print_json({"path": str(path), "key": table.key})
        return
    print(f"{path}: {'trained' if found is None else 'already trained; --force trains it again'}")
