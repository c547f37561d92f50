#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints what a node of four cores costs the host: milliseconds for each simulated one.

    benchmarks/nodes.py [--machine dma]

mcf beside each of the paper's programs as a job on three cores (`mix:PROGRAM+mcf`), two queues,
`configs/mascots16.yaml`, in one process; the least of three runs. Host time is that of the
simulation alone, without the start of Python. benchmarks/traces.py counts the instructions of the
host for a line of a job and for a line of a core.
"""

from __future__ import annotations

import argparse

import hmsim
from hmsim.running.mixes import PROGRAMS


def cost(program: str, machine: str) -> tuple[float, float]:
    """Return simulated milliseconds, and host milliseconds for each."""
    config = hmsim.load_config("mascots16", {"frontend.node.machine": machine})
    runs = [hmsim.run(config, f"mix:{program}+mcf", policy="split,drained") for _ in range(3)]
    simulated = float(runs[0].stats["sim.ticks"]) / 1e9
    return simulated, min(1000 * run.host["seconds"] for run in runs) / simulated


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machine", default="table3")
    machine = parser.parse_args().machine
    print("| program | simulated ms | host ms for each |\n|---|---:|---:|")
    for program in PROGRAMS:
        simulated, host = cost(program, machine)
        print(f"| {program} | {simulated:.2f} | {host:.0f} |")


if __name__ == "__main__":
    main()
