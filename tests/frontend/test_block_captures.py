# SPDX-License-Identifier: BSD-3-Clause
"""Do the shipped captures of block I/O match their table, and do they replay as programs?"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from captured import rows_of
from hmsim import load_config, run
from hmsim.traces.info import info
from hmsim.traces.reader import read_pieces
from hmsim.workloads.workload import load_workload

FOLDER = Path(__file__).resolve().parents[2] / "workloads" / "blocks"
PROGRAM = FOLDER.parent / "programs" / "key_values.py"
NAMES = (
    *("key_values", "external_sort", "berkeley_btree", "berkeley_hash"),
    *("postmark", "postmark_large", "build"),
)
ALL = 1_500_000  # bytes


def lines(name: str) -> list[list[str]]:
    text = b"".join(read_pieces(FOLDER / f"{name}.blkparse.zst")).decode()
    return [line.split() for line in text.splitlines()]


def test_captures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.glob("*.zst")}
    assert sorted(sizes) == sorted(f"{name}.blkparse.zst" for name in NAMES)
    assert sum(sizes.values()) <= ALL


@pytest.mark.parametrize("name", NAMES)
def test_a_capture_matches_the_table(name: str) -> None:
    path = FOLDER / f"{name}.blkparse.zst"
    size, reads, writes, flushes, read, written, own = map(
        float, rows_of(FOLDER, "blkparse.zst")[name]
    )
    assert path.stat().st_size == size
    kinds = [line[6] for line in lines(name)]
    assert (kinds.count("R"), kinds.count("W"), kinds.count("FN")) == (reads, writes, flushes)
    found = info(path)
    assert found["format"] == "blkparse"
    assert round(found["read_bytes"] / 2**20, 2) == read
    assert round(found["write_bytes"] / 2**20, 2) == written
    assert round(found["duration"] / 1e6, 1) == own


# postmark_large, 380 MiB of lines, takes long and adds nothing to postmark.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "postmark_large"])
def test_the_programs_own_time_is_between_its_requests(name: str, tmp_path: Path) -> None:
    """One request at a time: a replay takes a closed loop's time plus the computation."""
    config = load_config("pcm")
    closed = tmp_path / "closed.yaml"
    closed.write_text(
        f"agents:\n  - {{kind: block_trace, path: {FOLDER}/{name}.blkparse.zst, "
        "format: blkparse, threads: 1}\n"
    )
    loop = run(config, load_workload(closed)).stats["sim.ticks"]
    with_own_time = run(config, load_workload(name)).stats["sim.ticks"]
    own = info(FOLDER / f"{name}.blkparse.zst")["duration"] * 1_000
    assert with_own_time == pytest.approx(loop + own, rel=0.002)


def test_every_sorted_block_is_read_and_written_twice() -> None:
    size = 250_000 * 100
    sectors = {"R": 0, "W": 0, "FN": 0}
    for line in lines("external_sort"):
        sectors[line[6]] += int(line[9])
    runs = -(-size // (1024 * 1024 // 100 * 100))
    for kind in "RW":
        # Each file may end within a sector.
        assert 2 * size <= 512 * sectors[kind] <= 2 * size + 512 * (runs + 1)


def test_the_store_holds_the_results_of_its_transactions(tmp_path: Path) -> None:
    rows, transactions = 500, 200
    command = [sys.executable, str(PROGRAM)]
    subprocess.run([*command, "fill", str(tmp_path / "s"), str(rows)], check=True)
    ran = subprocess.run(
        [*command, "run", str(tmp_path / "s"), str(transactions)],
        check=True,
        capture_output=True,
        text=True,
    )
    numbers, keys = random.Random(2), {2 * row for row in range(rows)}
    for _ in range(transactions):
        drawn = [numbers.randrange(2 * rows - 1) for _ in range(4)]
        for key in (drawn[1], drawn[2] // 2 * 2):
            keys.add(key)
            numbers.randrange(256), numbers.randrange(100, 1501)  # the value
        keys.discard(drawn[3])
    assert ran.stdout.split() == ["rows", str(len(keys)), "sum", str(sum(keys))]
