#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the table of docs/schedulers.md: what each policy bundle costs the host.

    benchmarks/policies.py [--program build/gcc-release/benchmarks/controller_benchmark]

One channel of configs/mascots16.yaml, the same requests under every bundle: both memories by turns
at random, one third writes (pattern `classes` of the benchmark). Instructions are counted as in
benchmarks/run.py. Takes about five minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import hmsim
from hmsim.common.paths import shipped
from hmsim.running.calibration import with_table
from run import DEFAULT_PROGRAM, ROOT, instructions

PAGE = ROOT / "docs" / "schedulers.md"
MARK = "<!-- benchmarks/policies.py writes all that follows. -->\n"
REFERENCE = "unified_fr_fcfs"
COUNTED = (5_000, 20_000)  # requests


def cost(program: Path, bundle: str) -> float:
    """Return host instructions per request."""
    config = with_table(hmsim.load_config("mascots16").with_policy(bundle), True, None, True)
    settings = [f"{name}={value}" for name, value in config.flat() if not name.startswith("front")]
    short, long = (instructions(program, "classes", count, settings) for count in COUNTED)
    return (long - short) / (COUNTED[1] - COUNTED[0])


def main() -> None:
    """Count, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=DEFAULT_PROGRAM)
    program = parser.parse_args().program
    costs = {bundle: cost(program, bundle) for bundle in sorted(shipped("configs/policies"))}
    lines = ["\n| bundle | instructions per request | times FR-FCFS |\n|---|---:|---:|\n"]
    for bundle, count in sorted(costs.items(), key=lambda pair: pair[1]):
        lines.append(f"| `{bundle}` | {count:,.0f} | {count / costs[REFERENCE]:.2f} |\n")
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0] + MARK
    PAGE.write_text(head + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
