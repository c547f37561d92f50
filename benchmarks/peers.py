# SPDX-License-Identifier: BSD-3-Clause
"""Prints, as JSON, the host cost of other simulators for the traces of whole_program.py.

Usage: python benchmarks/peers.py [--rows stream,random] NAME='COMMAND' ...

    benchmarks/peers.py DRAMsim3='loop ranks.ini {trace} out'

The simulators must be built already, and are measured as whole programs. In a command, {trace} is a
trace of the format dramsim3. The command must be one process and serve all requests.

Instructions per request are counted by valgrind's callgrind as the difference between 2,500 and
10,000 requests. Seconds are user time, the lower of two runs of 200,000 requests, and MiB the peak
resident memory of these runs, by GNU time; both include start-up. The traffic of one request in
1,000 cycles has a twenty-fifth of the requests, because most simulators act in every cycle. The
traffic `unlimited` is `random` with all requests at cycle 0, so that the trace never limits several
channels.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import tempfile
from pathlib import Path

from run import collected
from whole_program import ROWS, text

SHORT, LONG = 2_500, 10_000  # requests between which instructions are counted
TIMED = 200_000  # requests whose time is taken
SPARSE_SHARE = 25
KIB_PER_MIB = 1024
TRAFFICS = {**ROWS, "unlimited": ROWS["random"]._replace(step=0)}


def command_for(command: str, row: str, requests: int, folder: Path) -> list[str]:
    """Write a trace; return the command that reads it."""
    traffic = TRAFFICS[row]
    share = SPARSE_SHARE if traffic.mode == "timed" else 1
    trace = folder / f"{row}{requests}.trace"
    trace.write_bytes(text(traffic, requests // share))
    return [part.format(trace=trace) for part in shlex.split(command)]


def instructions(command: str, row: str, folder: Path) -> int:
    """Return the instructions per request, from the difference between two runs."""
    share = SPARSE_SHARE if TRAFFICS[row].mode == "timed" else 1
    before, after = (
        collected(command_for(command, row, requests, folder)) for requests in (SHORT, LONG)
    )
    return round((after - before) * share / (LONG - SHORT))


def timed(command: list[str]) -> tuple[float, float]:
    """Return the user seconds of a run and its peak resident memory in MiB.

    GNU time starts the command, because a child of Python inherits the peak of Python's memory.
    """
    run = subprocess.run(
        ["time", "--format=%U %M", *command], capture_output=True, text=True, check=True
    )
    seconds, kib = run.stderr.splitlines()[-1].split()
    return float(seconds), int(kib) / KIB_PER_MIB


def measure(command: str, row: str, folder: Path) -> dict[str, float]:
    """Return all that is measured of a program on a traffic."""
    long = command_for(command, row, TIMED, folder)
    runs = [timed(long) for _ in range(2)]
    return {
        "instructions_per_request": instructions(command, row, folder),
        "seconds": round(min(seconds for seconds, _ in runs), 2),
        "mib": round(max(mib for _, mib in runs), 1),
    }


def main() -> None:
    """Measure every program on every traffic."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--rows", default=",".join(ROWS), help="some of them, by name")
    options = parser.parse_args()
    rows = options.rows.split(",")
    if not set(rows) <= set(TRAFFICS):
        parser.error(f"rows are {', '.join(TRAFFICS)}")
    report: dict[str, dict[str, dict[str, float]]] = {}
    for program in options.programs:
        name, equals, command = program.partition("=")
        if not equals:
            parser.error(f"{program}: expected NAME=COMMAND")
        with tempfile.TemporaryDirectory() as folder:
            report[name] = {row: measure(command, row, Path(folder)) for row in rows}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
