# SPDX-License-Identifier: BSD-3-Clause
"""Runs the C++ tests against mutants: each against the tests that reach it, the fastest first."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

MEASURED = "tests.json"  # file of a work folder: times and reach of the copy's tests
NO_TEST = "none"  # a pattern that no test has, for what the program itself takes
SHORTEST = 0.001  # seconds: what a test is taken to need at least
FIRST_PORTION = 0.125  # seconds; each further one takes as long as all before
SLOWER = 10  # a test that takes so many times its usual time does not end
GRACE = 1  # seconds beside
WAIT = 100  # so many times its processor time a test may last, on a machine that others use, too
MOST_TESTS = 500  # at a time: their names are handed over in one variable
ENDED_BY_LIMIT = -signal.SIGKILL
MEMORY = 6 << 30  # bytes of address space: a mutant may never stop to ask for more


@dataclass
class TimedTest:
    """A test, its processor time in seconds without the program's start, and what it reaches."""

    name: str
    seconds: float
    reached: frozenset[int]


@dataclass(frozen=True)
class Verdict:
    """Outcome of a mutant: `failed`, `crashed`, `endless`, `survived` or `unreached`."""

    mutant: int
    outcome: str
    test: str
    seconds: float

    @property
    def killed(self) -> bool:
        return self.outcome in ("failed", "crashed", "endless")


class Runner:
    """The test program of a copy, which runs in the copy's tree: tests read files of it.

    A mutant is given up after tests that take `seconds` of processor time.
    """

    def __init__(self, program: Path, tree: Path, work: Path, jobs: int, seconds: float) -> None:
        self.program = program
        self.tree = tree
        self.store = work / MEASURED
        self.scratch = work / "scratch"
        self.scratch.mkdir(exist_ok=True)
        self.jobs = jobs
        self.seconds = seconds
        self.tests: list[TimedTest] = []

    def _environment(self, **more: str) -> dict[str, str]:
        return {**os.environ, "TMPDIR": str(self.scratch), **more}

    def names(self) -> list[str]:
        """Return the names of the tests of the program."""
        command = [str(self.program), "--gtest_list_tests"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        names, suite = [], ""
        for line in done.stdout.splitlines():
            word = line.partition("#")[0].strip()
            if not line.startswith(" "):
                suite = word
            elif "DISABLED_" not in suite + word:
                names.append(suite + word)
        return [name for name in names if "." in name]

    def measure(self) -> None:
        """Run each test that is not known yet, alone and without a mutant; keep what it reaches."""
        known = json.loads(self.store.read_text()) if self.store.exists() else {}
        names = self.names()
        new = [name for name in names if name not in known]
        start_up, _ = self._measured(NO_TEST) or (0.0, [])
        with ThreadPoolExecutor(self.jobs) as pool:
            for count, (name, measured) in enumerate(zip(new, pool.map(self._measured, new)), 1):
                if measured is None:
                    print(f"fails without a mutant and is left out: {name}", flush=True)
                else:
                    known[name] = max(measured[0] - start_up, SHORTEST), measured[1]
                if count % 50 == 0 or count == len(new):
                    self.store.write_text(json.dumps(known))
                    print(f"{count} of {len(new)} tests measured", flush=True)
        self.tests = [
            TimedTest(name, known[name][0], frozenset(known[name][1]))
            for name in names
            if name in known
        ]
        self.tests.sort(key=lambda test: (test.seconds, test.name))

    def _measured(self, name: str) -> tuple[float, list[int]] | None:
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            file = Path(folder, "reached")
            environment = self._environment(GTEST_FILTER=name, HMSIM_MUTANTS_REACHED=str(file))
            process = subprocess.Popen(
                [str(self.program)],
                cwd=self.tree,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if status != 0 or not file.exists():
                return None
            return usage.ru_utime + usage.ru_stime, [int(line) for line in file.open()]

    def judge(self, mutants: Iterable[int]) -> Iterable[Verdict]:
        """Yield the verdicts on mutants in the order in which they are reached."""
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = [pool.submit(self._verdict, mutant) for mutant in mutants]
            for future in as_completed(waiting):
                yield future.result()

    def _verdict(self, mutant: int) -> Verdict:
        start = time.monotonic()
        tests = [test for test in self.tests if mutant in test.reached]
        outcome, name = "survived" if tests else "unreached", ""
        for portion in portions(tests, self.seconds):
            outcome, name = self._run(mutant, portion)
            if outcome != "survived":
                break
        return Verdict(mutant, outcome, name, round(time.monotonic() - start, 2))

    def _run(self, mutant: int, tests: list[TimedTest]) -> tuple[str, str]:
        """Return the outcome of tests under a mutant, and the test that was running at the end."""
        limit = math.ceil(SLOWER * sum(test.seconds for test in tests)) + GRACE
        command = ["prlimit", f"--cpu={limit}", f"--as={MEMORY}", "--core=0", str(self.program)]
        environment = self._environment(
            GTEST_FILTER=":".join(test.name for test in tests), HMSIM_MUTANT=str(mutant)
        )
        with tempfile.TemporaryFile(dir=self.scratch) as output:
            try:
                done = subprocess.run(
                    [*command, "--gtest_fail_fast"],
                    cwd=self.tree,
                    env=environment,
                    stdout=output,
                    stderr=subprocess.DEVNULL,
                    timeout=WAIT * limit,
                )
                status = done.returncode
            except subprocess.TimeoutExpired:
                status = ENDED_BY_LIMIT
            output.seek(0)
            last = ""
            for line in output.read(1 << 24).decode(errors="replace").splitlines():
                if line.startswith("[ RUN      ]"):
                    last = line[12:].strip()
                elif line.startswith("[  FAILED  ]") and status == 1:
                    return "failed", line[12:].split(",")[0].split(" (")[0].strip()
        if status == 0:
            return "survived", ""
        return ("endless" if status == ENDED_BY_LIMIT else "crashed"), last


def portions(tests: list[TimedTest], seconds: float) -> Iterable[list[TimedTest]]:
    """Yield tests, the fastest first, in portions each of which takes as long as all before.

    Tests that would exceed `seconds` in total are left out.
    """
    portion: list[TimedTest] = []
    budget, spent = FIRST_PORTION, 0.0
    for test in tests:
        if spent + test.seconds > seconds:
            break
        portion.append(test)
        spent += test.seconds
        if spent >= budget or len(portion) == MOST_TESTS:
            yield portion
            portion, budget = [], max(budget, 2 * spent)
    if portion:
        yield portion
