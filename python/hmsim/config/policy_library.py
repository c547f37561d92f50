# SPDX-License-Identifier: BSD-3-Clause
"""Policies in C++ that are compiled against an installed hmsim, into libraries that it loads.

A policy's file is the same as in the source tree (``policies/KIND/NAME.cc``). Its library is put
into a folder that every command searches when it starts. The environment variable
``HMSIM_POLICIES`` names files or folders to search instead, separated by colons. A file or folder
that other users can change is rejected, and a damaged library of the folder is left out
(hmsim.common.policy_folder).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from hmsim import _core
from hmsim._core import InputError, nearest_name
from hmsim.common import policy_folder
from hmsim.common.directories import new_file, read_regular, scratch_directory
from hmsim.common.paths import data_directory, shipped_file

PARTS = Path(__file__).resolve().parents[1] / "_policy" / "libhmsim_policy.a"
FLAGS = "-std=c++17 -O3 -fPIC -shared -fvisibility=hidden -ffp-contract=off -Wl,--no-undefined"
SYMBOL = re.compile(r"^extern const PolicyDescriptor kPolicy_(\w+)[;{]", re.MULTILINE)
KIND = re.compile(r"\bkPolicy_\w+\s*\{\s*PolicyKind::(\w+)")
NAME = re.compile(r"[a-z][a-z0-9_]*")
# fixed_order() states the order that a policy's keys yield. A copied policy omits it, because the
# statement is wrong once the keys are changed.
SHORTCUT = re.compile(r"^.*\bfixed_order\(\).*\n", re.MULTILINE)
LONGEST = 1 << 20  # bytes of a policy's file
MODE = 0o755  # of libraries and new folders: others may not write them, whatever the umask
GLUE = """\
#include "policies/policy_library.h"
namespace hmsim {{
extern const PolicyDescriptor kPolicy_{name};
}}
extern "C" __attribute__((visibility("default")))
const hmsim::PolicyLibrary hmsim_policy_library{{"{interface}", &hmsim::kPolicy_{name}}};
"""
LOAD = "import sys; from hmsim._core import policies; sys.exit(not policies())"


def own_folder() -> Path:
    """Return the folder that is searched if HMSIM_POLICIES is not set; it may be missing.

    Raises InputError: the user has no home, and names no other place.
    """
    folder = policy_folder.own_folder()
    if folder is None:
        raise InputError("no folder for policies: set HOME or XDG_DATA_HOME")
    return Path(folder)


def sources() -> dict[str, Path]:
    """Return the files of the shipped policies by name."""
    known = {piece["name"] for piece in _core.policies()}
    found = sorted(data_directory().glob("policies/*/*.cc"))
    return {path.stem: path for path in found if path.stem in known}


def new(name: str, like: str, out: Path, force: bool = False) -> None:
    """Write the file of a policy that copies a shipped one under a new name.

    A scheduler's ``fixed_order()`` is omitted, so that the simulator calls its keys.

    Raises InputError: there is no such policy, the name is invalid or taken, or the file exists.
    """
    if not NAME.fullmatch(name):
        raise InputError(f"{name}: must consist of small letters, digits and underscores")
    if name in {piece["name"] for piece in _core.policies()}:
        raise InputError(f"{name}: a policy of this name exists; 'hmsim policies' lists them")
    _refuse_bundle(name)
    found = sources()
    if like not in found:
        near = nearest_name(like, list(found))
        hint = f"; did you mean '{near}'?" if near else ""
        raise InputError(f"--like {like}: unknown policy{hint}")
    text = found[like].read_text(encoding="utf-8")
    made = re.search(r"make_policy<(\w+)>", text)
    if made is None:
        raise InputError(
            f"--like {like}: cannot be copied, because {found[like]} defines it in another form"
        )
    title = "".join(part.capitalize() for part in name.split("_"))
    text = re.sub(rf"\b{made[1]}\b", title, SHORTCUT.sub("", text))
    text = text.replace(f"kPolicy_{like}", f"kPolicy_{name}").replace(f'"{like}"', f'"{name}"')
    with new_file(out, force) as scratch:
        scratch.write_text(text, encoding="utf-8")


class Built(NamedTuple):
    """Library that `build` compiled.

    Attributes:
        name: of the policy.
        kind: as ``hmsim policies --json`` calls it.
        library: its file.
    """

    name: str
    kind: str
    library: Path


def build(source: Path, folder: Path | None = None) -> Built:
    """Compile a policy's file into a library, in place of an earlier one.

    Args:
        source: defines ``kPolicy_NAME``, for one policy.
        folder: to put ``NAME.so`` into; by default `own_folder`.

    Raises:
        InputError: there is no compiler, the file does not compile (the compiler has printed why),
            or what it makes cannot be loaded.
    """
    text = read_regular(source, LONGEST).decode("utf-8", errors="replace")
    names, kind = SYMBOL.findall(text), KIND.search(text)
    if len(names) != 1 or kind is None:
        raise InputError(
            f"{source}: expected one line 'extern const PolicyDescriptor kPolicy_NAME;' and its "
            f"definition, which begins with PolicyKind::KIND"
        )
    _refuse_bundle(names[0])
    compiler = shlex.split(os.environ.get("CXX") or "g++")
    if not compiler or shutil.which(compiler[0]) is None:
        raise InputError(f"{(compiler[0] if compiler else 'CXX')}: unknown compiler; CXX names one")
    if not PARTS.is_file():
        raise InputError(f"{PARTS}: is missing; 'scons policy_parts' makes it")
    target = folder or own_folder()
    try:
        for each in reversed((target, *target.parents)):
            if not each.exists():
                each.mkdir(MODE)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from error
    library = target / f"{names[0]}.so"
    with scratch_directory(target) as scratch:  # there, so that `_check` finds the place fit
        glue = Path(scratch, "library.cc")
        interface = _core.policy_interface
        glue.write_text(GLUE.format(name=names[0], interface=interface), encoding="utf-8")
        made = Path(scratch, library.name)
        inputs = [f"-I{data_directory()}", str(source), str(glue), str(PARTS)]
        command = [*compiler, *FLAGS.split(), *inputs, "-o", str(made)]
        if subprocess.run(command).returncode:
            views = data_directory() / "policies"
            raise InputError(f"{source}: does not compile; {views}/*.h declare what it may use")
        made.chmod(MODE)
        _check(source, made)
        with new_file(library, force=True) as fresh:
            shutil.copy(made, fresh)
    if folder is None:
        policy_folder.remember(library)
    return Built(names[0], kind[1], library)


def _refuse_bundle(name: str) -> None:
    if shipped_file(name, "configs/policies"):
        raise InputError(f"{name}: a policy bundle has this name; choose another for the policy")


def _check(source: Path, library: Path) -> None:
    """Have another process load the library. Raises InputError."""
    package = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "HMSIM_POLICIES": str(library), "PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, "-c", LOAD], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"]
        raise InputError(f"{source}: cannot be loaded: {lines[-1]}")
