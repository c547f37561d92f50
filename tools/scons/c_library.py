# SPDX-License-Identifier: BSD-3-Clause
"""The targets ``library`` and ``install``: the memory system as a C library."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from SCons.Script import Action

from tools.descriptor_tables import CONTROLLER, STORAGE
from tools.rooms import C_LIBRARY
from tools.scons.generated import source_file

HEADER = "session/hmsim.h"
CMAKE = "session/hmsim-config.cmake"
EXPORTS = "session/exports.map"
PKG_CONFIG = "session/hmsim.pc"


def add(env: Any, build: str, library: Any) -> list[Any]:
    """Return the shared library, its header and its configuration of CMake.

    The library has the objects that gem5 compiles, storage and sessions. It exports the functions
    of the header.
    """
    tables = {f"{table.word.lower()}_table" for table in (*CONTROLLER, STORAGE)}
    objects = [
        each
        for each in library[0].sources
        # build/VARIANT/ROOM/...
        if Path(str(each)).parts[2] in C_LIBRARY or Path(str(each)).stem in tables
    ]
    abi = re.search(r"^#define HMSIM_ABI (\d+)$", Path(HEADER).read_text(), re.MULTILINE)[1]
    soname = f"libhmsim.so.{abi}"
    linked = env.Clone(SHLIBPREFIX="", SHLIBSUFFIX="")
    options = [
        f"-soname,{soname}",
        f"--version-script={EXPORTS}",
        "--no-undefined",
        "--gc-sections",
    ]
    linked.Append(LINKFLAGS=["-s", *(f"-Wl,{option}" for option in options)])
    shared = linked.SharedLibrary(f"{build}/embed/{soname}", objects)
    env.Depends(shared, EXPORTS)
    return [*shared, env.File(HEADER), env.File(CMAKE)]


def install(env: Any, embedded: list[Any], version: str) -> list[Any]:
    """Return the files of an installation below the variable ``prefix``."""
    prefix = Path(env["prefix"]).absolute()
    shared, header, cmake = embedded
    text = Path(PKG_CONFIG).read_text().replace("@VERSION@", version)
    described = source_file(env, "build/hmsim.pc", text)
    link = env.Command(
        f"{prefix}/lib/libhmsim.so",
        env.Install(f"{prefix}/lib", shared),
        Action("ln -sf ${SOURCE.file} $TARGET", "LINK $TARGET"),
    )
    return [
        env.Install(f"{prefix}/include", header),
        env.Install(f"{prefix}/lib/cmake/hmsim", cmake),
        env.Install(f"{prefix}/lib/pkgconfig", described),
        link,
    ]
