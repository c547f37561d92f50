# SPDX-License-Identifier: BSD-3-Clause
"""Prints the lines of tracked code by kind and room; exit status 1 above the limit of a kind.

The rule: one line out for each line in, save for capabilities that are new to the user.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMITS = {"C++": 100_760, "Python": 45_180, "tests": 82_375}
CODE = {".cc": "C++", ".h": "C++", ".hh": "C++", ".c": "C++", ".py": "Python"}
DEPTH = {"tests": 2, "python": 3}  # folders in the name of a room; 1 elsewhere

Found = Mapping[str, Counter[str]]  # lines of each kind, by room


def lines_by_room() -> Found:
    """Count the lines of tracked files."""
    found: Found = {kind: Counter() for kind in LIMITS}
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for path in map(Path, tracked.stdout.decode().split("\0")):
        top, *_ = folders = path.parts[:-1] or ("",)
        if path.suffix in CODE and (ROOT / path).is_file():
            kind = "tests" if top == "tests" else CODE[path.suffix]
            room = "/".join(folders[: DEPTH.get(top, 1)])
            found[kind][room] += (ROOT / path).read_bytes().count(b"\n")
    return found


def above(found: Found) -> bool:
    """Whether a kind exceeds its limit."""
    return any(sum(rooms.values()) > LIMITS[kind] for kind, rooms in found.items())


def table(found: Found) -> str:
    """Return the counts as text, the largest room of each kind first."""
    lines = []
    for kind, rooms in found.items():
        lines.append(f"{kind:24}{sum(rooms.values()):8,} lines of at most {LIMITS[kind]:,}")
        lines += [f"  {room:22}{count:8,}" for room, count in rooms.most_common()]
    return "\n".join(lines)


if __name__ == "__main__":
    counts = lines_by_room()
    print(table(counts))
    sys.exit(above(counts))
