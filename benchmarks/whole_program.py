# SPDX-License-Identifier: BSD-3-Clause
"""Prints, as JSON, the host cost of a request in all of `hmsim run`, with Python and children.

Usage: python benchmarks/whole_program.py [--rows stream,mcf] [--format hmsim_rw] [--keep FOLDER]

Instructions are counted by valgrind's callgrind as the difference between two lengths, which
excludes start-up, and printed with their goal. NumPy's idle threads are off. --keep keeps the
inputs and callgrind's output, for callgrind_annotate.

Requests go to one DDR3-1600 channel (configs/validate_ddr3.yaml): `stream`, sequential lines;
`random`, over 1 GB, one third writes; `burst`, eight lines in random rows; `sparse`, one in 1,000
cycles. Traces are text of the format dramsim3, or binary: hmsim's own, or gem5's packets. `mcf` is
the clone of its profile on a core of configs/mascots16.yaml.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from run import ROOT, total_collected

SHORT, LONG = 10_000, 40_000  # requests between which instructions are counted
MCF_SHORT, MCF_LONG = 2_000_000, 8_000_000  # likewise instructions of mcf
LINE = 64  # bytes
FOOTPRINT = (1 << 30) // LINE  # lines
BURST = 8  # lines
INTERVAL = 1_000  # cycles
CYCLE = 1_250  # picoseconds of DDR3-1600's clock
STEADY = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}  # so that counts repeat
Lines = Iterator[tuple[int, bool]]  # line, whether it is written


def stream(requests: int) -> Lines:
    """Yield sequential lines."""
    return ((at, False) for at in range(requests))


def at_random(requests: int) -> Lines:
    """Yield random lines, one third written."""
    numbers = random.Random(1)
    return ((numbers.randrange(FOOTPRINT), numbers.randrange(3) == 0) for _ in range(requests))


def bursts(requests: int) -> Lines:
    """Repeatedly yield eight sequential lines from a random place."""
    numbers = random.Random(1)
    for _ in range(requests // BURST):
        first = numbers.randrange(FOOTPRINT // BURST) * BURST
        yield from ((first + at, False) for at in range(BURST))


def reads(requests: int) -> Lines:
    """Yield random lines."""
    return ((line, False) for line, _ in at_random(requests))


class Row(NamedTuple):
    """A traffic pattern of single lines, and the goal in instructions per request."""

    lines: Callable[[int], Lines]
    mode: str
    step: int  # cycles from one request to the next
    goal: int


ROWS = {
    "stream": Row(stream, "saturating", 1, 1_100),
    "random": Row(at_random, "saturating", 1, 1_800),
    "burst": Row(bursts, "saturating", 1, 1_150),
    "sparse": Row(reads, "timed", INTERVAL, 1_900),
}
MCF, MCF_GOAL = "mcf", 1_900
BINARY_LESS = 150  # instructions: the goal for what is no text is lower


def text(row: Row, requests: int) -> bytes:
    """Return a row's trace as DRAMsim3 reads it."""
    words = ("READ", "WRITE")
    return "".join(
        f"{line * LINE:#x} {words[write]} {at * row.step}\n"
        for at, (line, write) in enumerate(row.lines(requests))
    ).encode()


def varint(value: int) -> bytes:
    """Return a number as a protocol-buffer varint."""
    text = b""
    while value > 127:
        text += bytes([value & 127 | 128])
        value >>= 7
    return text + bytes([value])


def message(fields: dict[int, int]) -> bytes:
    """Return a protocol-buffer message of numeric fields, preceded by its length."""
    content = b"".join(varint(field << 3) + varint(value) for field, value in fields.items())
    return varint(len(content)) + content


def packets(row: Row, requests: int) -> bytes:
    """Return a row's trace as gem5 writes it (its src/proto/packet.proto)."""
    commands = (1, 4)  # ReadReq and WriteReq
    messages = [message({3: 10**12})]  # the header: ticks in a second
    for at, (line, write) in enumerate(row.lines(requests)):
        time = at * row.step * CYCLE
        messages.append(message({1: time, 2: commands[write], 3: line * LINE, 4: LINE}))
    return b"gem5" + b"".join(messages)


def binary(row: Row, requests: int) -> bytes:
    """Return a row's trace in hmsim's own format (docs/trace-format.md)."""
    return b"HMSIM_RW" + b"".join(
        struct.pack("<QQ", at * row.step, line * LINE + write)
        for at, (line, write) in enumerate(row.lines(requests))
    )


FORMATS = {"dramsim3": text, "hmsim_rw": binary, "gem5": packets}


def workload(row: Row, requests: int, file: Path, form: str) -> Path:
    """Write a trace and the workload that reads it; return the latter."""
    file.with_suffix(".trace").write_bytes(FORMATS[form](row, requests))
    keys = f"path: {file.stem}.trace, format: {form}, mode: {row.mode}"
    file.write_text(f"agents:\n  - {{kind: memory_trace, {keys}}}\n")
    return file


def mcf_workload(instructions: int, file: Path) -> Path:
    """Write the workload of mcf on a core; return it."""
    keys = f"path: twin:mcf, format: hmsim, instructions: {instructions}"
    file.write_text(f"agents:\n  - {{kind: llc_trace, core: 0, {keys}}}\n")
    return file


def run(config: str, workload: Path, tool: list[str]) -> tuple[int, str]:
    """Run hmsim under a tool; return the run's requests and the tool's output."""
    out = workload.with_suffix(".out")
    command = [*tool, sys.executable, "-m", "hmsim", "run", str(ROOT / "configs" / config)]
    done = subprocess.run(
        [*command, "--workload", str(workload), "--out", str(out), "--force"],
        env={**os.environ, **STEADY, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(json.loads((out / "stats.json").read_text())["sim"]["requests"]), done.stderr


def cost(config: str, workloads: tuple[Path, Path]) -> float:
    """Return the instructions per request, from the difference between two runs."""
    totals = []
    for file in workloads:
        run(config, file, [])  # what later runs find in caches is made
        counts = file.with_suffix(".callgrind.%p")
        tool = ["valgrind", "--tool=callgrind", "--trace-children=yes"]
        requests, said = run(config, file, [*tool, f"--callgrind-out-file={counts}"])
        totals.append((requests, total_collected(said)))
    (fewer, before), (more, after) = totals
    return (after - before) / (more - fewer)


def measure(name: str, form: str, folder: Path) -> dict[str, object]:
    """Return a row's instructions per request, with its goal."""
    lengths = (MCF_SHORT, MCF_LONG) if name == MCF else (SHORT, LONG)
    files = [folder / f"{name}{length}.yaml" for length in lengths]
    if name == MCF:
        first, second = (mcf_workload(n, file) for n, file in zip(lengths, files))
        config, goal = "mascots16.yaml", MCF_GOAL
    else:
        first, second = (workload(ROWS[name], n, file, form) for n, file in zip(lengths, files))
        less = 0 if form == "dramsim3" else BINARY_LESS
        config, goal = "validate_ddr3.yaml", ROWS[name].goal - less
    return {
        "workload": name,
        "instructions_per_request": round(cost(config, (first, second))),
        "goal": goal,
    }


def main() -> None:
    """Measure the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    names = [*ROWS, MCF]
    parser.add_argument("--rows", default=",".join(names), help="names of the rows to measure")
    parser.add_argument(
        "--format", default="dramsim3", choices=FORMATS, help="format of the traces except mcf's"
    )
    parser.add_argument("--keep", type=Path, help="folder that keeps inputs and profiles")
    options = parser.parse_args()
    chosen = options.rows.split(",")
    if not set(chosen) <= set(names):
        parser.error(f"the rows are {', '.join(names)}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.keep or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        print(json.dumps([measure(name, options.format, folder) for name in chosen], indent=2))


if __name__ == "__main__":
    main()
