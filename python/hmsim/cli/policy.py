# SPDX-License-Identifier: BSD-3-Clause
"""The commands that make policies in C++: hmsim policy new, and build."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from hmsim._core import InputError
from hmsim.cli.lists import kind_of_policies
from hmsim.cli.support import Force, Json, application, epilog, print_json
from hmsim.config import policy_library

app = application("Write and compile your own policies in C++.")


@app.callback()
def group() -> None:
    """Write and compile policies of your own in C++."""


@app.command(epilog=epilog("policy new reads_first --like fr_fcfs", "policy-guide.md"))
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the policy.")],
    like: Annotated[
        str, typer.Option(metavar="POLICY", help="A shipped policy to copy.")
    ] = "fr_fcfs",
    out: Annotated[
        Optional[Path], typer.Option(metavar="FILE", help="File to write; by default NAME.cc.")
    ] = None,
    force: Force = False,
) -> None:
    """Write the file of a new policy: a renamed copy of a shipped one, to be edited."""
    path = out or Path(f"{name}.cc")
    policy_library.new(name, like, path, force)
    print(f"{path}: a copy of {like}; edit it, then run 'hmsim policy build {path}'")


@app.command(epilog=epilog("policy build reads_first.cc", "policy-guide.md"))
def build(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of a policy, C++.")],
    folder: Annotated[
        Optional[Path],
        typer.Option("--to", metavar="DIR", help="Folder for the library; by default your own."),
    ] = None,
    json: Json = False,
) -> None:
    """Compile a policy to a library that every command finds.

    Commands search your own folder ($XDG_DATA_HOME/hmsim/policies) or, if it is set, the files and
    folders in HMSIM_POLICIES, separated by colons; relative ones count from the current directory.
    To remove a policy, remove its library's file.
    """
    if folder and folder.exists() and not folder.is_dir():
        raise InputError(f"--to: {folder}: is not a directory")
    made = policy_library.build(file, folder)
    if json:
        print_json({"policy": made.name, "kind": made.kind, "path": str(made.library)})
    else:
        print(f"{made.library}: '{made.name}', of the {kind_of_policies(made.kind)}")
        print(f"use it by --policy {made.name}, or --policy BUNDLE+{made.name}")
