# SPDX-License-Identifier: BSD-3-Clause
"""The command that prints JSON schemas for editors."""

from typing import Annotated

import typer

from hmsim._core import InputError
from hmsim.cli.support import print_json
from hmsim.common.hints import hint
from hmsim.config.schema import SCHEMAS


def schema(
    what: Annotated[str, typer.Argument(metavar="KIND", help=f"One of {', '.join(SCHEMAS)}.")],
) -> None:
    """Print the JSON schema of a kind of files, for editors that check YAML."""
    if what not in SCHEMAS:
        raise InputError(f"{what}: no such kind of files; {hint(what, SCHEMAS)}")
    print_json(SCHEMAS[what]())
