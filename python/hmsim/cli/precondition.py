# SPDX-License-Identifier: BSD-3-Clause
"""The command hmsim precondition."""

from pathlib import Path
from typing import Annotated

import typer

from hmsim.cli.support import ConfigArgument, Force, Json, Seed, Sets, configuration, print_json
from hmsim.common.directories import check_file, new_file
from hmsim.common.progress import Bars
from hmsim.runs.preconditioning import state
from hmsim.runs.runner import PREPARING


def precondition(
    config: ConfigArgument,
    out: Annotated[Path, typer.Option(metavar="FILE", help="File to write.")],
    sets: Sets = None,
    seed: Seed = 1,
    force: Force = False,
    json: Json = False,
) -> None:
    """Precondition a configuration's NVDIMMs or HBF once, for many runs.

    Runs of the same configuration and seed with --set nvdimm.precondition.load=FILE begin in the
    state after preconditioning.
    """
    check_file(out, force)
    loaded = configuration(config, sets)
    with Bars(True) as bars:
        content = state(loaded.flat(), seed, lambda done: bars.report(PREPARING, done))
    with new_file(out, force) as scratch:
        scratch.write_bytes(content)
    size = out.stat().st_size
    if json:
        print_json({"path": str(out), "bytes": size})
    else:
        print(f"{out}: {size:,} bytes; use it with --set nvdimm.precondition.load={out}")
