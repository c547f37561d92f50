# SPDX-License-Identifier: BSD-3-Clause
"""The command hmsim precondition."""

from pathlib import Path
from typing import Annotated

import typer

from hmsim.cli.support import ConfigArgument, Force, Json, Seed, Sets, configuration, print_json
from hmsim.common.directories import check_file
from hmsim.running.system import System


def precondition(
    config: ConfigArgument,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write.")],
    sets: Sets = None,
    seed: Seed = 1,
    force: Force = False,
    json: Json = False,
) -> None:
    """Precondition a configuration's NVDIMMs once, for many runs.

    Runs of the same configuration and seed with --set nvdimm.precondition.load=FILE begin where
    preconditioning would have ended.
    """
    check_file(out, force)
    System(configuration(config, sets), seed=seed).save_preconditioned(out, force)
    size = out.stat().st_size
    if json:
        print_json({"path": str(out), "bytes": size})
    else:
        print(f"{out}: {size:,} bytes; use it with --set nvdimm.precondition.load={out}")
