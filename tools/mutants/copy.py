# SPDX-License-Identifier: BSD-3-Clause
"""Mutated copy of the source tree, in a separate folder, with a separate build."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tools import rooms
from tools.mutants import summary
from tools.mutants.rewriting import Mutant, header, rewrite
from tools.mutants.runner import MEASURED

ROOMS = ("controller", "nvdimm", "policies")
TESTS = ("tests/cc",)
PROGRAM = "build/gcc-release/hmsim_tests"
ERROR_PLACE = re.compile(
    r"(?:^|from )(?:\./)?(?P<file>\w[\w/.-]*):(?P<line>\d+):\d+:", re.MULTILINE
)
MOST_ROUNDS = 8


class Copy:
    """Content of a work folder: ``tree``, and ``mutants.json``, which numbers its mutants.

    ``counts`` holds each room's number of mutants, including those that were not drawn.
    """

    def __init__(self, work: Path) -> None:
        self.work = work
        self.tree = work / "tree"
        self.list = work / "mutants.json"
        self.mutants: dict[int, Mutant] = {}
        self.dropped: set[int] = set()
        self.counts: dict[str, int] = {}
        if self.list.exists():
            stored = json.loads(self.list.read_text())
            self.mutants = {n: Mutant(**each) for n, each in enumerate(stored["mutants"], 1)}
            self.dropped = set(stored["dropped"])
            self.counts = stored["counts"]

    @property
    def program(self) -> Path:
        return self.tree / PROGRAM

    @property
    def verdicts(self) -> Path:
        return self.work / "verdicts.csv"

    def alive(self) -> dict[int, Mutant]:
        """Return the mutants that compile."""
        return {n: mutant for n, mutant in self.mutants.items() if n not in self.dropped}

    def shown(self, number: int) -> str:
        mutant = self.mutants[number]
        text = (self.work / "plain" / mutant.file).read_text(encoding="latin-1")
        return f"{mutant.file}:{mutant.line}: {mutant.shown(text)}"

    def make(self, root: Path, of_each_room: int | None, seed: int, jobs: int) -> None:
        """Copy the tree, find its mutants and draw ``of_each_room`` of each room; None: all."""
        names = subprocess.run(
            ["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True
        ).stdout.split("\0")
        for name in filter(None, names):
            copy_file(root / name, self.tree / name)
            if name.partition("/")[0] in ROOMS:
                copy_file(root / name, self.work / "plain" / name)
        built = root / "build" / "gcc-release"
        if built.exists():  # what is not mutated stays valid
            shutil.copytree(built, self.tree / "build" / built.name, dirs_exist_ok=True)
            shutil.copy(root / "build" / ".sconsign.dblite", self.tree / "build")
        mutants = found(root, jobs)
        self.counts = dict(Counter(mutant.room for mutant in mutants))
        self.mutants = dict(enumerate(summary.sample(mutants, of_each_room, seed), 1))
        self._store()

    def renew_tests(self, root: Path) -> None:
        """Copy the tests again and keep the mutants. Changed tests may reach other mutants."""
        (self.work / MEASURED).unlink(missing_ok=True)
        for folder in TESTS:
            for path in sorted((root / folder).rglob("*")):
                if path.is_file():
                    copy_file(path, self.tree / path.relative_to(root))

    def compile(self, tests: str, jobs: int) -> None:
        """Compile the copy with these tests, a pattern below tests/cc.

        Drops mutants that do not compile, and compiles again without them.
        """
        for _ in range(MOST_ROUNDS):
            self._write()
            scons = [sys.executable, "-m", "SCons", "-Q", "-k", f"-j{jobs}"]
            command = [*scons, "python=0", "unity=0", f"tests={tests}", PROGRAM]
            with (self.work / "compile.log").open("w") as output:
                done = subprocess.run(
                    command, cwd=self.tree, stdout=output, stderr=subprocess.STDOUT
                )
            if done.returncode == 0:
                return
            log = (self.work / "compile.log").read_text(encoding="utf-8", errors="replace")
            guilty = self._guilty(log)
            if not guilty - self.dropped:
                raise SystemExit(f"does not compile: {self.work / 'compile.log'}")
            print(f"{len(guilty)} mutants do not compile", flush=True)
            self.dropped |= guilty
            self._store()
        raise SystemExit(f"still does not compile: {self.work / 'compile.log'}")

    def _guilty(self, log: str) -> set[int]:
        """Return the numbers of mutants on lines that the compiler's errors name.

        A mutant is on the lines of its first and last character and of its operator.
        """
        lines = {(match["file"], int(match["line"])) for match in ERROR_PLACE.finditer(log)}
        files = {file for file, _ in lines}
        guilty = set()
        for number, mutant in self.alive().items():
            if mutant.file in files:
                text = (self.work / "plain" / mutant.file).read_text(encoding="latin-1")
                places = [mutant.start, mutant.end, mutant.operator or mutant.start]
                own = {(mutant.file, 1 + text.count("\n", 0, place)) for place in places}
                if own & lines:
                    guilty.add(number)
        return guilty

    def _write(self) -> None:
        # Includes files whose mutants were all dropped, to restore their text.
        by_file: dict[str, dict[int, Mutant]] = {m.file: {} for m in self.mutants.values()}
        for number, mutant in self.alive().items():
            by_file[mutant.file][number] = mutant
        write(self.tree / "core" / "mutant.h", header(len(self.mutants)))
        for name, own in by_file.items():
            text = (self.work / "plain" / name).read_text(encoding="latin-1")
            # The include precedes the first line, a comment, so that lines keep their numbers.
            mutated = '#include "core/mutant.h" ' + rewrite(text, own)
            write(self.tree / name, mutated)

    def _store(self) -> None:
        stored = {
            "mutants": [asdict(each) for each in self.mutants.values()],
            "dropped": sorted(self.dropped),
            "counts": self.counts,
        }
        self.list.write_text(json.dumps(stored))


def found(root: Path, jobs: int) -> list[Mutant]:
    """Return the mutants of the rooms, each once, in the order of files and places."""
    sources = rooms.sources(root, ROOMS)
    parts = [sources[first::jobs] for first in range(jobs)]
    with ProcessPoolExecutor(jobs) as pool:
        return sorted(set().union(*pool.map(partial(found_in, root), parts)))


def found_in(root: Path, sources: Iterable[str]) -> set[Mutant]:
    from tools.mutants.finder import find

    done: set[str] = set()
    return {mutant for source in sources for mutant in find(root, source, ROOMS, done)}


def copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_bytes() != source.read_bytes():
        shutil.copy(source, target)


def write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="latin-1") != text:
        path.write_text(text, encoding="latin-1")


def processors() -> int:
    return len(os.sched_getaffinity(0))
