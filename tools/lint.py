#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks format, wording, style and types: ``tools/lint.py [--only TOOL]... [FILE]...``

Without files it reads all but hidden folders and builds. Exit status 1 when a tool complains.
"""

import argparse
import fnmatch
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("prose", "clang-format", "ruff", "mypy", "clang-tidy")
Command = list[str]


def all_files() -> Iterator[str]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - {"build", "dist"} - set(fnmatch.filter(folders, ".*")))
        yield from (os.path.relpath(os.path.join(folder, name), ROOT) for name in sorted(names))


def commands(tool: str, files: list[str], named: bool) -> Iterator[Command]:
    """Yield the command lines of a tool; they may run at the same time."""
    module = [sys.executable, "-m"]
    cxx = [name for name in files if name.endswith((".cc", ".h", ".c"))]
    python = [name for name in files if name.endswith((".py", ".pyi", "SConstruct"))]
    if tool == "prose":
        yield [sys.executable, "tools/prose.py", *(files if named else ())]
    if tool == "clang-format" and cxx:
        yield ["clang-format-14", "--dry-run", "--Werror", *cxx]
    if tool == "ruff" and python:
        yield [*module, "ruff", "check", "--quiet", "--no-cache", *python]
        yield [*module, "ruff", "format", "--check", "--quiet", "--no-cache", *python]
    if tool == "mypy":
        yield [*module, "mypy", "--no-error-summary", "--no-incremental"]
    if tool == "clang-tidy":
        # To parse these, headers of gem5, DRAMsim3 and Berkeley DB are needed. Tests, half of all,
        # are read when they are named.
        left = ("gem5-ext/", "dram/dramsim3/", "workloads/blocks/", *(() if named else ("tests/",)))
        sources = [n for n in cxx if n.endswith(".cc") and not any(part in n for part in left)]
        if sources:
            scons = [*module, "SCons", "-Q", "-s", "precompiled=0", "unity=0", "compile_commands"]
            subprocess.run(scons, cwd=ROOT, check=True)
        for name in sources:
            program = Path(sys.executable).with_name("clang-tidy")
            options = ["--extra-arg=-w", "--extra-arg=-Isession"]  # for the examples
            yield [str(program), "-p", "build", "--quiet", *options, name]


def complaint(command: Command) -> str:
    """Return a tool's complaints, or "" if it succeeds."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return (done.stdout or done.stderr or str(command)).strip() if done.returncode else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0].split(":")[0])
    parser.add_argument("--only", action="append", choices=TOOLS, help="run this tool")
    parser.add_argument("files", nargs="*", metavar="FILE")
    arguments = parser.parse_args()
    files = arguments.files or list(all_files())
    good = True
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for tool in arguments.only or TOOLS:
            start = time.monotonic()
            lines = commands(tool, files, bool(arguments.files))
            complaints = [text for text in pool.map(complaint, lines) if text]
            print(*complaints, sep="\n", end="\n" if complaints else "")
            verdict = "complains" if complaints else "ok"
            print(f"{tool}: {verdict} ({time.monotonic() - start:.0f} s)", flush=True)
            good = good and not complaints
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
