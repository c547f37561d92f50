# SPDX-License-Identifier: BSD-3-Clause
"""DRAMsim3 in the library (dramsim3=1), and its licence beside the extension."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from SCons.Script import Exit

from dram.dramsim3 import crate
from tools.scons.generated import source_file


@contextlib.contextmanager
def ending_if_missing() -> Iterator[None]:
    """End SCons with a message if the `with` block finds no source of DRAMsim3."""
    try:
        yield
    except crate.Missing as missing:
        Exit(f"hmsim: dramsim3=1: {missing}")


def is_asked_for(path: str) -> bool:
    """Return whether a file differs in builds with DRAMsim3."""
    return "HMSIM_DRAMSIM3" in Path(path).read_text(encoding="utf-8")


def licence(env: Any) -> str:
    """Return the licences to be handed on with a build; "" without DRAMsim3."""
    if not env["dramsim3"]:
        return ""
    with ending_if_missing():
        return crate.licence_text(crate.source_folder())


def write_licence(target: Any, source: Any, env: Any) -> None:
    """Write the licences of the extension's parts beside it, or remove those of another build."""
    path = Path(target[0].abspath).parent / "LICENSE-dramsim3.txt"
    if env["licence"]:
        path.write_text(env["licence"], encoding="utf-8")
    else:
        path.unlink(missing_ok=True)


def objects(env: Any, build: str, adapters: Iterable[str]) -> list[Any]:
    """Return the objects of DRAMsim3, under separate flags, and of its adapters."""
    with ending_if_missing():
        folder = crate.source_folder()
        presets = crate.preset_table(folder)
    headers = [folder / "src", folder / "ext/headers", folder / "ext/fmt/include"]
    includes = [f"-isystem{path}" for path in headers]
    includes.append(f"-ffile-prefix-map={folder}=dramsim3")
    foreign = env.Clone(CPPPATH=[], CCFLAGS=["-fPIC", "-O2", "-ffp-contract=off", "-w"])
    foreign.Replace(PRECOMPILED=[], BEGIN_WITH=[])
    ours = env.Clone()
    for each in (foreign, ours):
        each.Append(CCFLAGS=["$(", *includes, "$)"], CPPDEFINES=[("FMT_HEADER_ONLY", 1)])
    foreign.Replace(CXXCOMSTR="CXX $TARGET" if not env["verbose"] else "$CXXCOM")
    table = source_file(env, f"{build}/generated/dramsim3_presets.cc", presets)
    return [
        *(
            foreign.Object(f"{build}/dramsim3/{name}.o", str(folder / f"src/{name}.cc"))
            for name in crate.SOURCES
        ),
        *(ours.Object(source) for source in adapters),
        ours.Object(table),
    ]
