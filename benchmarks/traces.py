# SPDX-License-Identifier: BSD-3-Clause
"""Prints, as JSON, the host cost of reading traces: millions of records per second of processor
time and host instructions per record, for each format.

Usage: python benchmarks/traces.py [--quick] [--program FILE]

`read` only decodes records. `agent` also runs an agent that turns them into requests, for a memory
with a fixed latency. `job` does the same with a single-threaded job, for traces of misses. `unpack`
is the preceding work of Python, for the format hmsim. Instructions are counted by valgrind's
callgrind as the difference between two lengths, which excludes start-up; --quick omits them.
Seconds are the best of three runs.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hmsim.traces.file import TraceFile
from run import ROOT, collected

PROGRAM = ROOT / "build" / "gcc-release" / "benchmarks" / "trace_benchmark"
DEMO = ROOT / "workloads" / "demo" / "network_simplex.hmsim.zst"
RECORDS = 400_000  # of each text
SHORT, LONG = 1 << 16, 1 << 17  # records (blocks of hmsim) between which instructions are counted


def texts() -> dict[str, str]:
    """Return a trace of random lines in each text format."""
    numbers = random.Random(1)
    lines = [numbers.randrange(1 << 28) for _ in range(RECORDS)]
    rows = list(enumerate(lines))
    second = "128166372003061629,hm,1"
    return {
        "ramulator": "".join(f"{n % 60} {n * 64}{f' {n * 128}' if n % 3 else ''}\n" for n in lines),
        "ramulator_rw": "".join(f"{n * 64:#x} {'RW'[n % 2]}\n" for n in lines),
        "dramsim3": "".join(
            f"{n * 64:#x} {'READ' if n % 3 else 'WRITE'} {at * 9}\n" for at, n in rows
        ),
        "mqsim": "".join(f"{at * 1000} 0 {n} 8 {n % 2}\n" for at, n in rows),
        "msr": "".join(
            f"{second},{'Read' if n % 2 else 'Write'},{n * 512},4096,9\n" for n in lines
        ),
        "blkparse": "".join(
            f"8,0 3 {at} {at // 1000}.{at % 1000:09} 697 Q W {n} + 8 [x]\n" for at, n in rows
        ),
        "qemu_nvme": "".join(
            f"812@{at // 1000}.{at % 1000:06}:pci_nvme_read cid 0 nsid 1 nlb 8 count 4096 "
            f"lba {n:#x}\n"
            for at, n in rows
        ),
        "fio": "fio version 3 iolog\n0 /x add\n"
        + "".join(f"{at * 10} /x read {n * 512} 4096\n" for at, n in rows),
    }


def measure(program: Path, name: str, file: Path, part: str, quick: bool) -> dict[str, float]:
    """Return the cost of one part of reading a trace."""
    command = [str(program), name, str(file), part]
    runs = [
        json.loads(subprocess.run([*command, str(1 << 40)], capture_output=True, check=True).stdout)
        for _ in range(3)
    ]
    best = min(runs, key=lambda run: run["seconds"])
    result = {"million_records_per_second": best["records"] / best["seconds"] / 1e6}
    if not quick:
        counted = collected([*command, str(LONG)]) - collected([*command, str(SHORT)])
        result["instructions_per_record"] = counted / (LONG - SHORT)
    return result


def main() -> None:
    """Measure every format."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="no instruction counts")
    parser.add_argument("--program", type=Path, default=PROGRAM)
    options = parser.parse_args()
    if not options.program.exists():
        sys.exit(f"{options.program} is not built; run 'scons bench'")
    report: dict[str, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name, text in texts().items():
            files[name] = Path(folder, name)
            files[name].write_text(text)
        trace = TraceFile(DEMO)
        files["hmsim"] = Path(folder, "hmsim")
        started = time.process_time()
        with files["hmsim"].open("wb") as file:
            while piece := trace.read(file.tell()):
                file.write(piece)
        seconds = time.process_time() - started
        for name, path in files.items():
            parts = (
                ("read", "agent", "job") if name in ("hmsim", "ramulator") else ("read", "agent")
            )
            report[name] = {
                part: measure(options.program, name, path, part, options.quick) for part in parts
            }
        rate = trace.header.records / seconds / 1e6
        report["hmsim"]["unpack"] = {"million_records_per_second": rate}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
