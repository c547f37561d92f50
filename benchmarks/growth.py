#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints how the host's cost of a request grows with the size of the simulated system.

Usage: python benchmarks/growth.py [DIMENSION]...

Counts instructions within Simulation.run by valgrind's callgrind, which excludes start-up, and
divides them by the completed memory requests. Counts repeat exactly for one binary. All dimensions
take about ten minutes on an idle core.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

RUN = "hmsim::Simulation::run(unsigned long)"
System = tuple[dict[str, str], list[dict[str, Any]]]


def stream(requests: int, **keys: Any) -> dict[str, Any]:
    """Return an agent of random reads over 1 GiB of DRAM, one third of them writes."""
    agent = {"kind": "synthetic", "footprint": "1GiB", "read_ratio": 0.67}
    return {**agent, "pattern": "random", "requests": requests, "outstanding": 32, **keys}


def dram(overrides: dict[str, Any], agents: list[dict[str, Any]]) -> System:
    """Return a system without an NVDIMM."""
    return {"nvdimm.present": "false", **{k: str(v) for k, v in overrides.items()}}, agents


def block_io(requests: int, **keys: Any) -> list[dict[str, Any]]:
    """Return an agent of random 4 KiB reads and writes to the NVDIMM."""
    agent = {"kind": "io_pattern", "read_share": 0.5, "footprint": "256MiB", "requests": requests}
    return [{**agent, **keys}]


def flash(overrides: dict[str, Any], agents: list[dict[str, Any]]) -> System:
    """Return a system with a small preconditioned NVDIMM."""
    small = {"nvdimm.capacity": "1GiB", "nvdimm.ftl.over_provisioning": 30}
    return {k: str(v) for k, v in {**small, **overrides}.items()}, agents


DIMENSIONS: dict[str, tuple[str, list[int], Callable[[int], System]]] = {
    "channels": (
        "channels, 32 requests outstanding on each",
        [1, 2, 3, 4, 6, 8, 12, 16, 24, 32],
        lambda n: dram({"controller.channels": n}, [stream(30_000, outstanding=32 * n)]),
    ),
    "agents": (
        "agents, 2 requests outstanding of each",
        [1, 4, 16, 64, 128],
        lambda n: dram({}, [stream(40_000 // n, outstanding=2) for _ in range(n)]),
    ),
    "queue": (
        "entries of the queue, all in use",
        [32, 128, 512, 2048, 4096],
        lambda n: dram({"controller.queue_depth": n}, [stream(30_000, outstanding=2 * n)]),
    ),
    "nvdimms": ("NVDIMMs", [1, 2, 4, 8], lambda n: flash({"nvdimm.count": n}, block_io(1_000))),
    "luns": (
        "chips of each of 8 flash channels",
        [1, 2, 4, 8],
        lambda n: flash({"nvdimm.nand.chips": n}, block_io(1_000)),
    ),
    "buffer": (
        "MiB of each buffer of the NVDIMM",
        [1, 4, 16, 64],
        lambda n: flash(
            {"nvdimm.buffer.read_size": f"{n}MiB", "nvdimm.buffer.write_size": f"{n}MiB"},
            block_io(1_000),
        ),
    ),
    "threads": (
        "threads of block I/O",
        [1, 4, 16, 64],
        lambda n: flash({}, block_io(1_000, threads=n)),
    ),
    "length": ("thousand requests", [10, 40, 160], lambda n: dram({}, [stream(1_000 * n)])),
}


def simulate(dimension: str, value: int) -> None:
    """Run one point in this process; print the completed memory requests."""
    import hmsim

    overrides, agents = DIMENSIONS[dimension][2](value)
    with tempfile.TemporaryDirectory() as folder:
        workload = Path(folder) / "growth.yaml"
        workload.write_text(json.dumps({"agents": agents}))  # JSON is YAML
        result = hmsim.run(hmsim.load_config("mascots16", overrides), workload)
    count = sum(
        int(result.stats[name])
        for name in ("dram.reads", "dram.writes", "nvdimm.reads", "nvdimm.writes")
        if name in result.stats
    )
    print(json.dumps({"requests": count}))


def measure(dimension: str, value: int) -> float:
    """Return the host instructions per memory request."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--toggle-collect={RUN}"]
        command += [f"--callgrind-out-file={folder}/out", sys.executable, __file__]
        done = subprocess.run(
            [*command, "--point", dimension, str(value)], capture_output=True, text=True
        )
    found = re.search(r"Collected\s*:\s*([0-9]+)", done.stderr)
    if done.returncode != 0 or found is None:
        sys.exit(f"{dimension} {value}: {done.stderr.strip().splitlines()[-1]}")
    return int(found[1]) / int(json.loads(done.stdout.splitlines()[-1])["requests"])


def main() -> None:
    """Measure the given dimensions, or all, and print a table for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("dimensions", nargs="*", metavar="DIMENSION", help=", ".join(DIMENSIONS))
    parser.add_argument("--point", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.point:
        simulate(options.point[0], int(options.point[1]))
        return
    unknown = [name for name in options.dimensions if name not in DIMENSIONS]
    if unknown:
        parser.error(f"unknown dimension '{unknown[0]}', expected one of {', '.join(DIMENSIONS)}")
    for dimension in options.dimensions or DIMENSIONS:
        label, values, _ = DIMENSIONS[dimension]
        cells = [measure(dimension, value) for value in values]
        print(f"| {label} | {' | '.join(map(str, values))} |\n|---|{'---:|' * len(values)}")
        print(f"| instructions | {' | '.join(f'{cell:,.0f}' for cell in cells)} |\n", flush=True)


if __name__ == "__main__":
    main()
