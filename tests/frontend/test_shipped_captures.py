# SPDX-License-Identifier: BSD-3-Clause
"""Are the shipped captures whole, small, what their table says, and four tasks that wait?"""

from __future__ import annotations

from pathlib import Path

import pytest
from captured import rows_of
from guests_clock import makespan_us
from hmsim import load_config, run
from hmsim.traces.causes import summarise
from hmsim.traces.file import TraceFile
from hmsim.workloads.mixes import PROGRAMS

FOLDER = Path(__file__).resolve().parents[2] / "workloads" / "captures"
MEMORY_INTENSIVE = ("lbm_like", "mcf_like", "milc_like")
WITH_CAUSES = (*PROGRAMS, "sort_writes")
LARGEST, ALL = 5_000_000, 60_000_000  # bytes


def test_every_program_has_a_small_capture() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.glob("*.zst")}
    assert sorted(sizes) == sorted(
        f"{name}.hmsim.zst" for name in (*WITH_CAUSES, *MEMORY_INTENSIVE)
    )
    assert max(sizes.values()) <= LARGEST
    assert sum(sizes.values()) <= ALL


@pytest.mark.parametrize("name", WITH_CAUSES + MEMORY_INTENSIVE)
def test_a_capture_matches_the_table(name: str) -> None:
    file = TraceFile(FOLDER / f"{name}.hmsim.zst")
    assert sum(map(len, file.records())) == 8 * file.header.records  # checksums are right
    assert file.header.two_memories == (name not in MEMORY_INTENSIVE)
    row = rows_of(FOLDER, "hmsim.zst")[name]
    assert row[-2:] == [str(file.header.instructions), str(file.header.records)]


@pytest.mark.parametrize("name", WITH_CAUSES)
def test_a_capture_with_causes_runs_as_four_tasks(name: str, tmp_path: Path) -> None:
    path = FOLDER / f"{name}.hmsim.zst"
    file = TraceFile(path)
    assert file.header.causes
    tasks = [
        thread
        for thread in summarise(file.records())["busiest"]
        if thread["name"].startswith(("Executor task", "LocalJobRunner", "pool-"))
    ]
    assert len(tasks) == 4
    assert min(task["instructions"] for task in tasks) > 0.08 * file.header.instructions
    workload = tmp_path / "w.yaml"
    workload.write_text(
        f"agents:\n  - {{kind: job, path: {path}, format: hmsim, cores: 0-2, skip_idle: true, "
        "instructions: 24000000}\n"
    )
    stats = run(load_config("quick"), workload).stats
    # The rest are copies: 4 % of the instructions of dfsioe_w, which moves the most data.
    assert stats["agent.0.progress"] == pytest.approx(24_000_000, rel=0.05)
    assert all(float(stats[f"core.{core}.busy"]) > 0 for core in range(3))


@pytest.mark.parametrize("name", WITH_CAUSES)
def test_a_capture_takes_its_own_time_on_ideal_memory(name: str, tmp_path: Path) -> None:
    length = 40_000_000  # an instruction a nanosecond; an engine's copies take none
    trace = FOLDER / f"{name}.hmsim.zst"
    took = makespan_us(trace, "1us", tmp_path, instructions=length, skip_idle="true")
    assert took == pytest.approx(length / 1000, rel=0.05)
