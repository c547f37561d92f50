# SPDX-License-Identifier: BSD-3-Clause
"""Sets up and runs lanes of tests, for ``tools/test``; needs nothing but Python.

tests/README.md describes the content, purpose and duration of each lane.
"""

from __future__ import annotations

import argparse
import difflib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = "test,dev,docs,figures,notebooks,sweep,optimise"
SCONS = ".venv/bin/scons -Q"
PYTEST = ".venv/bin/python -m pytest -q -n logical --dist worksteal"
# Markers of pyproject.toml. A test that has several belongs to the first lane here.
MARKERS = ("gem5", "guest", "browser", "cluster", "card", "fuzz", "slow")
ONLY = "--only clang-format --only mypy --only clang-tidy"  # the lane "ruff" runs the others


class Lane(NamedTuple):
    """Commands of the shell that run one after the other until one fails."""

    what: str
    packages: str  # of Debian, beside those of tools/setup
    commands: Sequence[str]
    lasting: Sequence[str] = ()  # run in the end, whatever failed


def python_lane(terms: Iterable[str], what: str, packages: str, *before: str) -> Lane:
    tests = f"{PYTEST} -m '{' and '.join(terms)}' tests"
    return Lane(what, packages, [f"{SCONS} extension capture library", *before, tests])


def of_marker(marker: str, what: str, packages: str, *before: str) -> Lane:
    others = MARKERS[: MARKERS.index(marker)]
    return python_lane([marker, *(f"not {other}" for other in others)], what, packages, *before)


FIRST = {
    "cc": Lane("C++ tests, gcc", "libgtest-dev", [f"{SCONS} test"]),
    "ruff": Lane(
        "Python's style, wording, and lines of code by room",
        "",
        [
            ".venv/bin/python tools/lint.py --only ruff --only prose",
            ".venv/bin/python tools/house.py",
        ],
    ),
    "python": python_lane(
        [f"not {marker}" for marker in MARKERS],
        "Python tests that belong to no other lane",
        "liblemon-dev qemu-user",
    ),
}
REST = {
    "slow": of_marker("slow", "Python tests that take long", "liblemon-dev qemu-user"),
    "browser": of_marker("browser", "reports in a browser", "chromium"),
    "cluster": of_marker(
        "cluster", "sweeps on Slurm, and on batch systems that are feigned", "munge slurm-wlm"
    ),
    "gem5": of_marker("gem5", "inside the gem5 that GEM5 names", ""),
    "sanitize": Lane(
        "a tenth of the C++ tests, clang with address and undefined",
        "clang-14 libclang-rt-14-dev libgtest-dev",
        [f"{SCONS} test compiler=clang sanitize=address,undefined python=0 tests=tenth"],
    ),
    "fuzz": of_marker("fuzz", "seconds of fuzzing", "clang-14 libclang-rt-14-dev", f"{SCONS} fuzz"),
    "bench": Lane(
        "host instructions of a request, against stored counts",
        "valgrind",
        [
            f"{SCONS} python=0 build/gcc-release/benchmarks",
            ".venv/bin/python benchmarks/run.py --check",
        ],
    ),
    "lint": Lane(
        "C++'s format and style, Python's types",
        "clang-format-14 libgtest-dev liblemon-dev",
        [f".venv/bin/python tools/lint.py {ONLY}"],
    ),
}
# Run by name, or with --all: they take minutes and rarely find anything.
BY_NAME = {
    "dramsim3": Lane(
        "DRAMsim3 as the oracle of DRAM",
        "" if shutil.which("cargo") else "cargo-web",  # Debian 12's cargo is too old for the lock
        [
            f"{SCONS} extension test dramsim3=1 tests=controller/dramsim3_test.cc",
            f"{PYTEST} tests/validation/test_dramsim3.py",
        ],
        [f"{SCONS} extension"],
    ),
    "guest": of_marker(
        "guest",
        "captures of a whole system, whose kernel is built",
        "bc bison e2fsprogs flex libelf-dev make perl qemu-system-x86 xz-utils",
        ".venv/bin/hmsim guest build --small",
    ),
    "cxx20": Lane(
        "the C++ that gem5 compiles, as C++20", "", [f"{SCONS} controller std=c++20 python=0"]
    ),
    "pythons": Lane(
        "the oldest and the newest Python that are here, in one tree", "", ["tools/release pythons"]
    ),
    "tsan": Lane(
        "simulations at the same time, clang with thread",
        "clang-14 libclang-rt-14-dev libgtest-dev",
        [f"{SCONS} test compiler=clang sanitize=thread python=0 tests=simulation/threads_test.cc"],
    ),
    "commands": Lane(
        "the commands of pages, and the output that pages show",
        "cmake qemu-user",
        [f"{SCONS} extension capture library", ".venv/bin/python tools/page_commands.py"],
    ),
    "card": of_marker("card", "the whole card of hardware anchors", ""),
}
LANES = {**FIRST, **REST, **BY_NAME}


def setup(lanes: Iterable[str]) -> None:
    packages = sorted({name for lane in lanes for name in LANES[lane].packages.split()})
    subprocess.run(["tools/setup", EXTRAS, *packages], cwd=ROOT, check=True)


def run(name: str) -> bool:
    """Run a lane; whether all went well."""
    lane = LANES[name]
    print(f"== {name}: {lane.what}", flush=True)

    def succeeds(command: str) -> bool:
        print(f"$ {command}", flush=True)
        return subprocess.run(command, shell=True, cwd=ROOT).returncode == 0

    good = all(succeeds(command) for command in lane.commands)
    return all([succeeds(command) for command in lane.lasting]) and good


def main() -> int:
    listed = "\n".join(f"  {name:10}{lane.what}" for name, lane in LANES.items())
    parser = argparse.ArgumentParser(
        prog="tools/test",
        description="Sets up and runs tests; more in tests/README.md.",
        epilog=f"lanes ({', '.join(FIRST)} run by default):\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="run every lane")
    which.add_argument(
        "--rest", action="store_true", help="run the lanes that CI runs after the default ones"
    )
    parser.add_argument("lanes", nargs="*", metavar="LANE")
    chosen = parser.parse_args()
    if chosen.lanes and (chosen.all or chosen.rest):
        parser.error("either lanes or --all or --rest")
    for name in chosen.lanes:
        if name not in LANES:
            near = difflib.get_close_matches(name, LANES, n=1, cutoff=0)[0]
            print(f"tools/test: unknown lane {name!r}; nearest: {near!r}", file=sys.stderr)
            return 2
    names = chosen.lanes or list(LANES if chosen.all else REST if chosen.rest else FIRST)
    setup(names)
    outcomes = []
    for name in names:
        start = time.monotonic()
        good = run(name)
        outcomes.append((name, good, time.monotonic() - start))
    print("==")
    for name, good, seconds in outcomes:
        print(f"{name:10}{'passed' if good else 'FAILED'}  {seconds / 60:4.1f} min")
    total = sum(seconds for _, _, seconds in outcomes)
    print(f"{'total':18}{total / 60:4.1f} min, load average {os.getloadavg()[2]:.1f}")
    left = [name for name in LANES if name not in names]
    if left:
        print(f"not run:  {', '.join(left)}")
    return 0 if all(good for _, good, _ in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
