# SPDX-License-Identifier: BSD-3-Clause
"""The rooms of the C++ code: their order, and which of them each build compiles.

As a program it prints the floors, the highest first; with --units, how many units an installation
compiles.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from itertools import groupby
from pathlib import Path

# From the ground up: a room may include itself and the floors below its own.
FLOORS = (
    ("core",),
    ("policies",),
    ("dram", "nvdimm"),
    ("controller", "storage"),
    ("check",),
    ("embed",),
    ("session",),
    ("traces", "clones"),
    ("agents",),
    ("simulation",),
    ("bindings",),
)
# Floors within a room, by folder; "" are the files of the room itself, which use the others.
INNER_FLOORS = {
    "nvdimm": (("module",), ("nand",), ("ftl", "media", "hbf"), ("buffer",), ("",)),
    "controller": (
        ("config",),
        ("link", "layout"),
        ("accounts",),
        ("channel",),
        ("port", "hbf", "host"),
        ("host_ftl",),
        ("",),
    ),
}
CONTROLLER = (
    "core",
    "policies",
    "dram",
    "nvdimm",
    "controller",
    "check",
    "embed",
)  # gem5 compiles these
C_LIBRARY = (*CONTROLLER, "storage", "session")
LIBRARY = (*C_LIBRARY, "traces", "clones", "agents", "simulation")
OPTIONAL = "dram/dramsim3/"  # has flags of its own
TOGETHER = 12  # files of one folder that compile as one unit at most
# The files of a catalogue name their parts alike, so they compile alone.
ALONE = ("dram/standards/*", "nvdimm/*_design.cc", "traces/format_*")
FLATTEN = "gnu::flatten"  # inlines all that the compiler sees: its file compiles alone, too


def sources(root: str | Path, rooms: Iterable[str]) -> list[str]:
    """Return the C++ files of some rooms, relative to the repository's root, in a fixed order."""
    found = (path.relative_to(root) for room in rooms for path in Path(root, room).rglob("*.cc"))
    return sorted(path.as_posix() for path in found if OPTIONAL not in path.as_posix())


def units(root: str | Path, files: Iterable[str], unity: bool = True) -> Iterator[list[str]]:
    """Yield the files that compile together: each folder's, in order, after those alone."""
    joined = []
    for file in files:
        catalogued = any(fnmatch(file, pattern) for pattern in ALONE)
        if not unity or catalogued or FLATTEN in Path(root, file).read_text(encoding="utf-8"):
            yield [file]
        else:
            joined.append(file)
    joined.sort(key=folder_of)
    for _, group in groupby(joined, folder_of):
        names = list(group)
        yield from (names[n : n + TOGETHER] for n in range(0, len(names), TOGETHER))


def folder_of(file: str) -> str:
    return file.rpartition("/")[0]


def picture() -> str:
    """Return the floors as text, the highest first; the folders of a room stand below its floor."""
    lines = []
    for floor in reversed(FLOORS):
        lines.append("  ".join(floor))
        for room in floor:
            for inner in reversed(INNER_FLOORS.get(room, ())):
                lines.append("    " + "  ".join(f"{room}/{name}" for name in inner))
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["--units"]:
        print(sum(1 for _ in units(".", sources(".", (*LIBRARY, "bindings")))))
    else:
        print(picture())
