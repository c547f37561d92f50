# SPDX-License-Identifier: BSD-3-Clause
"""Prints, as JSON, the host cost of a request in other simulators, for the traces of
whole_program.py. The simulators must be built already, and are measured as whole programs.

Usage: python benchmarks/peers.py NAME='COMMAND' ...

    benchmarks/peers.py DRAMsim3='dramsim3main ranks.ini -o {folder} -c {cycles} -t {trace}'

In a command, {trace} is a trace of the format dramsim3, {cycles} the minimum cycles that its
requests need, in back-to-back bursts of four cycles, and {folder} an empty folder. The command must
be one process. It must serve all requests, or write their number to dramsim3.json in the folder.
Instructions are counted by valgrind's callgrind as the difference between two lengths. The traffic
of one request in 1,000 cycles has a tenth of the requests, because most simulators act in every
cycle.
"""

from __future__ import annotations

import argparse
import json
import shlex
import tempfile
from pathlib import Path

from run import collected
from whole_program import LONG, ROWS, SHORT, workload

BURST_CYCLES = 4
SPARSE_SHARE = 10


def done(folder: Path, requests: int) -> int:
    """Return the number of requests that a run served."""
    report = folder / "dramsim3.json"
    if not report.exists():
        return requests
    channels = json.loads(report.read_text()).values()
    return sum(each["num_reads_done"] + each["num_writes_done"] for each in channels)


def cost(command: str, row: str, folder: Path) -> float:
    """Return the instructions per request, from the difference between two runs."""
    traffic = ROWS[row]
    share = SPARSE_SHARE if traffic.mode == "timed" else 1
    totals = []
    for requests in (SHORT // share, LONG // share):
        place = folder / f"{row}{requests}"
        place.mkdir()
        trace = workload(traffic, requests, folder / f"{row}{requests}.yaml").with_suffix(".trace")
        cycles = requests * max(traffic.step, BURST_CYCLES)
        parts = [
            part.format(trace=trace, cycles=cycles, folder=place) for part in shlex.split(command)
        ]
        totals.append((collected(parts), done(place, requests)))
    (before, fewer), (after, more) = totals
    return (after - before) / (more - fewer)


def main() -> None:
    """Measure every program on every traffic."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    report: dict[str, dict[str, int]] = {}
    for program in parser.parse_args().programs:
        name, equals, command = program.partition("=")
        if not equals:
            parser.error(f"{program}: expected NAME=COMMAND")
        with tempfile.TemporaryDirectory() as folder:
            report[name] = {row: round(cost(command, row, Path(folder))) for row in ROWS}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
