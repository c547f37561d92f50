# SPDX-License-Identifier: BSD-3-Clause
"""Prints, as JSON, the host cost of the controller, of storage and of decoding: requests per second
of wall time and host instructions per request (decoding: per step).

Usage: python benchmarks/run.py [--quick | --check | --renew] [--program build/gcc-release/...]

Instructions are counted by valgrind's callgrind as the difference between two lengths, which
excludes start-up. They repeat exactly for the same binary. Wall times are those of one run.

--check compares the instructions of a quick run with benchmarks/instructions.json and names the
rows that are more than 1 % above. --renew writes that file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_PROGRAM = ROOT / "build" / "gcc-release" / "benchmarks" / "controller_benchmark"

STORAGE_PROGRAM = "storage_benchmark"  # beside it
STORAGE_THREADS = ("1", "16")
DECODE_PROGRAM = "decode_benchmark"  # beside it, too
DECODE_MEMORIES = ("dram", "nvdimm")
DECODE_STEPS = (1, 2)

STORED = ROOT / "benchmarks" / "instructions.json"
MOST = 1.01  # of the stored instructions
QUICK = (10_000, 20_000)  # requests between which instructions are counted


def rows() -> dict[str, tuple[str, list[str]]]:
    """Return the pattern of requests and the settings of each row of the controller."""
    content = yaml.safe_load((ROOT / "benchmarks" / "rows.yaml").read_text(encoding="utf-8"))
    return {
        row: (each.get("pattern", row), [f"{key}={text}" for key, text in each["settings"].items()])
        for row, each in content.items()
    }


def total_collected(said: str) -> int:
    """Return the instructions that callgrind reports, summed over all processes."""
    found = re.findall(r"Collected : (\d+)", said)
    if not found:
        raise RuntimeError("callgrind printed no total")
    return sum(map(int, found))


def collected(command: list[str]) -> int:
    """Return the instructions that a command executes."""
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    run = subprocess.run([*callgrind, *command], capture_output=True, text=True, check=True)
    return total_collected(run.stderr)


def instructions(program: Path, pattern: str, requests: int, settings: list[str]) -> int:
    """Return the instructions that a whole run executes."""
    return collected([str(program), pattern, str(requests), *settings])


def measure(
    program: Path, pattern: str, settings: list[str], long: int, counted: tuple[int, int]
) -> dict[str, object]:
    """Return one benchmark's results: of ``long`` requests, and instructions between two counts."""
    run = subprocess.run(
        [str(program), pattern, str(long), *settings], capture_output=True, text=True, check=True
    )
    figures: dict[str, object] = json.loads(run.stdout)
    if shutil.which("valgrind") is None:
        figures["instructions_per_request"] = None
        return figures
    figures["instructions_per_request"] = slope(program, pattern, settings, counted)
    return figures


def slope(program: Path, pattern: str, settings: list[str], counted: tuple[int, int]) -> int:
    """Return the instructions per request between two counts."""
    spent = [instructions(program, pattern, n, settings) for n in counted]
    return round((spent[1] - spent[0]) / (counted[1] - counted[0]))


def version(command: str) -> str:
    """Return the first line of what a program says of its version."""
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    return said.stdout.splitlines()[0]


def count_all(program: Path) -> dict[str, object]:
    """Return the instructions per request of every row, and what counted them."""
    storage = program.with_name(STORAGE_PROGRAM)
    decode = program.with_name(DECODE_PROGRAM)
    every = {
        **{row: (program, *how, QUICK) for row, how in rows().items()},
        **{f"storage_{n}": (storage, n, [], QUICK) for n in STORAGE_THREADS},
        **{f"decode_{memory}": (decode, memory, [], DECODE_STEPS) for memory in DECODE_MEMORIES},
    }
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = dict(zip(every, pool.map(lambda row: slope(*row), every.values()), strict=True))
    return {"compiler": version("g++"), "valgrind": version("valgrind"), "rows": counts}


def check(program: Path, renew: bool) -> int:
    """Compare the instructions of every row with the stored ones, or store them."""
    counted = count_all(program)
    if renew:
        STORED.write_text(json.dumps(counted, indent=2) + "\n", encoding="utf-8")
        return 0
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for what in ("compiler", "valgrind"):
        if counted[what] != stored[what]:
            print(f"{what}: '{counted[what]}', but '{stored[what]}' counted the stored rows")
    above = 0
    for row, count in counted["rows"].items():
        known = stored["rows"].get(row)
        change = "new" if known is None else f"{100 * (count / known - 1):+.2f} %"
        above += known is None or count > MOST * known
        print(f"{row:20}{count:>10,}{change:>10}")
    if above:
        print(f"{above} rows are more than 1 % above {STORED.relative_to(ROOT)}", file=sys.stderr)
    return 1 if above else 0


def main() -> int:
    """Measure every pattern."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--quick", action="store_true", help="a tenth of the requests")
    mode.add_argument("--check", action="store_true", help="compare with the stored counts")
    mode.add_argument("--renew", action="store_true", help="store the counts")
    parser.add_argument("--program", type=Path, default=DEFAULT_PROGRAM)
    arguments = parser.parse_args()
    if not arguments.program.exists():
        print(f"{arguments.program} is not built; run 'scons bench'", file=sys.stderr)
        return 2
    if arguments.check or arguments.renew:
        if shutil.which("valgrind") is None:
            print("--check and --renew count with valgrind, which is not here", file=sys.stderr)
            return 2
        return check(arguments.program, arguments.renew)
    long, counted = (100_000, QUICK) if arguments.quick else (1_000_000, (20_000, 120_000))
    figures = [
        {**measure(arguments.program, *how, long, counted), "pattern": row}
        for row, how in rows().items()
    ]
    storage = arguments.program.with_name(STORAGE_PROGRAM)
    figures += [measure(storage, threads, [], long, counted) for threads in STORAGE_THREADS]
    decode = arguments.program.with_name(DECODE_PROGRAM)
    figures += [
        measure(decode, memory, [], DECODE_STEPS[1], DECODE_STEPS) for memory in DECODE_MEMORIES
    ]
    print(json.dumps(figures, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
