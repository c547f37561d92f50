# SPDX-License-Identifier: BSD-3-Clause
"""Is the controller's state right across drains, checkpoints, modes and resets?"""

from __future__ import annotations

from pathlib import Path

import pytest
from outcomes import Run, differences

pytestmark = pytest.mark.gem5

US = 1_000_000  # ps
LITTLE_DRAM = ("--set", "dram.preset=ddr3_1600k_512mb_x16")  # checkpoints hold all of it
MOMENTS = ("before", "after")  # the drain


def test_a_drain_ends_queued_writes(run: Run) -> None:
    reported = run("drain.py", "--work", "writes", "--set", "controller.writes=drained").result
    written = [reported[when]["dram.writes"] + reported[when]["nvdimm.writes"] for when in MOMENTS]
    assert written[0] < 8
    assert written[1] == 8
    assert reported["resumed"]["dram.reads"] == 4


@pytest.mark.parametrize("work", ["collection", "erase"])
def test_a_drain_ends_collections_and_their_erases(run: Run, work: str) -> None:
    pattern = "uniform" if work == "collection" else "sequential"
    reported = run(
        "drain.py", "--work", work, "--set", f"nvdimm.precondition.pattern={pattern}"
    ).result
    before, after = (reported[when] for when in MOMENTS)
    begun, ended = "nvdimm.gc.valid_pages.count", "nvdimm.gc.count"
    assert before[begun] > before[ended]
    assert after[begun] == after[ended]
    if work == "erase":
        assert after["nvdimm.gc.valid_pages.max"] == 0
        assert after["nvdimm.ftl.gc_pages"] == 0
    else:
        assert after["nvdimm.ftl.gc_pages"] > before["nvdimm.ftl.gc_pages"]
    assert reported["ticks"] > 0
    assert reported["resumed"]["dram.reads"] == 4


def test_a_restored_run_has_the_statistics_of_the_whole_run(run: Run, tmp_path: Path) -> None:
    for policy in ("unified_fr_fcfs", "split", "firm"):
        options = ("--policy", policy, *LITTLE_DRAM)
        folder = tmp_path / policy
        straight = run("checkpoint.py", *options, "--save", folder)
        restored = run("checkpoint.py", *options, "--restore", folder)
        assert restored.result == straight.result
        assert straight.result["statistics"]["nvdimm.buffer.evictions"] > 0
        assert not differences(restored.dumps[0], straight.dumps[0])


def test_a_checkpoint_of_another_configuration_is_rejected(run: Run, tmp_path: Path) -> None:
    run("checkpoint.py", *LITTLE_DRAM, "--save", tmp_path / "cpt")
    other = (*LITTLE_DRAM, "--restore", tmp_path / "cpt", "--set", "controller.queue_depth=7")
    outcome = run("checkpoint.py", *other, exit_code=1)
    assert "checkpoint" in outcome.stderr


def test_time_stops_in_atomic_mode(run: Run) -> None:
    reported = run("modes.py").result
    first, still, second = reported["first"], reported["still"], reported["second"]
    assert still == first
    assert first["dram.reads"] == first["nvdimm.reads"] == 100
    assert second["dram.reads"] == second["nvdimm.reads"] == 200
    assert second["sim.ticks"] == reported["end"] - 5000 * US


def test_functional_and_timing_accesses_see_the_same_bytes(run: Run) -> None:
    reported = run("functional.py").result
    assert reported["cause"] == "maximum number of loads reached"
    assert reported["statistics"]["dram.writes"] > 0
    assert reported["statistics"]["nvdimm.writes"] > 0


def test_statistics_are_dumped_and_reset_in_mid_run(run: Run) -> None:
    whole, halves = (run("dumps.py", "--parts", parts) for parts in (1, 2))
    (total,), parts = whole.result["parts"], halves.result["parts"]
    for name in (
        "sim.requests",
        "dram.reads",
        "nvdimm.writes",
        "dram.activates",
        "bus.turnarounds",
    ):
        assert sum(part[name] for part in parts) == total[name] > 0
    assert [part["sim.ticks"] for part in parts] == [50 * US, 50 * US]
    # gem5's statistics are ours.
    for outcome, reported in ((whole, [total]), (halves, parts)):
        for dump, values in zip(outcome.dumps, reported):
            for name, value in values.items():
                if "rank" not in name:
                    assert dump[f"system.memory.controllers.{name}"] == pytest.approx(
                        value, 1e-4, 1e-5
                    )
