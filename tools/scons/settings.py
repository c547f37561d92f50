# SPDX-License-Identifier: BSD-3-Clause
"""Variables and help text of SConstruct."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from SCons.Script import BoolVariable, EnumVariable, ListVariable, Variables

STANDARDS = ["c++17", "c++20"]  # gem5 compiles as C++17 up to v25, then as C++20
SANITIZERS = ["address", "undefined", "thread"]
HELP = """
scons [TARGET]... [VARIABLE=VALUE]...
  lib               build/<variant>/libhmsim.a
  controller        the objects that gem5 compiles as well, core/ to embed/
  extension         the Python module hmsim._core
  policy_parts      python/hmsim/_policy/libhmsim_policy.a, for 'hmsim policy build'
  library           the memory system as a C library, in python/hmsim/_library
  install           the C library, its header, and files of pkg-config and CMake below `prefix`
  capture           the QEMU plug-ins in python/hmsim/_capture
  programs          build/<variant>/workloads/programs/*, to be captured; needs liblemon-dev
  test              build and run the C++ tests (GoogleTest)
  bench             build and run the benchmarks
  fuzz              build the fuzzers (libFuzzer, compiler=clang sanitize=address,undefined) of the
                    trace readers, of checkpoints and of preconditioned state
  fuzz_states       build build/<variant>/fuzz_states, which tries random damage of checkpoints and
                    of preconditioned state; needs neither libFuzzer nor a sanitizer
  compile_commands  build/compile_commands.json, for clang-tidy and editors
Default: lib extension policy_parts capture; with a sanitizer lib only, since Python cannot load the
others then.
"""


def variables(arguments: Mapping[str, str]) -> Any:
    """Return the variables of the command line, with the values in `arguments`."""
    found = Variables(None, arguments)
    found.AddVariables(
        EnumVariable("compiler", "compiler", "gcc", ["gcc", "clang"]),
        EnumVariable("mode", "optimised, or with internal checks", "release", ["release", "debug"]),
        EnumVariable("std", "C++ standard", "c++17", STANDARDS),
        ListVariable("sanitize", "sanitizers, separated by commas", "none", SANITIZERS),
        BoolVariable("python", "build the extension hmsim._core", True),
        BoolVariable("werror", "treat warnings as errors", True),
        BoolVariable(
            "precompiled", "gcc: compile standard headers once; off: each file compiles alone", True
        ),
        BoolVariable(
            "unity", "compile a folder's files together; off: each alone, after an edit", True
        ),
        BoolVariable("dramsim3", "add DRAMsim3 as a second DRAM model; needs cargo", False),
        ("prefix", "folder of the target install", "/usr/local"),
        (
            "tests",
            "C++ tests to build, a pattern below tests/cc; tenth: one chosen by the tree's hash",
            "**/*.cc",
        ),
        BoolVariable("verbose", "print whole command lines", False),
    )
    return found
