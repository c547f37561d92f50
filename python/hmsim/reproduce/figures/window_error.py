# SPDX-License-Identifier: BSD-3-Clause
"""Error of the windows that stand for a program's capture: each seed draws its own."""

import csv
import statistics
from collections import defaultdict
from pathlib import Path

from hmsim.common.intervals import mean_interval

MIX = {"program", "partner", "machine", "seed"}  # columns of the data of mixes, which use windows


def window_error(file: Path) -> str:
    """Return in a sentence how uncertain a program's ratio of IPCs is, or "".

    The error is half the 95 % interval over seeds (Student's t), the median of the schemes.

    Args:
        file: a figure's data; a row is a gain in per cent, or a ratio, of a program and a seed.
    """
    if not file.is_file():
        return ""
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    programs = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if not row.keys() >= MIX or not row.keys() & {"gain", "speedup"}:
                return ""
            gain = row.pop("gain", None)
            ratio = float(row.pop("speedup")) if gain is None else 1 + float(gain) / 100
            del row["seed"]
            key = tuple(row.values())
            groups[key].append(ratio)
            programs[key] = row["program"]
    halves = defaultdict(list)
    for key, ratios in groups.items():
        mean, low, _ = mean_interval(ratios)
        if low == low:
            halves[programs[key]].append((mean - low) / mean)
    if not halves:
        return ""
    medians = {program: statistics.median(each) for program, each in halves.items()}
    *others, last = sorted(medians, key=lambda program: medians[program])
    beside = f", at most {100 * medians[others[-1]]:.1f} % for others" if others else ""
    return f"IPC error: {100 * medians[last]:.1f} % for {last}{beside}."
