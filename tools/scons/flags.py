# SPDX-License-Identifier: BSD-3-Clause
"""Compiler flags of all C and C++ files.

Flags between $( and $) are not part of a command's signature.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from SCons.Script import WhereIs

WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion"
COVERAGE = "-fsanitize=fuzzer-no-link"


def add_common(env: Any, root: Path, sanitizers: list[str]) -> None:
    """Add what C and C++ have in common."""
    if env["compiler"] == "clang":
        env["CC"] = WhereIs("clang-14") or "clang"
        env["CXX"] = WhereIs("clang++-14") or "clang++"
    env.Replace(
        CXXFLAGS=[f"-std={env['std']}", "-fvisibility=hidden"],
        CCFLAGS=f"-fPIC -ffp-contract=off {WARNINGS}".split(),
        STATIC_AND_SHARED_OBJECTS_ARE_THE_SAME=True,
    )
    env.Append(CCFLAGS=["$(", f"-ffile-prefix-map={root}=.", "$)"])
    if env["mode"] == "debug":
        env.Append(CCFLAGS=["-O1", "-g"], CPPDEFINES=[("HMSIM_DEBUG", 1)])
    else:
        env.Append(CCFLAGS=["-O1" if sanitizers else "-O3", "-g1"], CPPDEFINES=["NDEBUG"])
        # Two words that are joined in a vector register take longer than two that are not.
        env.Append(CCFLAGS=["-fno-tree-slp-vectorize"])
    if env["werror"]:
        env.Append(CCFLAGS=["-Werror"])
    if not env["verbose"]:
        env.Replace(
            CCCOMSTR="CC ${SOURCE.srcpath}",
            SHCCCOMSTR="CC ${SOURCE.srcpath}",
            CXXCOMSTR="CXX ${SOURCE.srcpath}",
            SHCXXCOMSTR="CXX ${SOURCE.srcpath}",
            ARCOMSTR="AR $TARGET",
            RANLIBCOMSTR="RANLIB $TARGET",
            LINKCOMSTR="LINK $TARGET",
            SHLINKCOMSTR="LINK $TARGET",
            LDMODULECOMSTR="LINK $TARGET",
            INSTALLSTR="COPY $TARGET",
        )


def add_sanitizers(env: Any, sanitizers: list[str]) -> bool:
    """Add the flags of sanitizers; return whether the library is built for fuzzers."""
    if sanitizers:
        flags = ["-fsanitize=" + ",".join(sanitizers), "-fno-sanitize-recover=undefined"]
        env.Append(CCFLAGS=[*flags, "-fno-omit-frame-pointer"], LINKFLAGS=flags)
    coverage = env["compiler"] == "clang" and "address" in sanitizers
    if coverage:  # also for the tests, so that both share one library
        env.Append(CCFLAGS=[COVERAGE])
    return coverage
