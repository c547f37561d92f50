# SPDX-License-Identifier: BSD-3-Clause
"""The target fuzz: a libFuzzer program for each trace format and each kind of saved state."""

from __future__ import annotations

from typing import Any

from SCons.Script import Alias

from tools import descriptor_tables

SETTINGS = {"compiler": "clang", "sanitize": "address,undefined", "python": "0"}
STATES = ["checkpoint", "preconditioned"]


def add(env: Any, build: str, library: Any) -> None:
    """Add the fuzzers; the library must be built for them (tools/scons/flags.py)."""
    fuzz_env = env.Clone()
    fuzz_env.Append(LINKFLAGS=["-fsanitize=fuzzer"])
    for name in sorted([*descriptor_tables.FORMATS.names("."), *STATES]):
        program = "state_fuzzer" if name in STATES else "trace_fuzzer"
        target = fuzz_env.Object(
            f"{build}/tests/fuzz/{name}.o",
            f"{build}/tests/fuzz/{program}.cc",
            CPPDEFINES=[*fuzz_env["CPPDEFINES"], ("HMSIM_FUZZED", f'\\"{name}\\"')],
        )
        Alias("fuzz", fuzz_env.Program(f"{build}/fuzz_{name}", [target, library]))
