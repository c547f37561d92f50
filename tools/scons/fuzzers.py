# SPDX-License-Identifier: BSD-3-Clause
"""The targets fuzz (libFuzzer, for trace formats and saved states) and fuzz_states (plain)."""

from __future__ import annotations

from typing import Any

from SCons.Script import Alias

from tools import descriptor_tables

SETTINGS = {"compiler": "clang", "sanitize": "address,undefined", "python": "0"}
STATES = ["checkpoint", "preconditioned"]


def add_plain(env: Any, build: str, library: Any) -> None:
    """Add the program that tries random damage of saved states without libFuzzer."""
    sources = [f"{build}/tests/fuzz/fuzz_states.cc", _state_target(env, build), library]
    Alias("fuzz_states", env.Program(f"{build}/fuzz_states", sources))


def _state_target(env: Any, build: str) -> Any:
    return env.Object(f"{build}/tests/fuzz/state_target.cc")


def add(env: Any, build: str, library: Any) -> None:
    """Add the fuzzers; the library must be built for them (tools/scons/flags.py)."""
    fuzz_env = env.Clone()
    fuzz_env.Append(LINKFLAGS=["-fsanitize=fuzzer"])
    for name in sorted([*descriptor_tables.FORMATS.names("."), *STATES]):
        states = name in STATES
        program = "state_fuzzer" if states else "trace_fuzzer"
        parts = _state_target(env, build) if states else []
        target = fuzz_env.Object(
            f"{build}/tests/fuzz/{name}.o",
            f"{build}/tests/fuzz/{program}.cc",
            CPPDEFINES=[*fuzz_env["CPPDEFINES"], ("HMSIM_FUZZED", f'\\"{name}\\"')],
        )
        Alias("fuzz", fuzz_env.Program(f"{build}/fuzz_{name}", [target, parts, library]))
