# SPDX-License-Identifier: BSD-3-Clause
"""The rooms of the C++ code: their order, and which of them each build compiles.

As a program it prints the floors, the highest first.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

# From the ground up: a room may include itself and the floors below its own.
FLOORS = (
    ("core",),
    ("policies",),
    ("dram", "nvdimm"),
    ("controller", "storage"),
    ("check",),
    ("embed",),
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
LIBRARY = (*CONTROLLER, "storage", "traces", "clones", "agents", "simulation")
OPTIONAL = "dram/dramsim3/"  # has flags of its own


def sources(root: str | Path, rooms: Iterable[str]) -> list[str]:
    """Return the C++ files of some rooms, relative to the repository's root, in a fixed order."""
    found = (path.relative_to(root) for room in rooms for path in Path(root, room).rglob("*.cc"))
    return sorted(path.as_posix() for path in found if OPTIONAL not in path.as_posix())


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
    print(picture())
