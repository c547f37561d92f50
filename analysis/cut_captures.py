#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cuts the windows of workloads/captures from captures of whole regions of interest.

python analysis/cut_captures.py CAPTURES TARGET

CAPTURES holds JOB.hmsim.zst of the jobs that workloads/captures/README.md names. Candidates are
windows of `LENGTH` instructions, at multiples of `STEP`, that read the NVDIMM (for dfsioe_w: that
write to it, for nutchindexing: that do both). The median candidate by lines of the NVDIMM becomes
PROGRAM.hmsim.zst. For sort, the median window that writes and does not read becomes
sort_writes.hmsim.zst.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from hmsim.traces.columns import columns
from hmsim.traces.file import TraceFile
from hmsim.traces.records import FILL
from hmsim.traces.tools import convert
from hmsim.workloads.mixes import PROGRAMS
from pages.tables import table

LENGTH, STEP = 400_000_000, 100_000_000
COLUMNS = (
    *("file", "SKIP", "NVDIMM reads", "NVDIMM writes", "DRAM reads", "DRAM writes"),
    *("bytes", "instructions", "records"),
)
JOBS = {"nutchindexing": "lucene-indexing"}


def lines(capture: Path, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of NVDIMM lines read and written in each step of ``step`` instructions."""
    steps = TraceFile(capture).header.instructions // step
    counts = np.zeros((2, steps), dtype=np.int64)
    for piece in columns(capture):
        for way, chosen in enumerate((piece.kind == FILL, piece.kind != FILL)):
            at = piece.time[piece.nvdimm & chosen] // step
            counts[way] += np.bincount(at[at < steps], minlength=steps)
    return counts[0], counts[1]


def middle(chosen: np.ndarray, total: np.ndarray) -> int:
    """Return which of the chosen windows, at least one, is the median; position breaks ties."""
    places = sorted(np.flatnonzero(chosen).tolist(), key=lambda place: (total[place], place))
    return places[len(places) // 2]


def cut(capture: Path, target: Path, skip: int) -> list[str]:
    """Write a window; return its row of workloads/captures/README.md."""
    convert(capture, target, "hmsim", force=True, memory="both", skip=skip, limit=LENGTH)
    counts = {(nvdimm, read): 0 for nvdimm in (True, False) for read in (True, False)}
    for piece in columns(target):
        for nvdimm, read in counts:
            chosen = (piece.nvdimm == nvdimm) & ((piece.kind == FILL) == read)
            counts[nvdimm, read] += int(chosen.sum())
    header = TraceFile(target).header
    numbers = (*counts.values(), target.stat().st_size, header.instructions, header.records)
    return [f"`{target.name}`", str(skip), *(f"{number:,}" for number in numbers)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("captures", type=Path)
    parser.add_argument("target", type=Path)
    given = parser.parse_args()
    rows = []
    for program in PROGRAMS:
        capture = given.captures / f"{JOBS.get(program, program)}.hmsim.zst"
        if not capture.is_file():
            continue
        ones = np.ones(LENGTH // STEP, dtype=np.int64)
        reads, writes = (np.convolve(each, ones, "valid") for each in lines(capture, STEP))
        wanted = {"dfsioe_w": writes > 0, "nutchindexing": (reads > 0) & (writes > 0)}
        cuts = {program: middle(wanted.get(program, reads > 0), reads + writes)}
        if program == "sort":
            cuts["sort_writes"] = middle((writes > 0) & (reads == 0), writes)
        for name, place in cuts.items():
            rows.append(cut(capture, given.target / f"{name}.hmsim.zst", place * STEP))
    print(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
