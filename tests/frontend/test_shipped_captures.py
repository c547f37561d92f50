# SPDX-License-Identifier: BSD-3-Clause
"""Are the shipped captures whole, small, and what their table says?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hmsim.traces.file import TraceFile

FOLDER = Path(__file__).resolve().parents[2] / "workloads" / "captures"
BIG_DATA = (
    *("bayes", "dfsioe_r", "dfsioe_w", "kmeans", "nutchindexing", "pagerank", "sort"),
    "wordcount",
)
WORKERS = tuple(f"{name}_online" for name in ("bayes", "kmeans", "pagerank", "sort", "wordcount"))
PARTS = ("sort_writes", "wordcount_writes", *WORKERS)  # more windows
MEMORY_INTENSIVE = ("lbm_like", "mcf_like", "milc_like")
LARGEST, ALL = 4_000_000, 40_000_000  # bytes


def table() -> dict[str, list[str]]:
    """Return the cells of README.md's rows that begin with a file's name, by that name."""
    rows = re.findall(
        r"^\| `(\w+)\.hmsim\.zst` \|(.*)\|$", (FOLDER / "README.md").read_text(), re.M
    )
    return {
        name: [cell.strip().replace(",", "") for cell in rest.split("|")] for name, rest in rows
    }


def test_every_program_has_a_small_capture() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.glob("*.zst")}
    assert sorted(sizes) == sorted(
        f"{name}.hmsim.zst" for name in BIG_DATA + PARTS + MEMORY_INTENSIVE
    )
    assert max(sizes.values()) <= LARGEST
    assert sum(sizes.values()) <= ALL


@pytest.mark.parametrize("name", BIG_DATA + PARTS + MEMORY_INTENSIVE)
def test_a_capture_is_what_the_table_says(name: str) -> None:
    file = TraceFile(FOLDER / f"{name}.hmsim.zst")
    assert sum(map(len, file.records())) == 8 * file.header.records  # checksums are right
    assert file.header.two_memories == (name not in MEMORY_INTENSIVE)
    assert table()[name][-2:] == [str(file.header.instructions), str(file.header.records)]
