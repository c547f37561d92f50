# SPDX-License-Identifier: BSD-3-Clause
"""The options ``-v`` and ``-q`` of all commands: which messages of the logger ``hmsim`` appear."""

import logging
from typing import Any

from typer.core import TyperOption

from hmsim.common.progress import LOGGER


def with_verbosity(command: Any) -> Any:
    """Return a command that has both options, as have the commands of a group."""
    LOGGER.setLevel(logging.WARNING)
    if hasattr(command, "commands"):
        for each in command.commands.values():
            with_verbosity(each)
        return command
    command.params += [
        _option(("-v", "--verbose"), logging.INFO, "Also print what is reused, and from where."),
        _option(("-q", "--quiet"), logging.ERROR, "Print neither progress nor warnings."),
    ]
    return command


def _option(names: tuple[str, str], level: int, text: str) -> TyperOption:
    def choose(context: Any, option: Any, given: bool) -> None:
        if given:
            LOGGER.setLevel(level)

    return TyperOption(
        param_decls=list(names), is_flag=True, expose_value=False, callback=choose, help=text
    )
