# SPDX-License-Identifier: BSD-3-Clause
"""Runners and workloads for the tests: they fail, or end their process, on request."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hmsim
from hmsim.points.point import Measurement, Point

WORKLOAD = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, footprint: 16MiB, requests: 300}
  - {kind: synthetic, core: 1, target: nvdimm, pattern: random, footprint: 1MiB, requests: 20}
"""


def workload(folder: Path = Path(), name: str = "w") -> Path:
    """Write a workload of a few milliseconds and return its path."""
    path = folder / f"{name}.yaml"
    path.write_text(WORKLOAD)
    return path


@dataclass(frozen=True)
class Counting:
    """Simulates nothing: records each run in a file, and acts as the file ``verdict`` says.

    Each line of ``verdict`` has a seed and the fate of its point: ``error``, ``disk``, or ``exit
    N``, which ends the process in the first N runs of the point.
    """

    folder: str
    name: str = "counting"

    def identity(self) -> Any:
        return self.name

    def measure(self, point: Point) -> Measurement:
        seed = point.options.seed
        noted = Path(self.folder, f"runs.{seed}")
        with noted.open("a") as file:
            file.write("run\n")
        verdict = Path(self.folder, "verdict")
        lines = verdict.read_text().splitlines() if verdict.is_file() else []
        what = next((line.split()[1:] for line in lines if line.split()[0] == str(seed)), [""])
        if what[0] == "error":
            raise hmsim.InputError("this point is bad")
        if what[0] == "disk":
            raise OSError(28, "No space left on device")
        if what[0] == "exit" and runs(self.folder, seed) <= int(what[1]):
            os._exit(9)
        return Measurement({"seed.square": seed * seed}, {"seed.square": "ns"}, {"seconds": 0.5})


def runs(folder: str | Path, seed: int) -> int:
    """Return the number of runs of a seed's point."""
    noted = Path(folder, f"runs.{seed}")
    return len(noted.read_text().splitlines()) if noted.is_file() else 0
