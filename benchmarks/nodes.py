#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the host cost of a node of four cores, in milliseconds per simulated millisecond.

    benchmarks/nodes.py [--machine dma]

Each of the paper's programs runs as a job on three cores beside mcf (`mix:PROGRAM+mcf`), with two
queues and `configs/mascots16.yaml`, in one process. The result is the minimum of three runs. Host
time covers the simulation only, without the start of Python. benchmarks/traces.py counts the
instructions per line of a job and of a core.
"""

from __future__ import annotations

import argparse

import hmsim
from hmsim.workloads.mixes import PROGRAMS


def cost(program: str, machine: str) -> tuple[float, float]:
    """Return simulated milliseconds, and host milliseconds per simulated one."""
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
