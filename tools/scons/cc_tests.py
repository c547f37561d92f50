# SPDX-License-Identifier: BSD-3-Clause
"""The target test: the C++ tests, by GoogleTest, in portions that run at the same time."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from SCons.Script import Action, Alias, AlwaysBuild

from tools.scons.flags import COVERAGE
from tools.scons.generated import STANDARD, precompile

PROBE = "#if !__has_include(<gtest/gtest.h>)\n#error\n#endif\n"
# A sanitizer, ten times slower, runs the first of several parts that draw alike, and leaves out
# tests that repeat shorter ones at more length. Threads have a separate lane.
IN_PARTS = ("FastPaths", "EveryPart", "HbfPartData", "HbfMapPowerOfPages")
LEFT_OUT = [f"Part/{name}.*/{part}" for name in IN_PARTS for part in range(1, 10)]
LEFT_OUT_WITHOUT_THREADS = [
    *("Interruption.AThousand*", "Interruption.AtEveryTick*", "Threads.*"),
    *("RandomSystems.HaveEveryFeature*", "Nodes.ARunMayBeCutAnywhere"),
]

TENTH = "tenth"  # value of the variable `tests`


def patterns(tests: str) -> str:
    """Return the patterns of files that the variable `tests` stands for.

    `tenth` stands for a tenth of the test files, chosen by the hash of the committed tree, and for
    the files that tests share. It prints the tenth.
    """
    if tests != TENTH:
        return f"tests/cc/{tests}"
    command = ["git", "rev-parse", "HEAD^{tree}"]
    tree = subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
    files = [path.as_posix() for path in Path("tests/cc").glob("**/*.cc")]
    tested = [path for path in files if path.endswith("_test.cc")]
    tested.sort(key=lambda path: hashlib.sha256(f"{tree} {path}".encode()).digest())
    chosen = sorted(tested[: -(-len(tested) // 10)])
    print(f"hmsim: a tenth of the tests, by tree {tree[:12]}:", *chosen, flush=True)
    return " ".join(chosen + sorted({*files} - {*tested}))


def missing_googletest(target: Any, source: Any, env: Any) -> int:
    print("hmsim: the target test needs GoogleTest (Debian: libgtest-dev)", file=sys.stderr)
    return 1


def runner(sanitizers: list[str]) -> Any:
    """Return the action that runs the tests of a build."""
    left_out = LEFT_OUT if "thread" in sanitizers else LEFT_OUT + LEFT_OUT_WITHOUT_THREADS

    def run_tests(target: Any, source: Any, env: Any) -> bool:
        """Run the tests in shards, one at a time on each processor; false when all pass."""
        processors = len(os.sched_getaffinity(0))
        shards = 4 * processors  # they take unequal times
        command = [source[0].abspath, "--gtest_brief=1"]
        if sanitizers:  # without it, GTEST_FILTER of the environment counts
            command.append(f"--gtest_filter=-{':'.join(left_out)}")

        def run_shard(shard: int) -> bool:
            share = {"GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)}
            return subprocess.run(command, env={**os.environ, **share}).returncode != 0

        with ThreadPoolExecutor(processors) as pool:
            return max(pool.map(run_shard, range(shards)))

    return run_tests


def add(env: Any, build: str, library: Any, tests: Iterable[str], sanitizers: list[str]) -> None:
    """Add the target ``test``. Without GoogleTest, it reports the missing library and fails."""
    preprocess = [env.subst("$CXX"), "-E", "-x", "c++", "-"]
    if subprocess.run(preprocess, input=PROBE.encode(), capture_output=True).returncode != 0:
        AlwaysBuild(Alias("test", None, Action(missing_googletest, None)))
        return
    test_env = env.Clone(LIBS=["gtest", "gtest_main", "pthread"])
    # Tests drive the library, which has separate flags. At -O0 they compile in half the time.
    test_env.Append(CCFLAGS=["-O0"])
    test_env.Replace(CCFLAGS=[flag for flag in test_env["CCFLAGS"] if flag != COVERAGE])
    if env["compiler"] == "clang":
        # INSTANTIATE_TEST_SUITE_P causes this warning where it has no name generator.
        test_env.Append(CCFLAGS=["-Wno-gnu-zero-variadic-macro-arguments"])
    precompile(test_env, f"{build}/tests", f"{STANDARD} gtest/gtest.h")
    # The library's objects first, as in the extension.
    program = test_env.Program(f"{build}/hmsim_tests", [library[0].sources, *tests])
    AlwaysBuild(Alias("test", program, Action(runner(sanitizers), "TEST")))
