# SPDX-License-Identifier: BSD-3-Clause
"""Runs of gem5, and what they leave."""

from __future__ import annotations

import json
import math
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[1]
MARK = "RESULT "


class Outcome(NamedTuple):
    """How a run of gem5 ended."""

    exit_code: int
    stdout: str
    stderr: str
    folder: Path

    @property
    def result(self) -> dict[str, Any]:
        """Values that the script reported with ``machine.tell``."""
        reported = [line for line in self.stdout.splitlines() if line.startswith(MARK)]
        return {
            key: value for line in reported for key, value in json.loads(line[len(MARK) :]).items()
        }

    @property
    def dumps(self) -> list[dict[str, float]]:
        """Every dump of gem5's statistics, without those of the host."""
        dumps = []
        for part in (self.folder / "stats.txt").read_text().split("Begin Simulation")[1:]:
            values: dict[str, float] = {}
            for line in part.splitlines()[1:]:
                words = line.split()
                if len(words) > 1 and not words[0].startswith(("host", "-")):
                    values[words[0]] = float(words[1])
            dumps.append(values)
        return dumps


Run = Callable[..., Outcome]


def compiled(name: str, folder: Path) -> Path:
    """Return a program of `scripts/`, built for the host."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    source = HERE / "scripts" / f"{name}.c"
    subprocess.run(["gcc", "-O1", "-static", "-o", folder / name, source], check=True)
    return folder / name


def differences(one: dict[str, float], two: dict[str, float]) -> dict[str, Any]:
    """Return the values that differ; NaN is itself."""
    return {
        name: (one.get(name), two.get(name))
        for name in {**one, **two}
        if one.get(name) != two.get(name)
        and not (math.isnan(one.get(name, 0)) and math.isnan(two.get(name, 0)))
    }


def command(folder: Path) -> Path:
    """Return a command `hmsim` that is this very package."""
    path = folder / "hmsim"
    if not path.exists():
        line = [sys.executable, "-c", "from hmsim.cli import main; main()"]
        path.write_text(f'#!/bin/sh\nexec {shlex.join(line)} "$@"\n')
        path.chmod(0o755)
    return path


def run_gem5(gem5: str, script: Path, folder: Path, *arguments: object) -> Outcome:
    """Run a script; a run of more than five minutes is an error."""
    done = subprocess.run(
        [gem5, "--outdir", folder, script, *(str(argument) for argument in arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"HMSIM": str(command(folder.parent)), **os.environ},
    )
    return Outcome(done.returncode, done.stdout, done.stderr, folder)
