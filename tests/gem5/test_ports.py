# SPDX-License-Identifier: BSD-3-Clause
"""Does every packet reach its controller, and its response return, refused or not?"""

from __future__ import annotations

import pytest
from messages import naming
from outcomes import Run

pytestmark = pytest.mark.gem5

SYSTEM_CYCLE = 500  # ps
QUEUES = ("controller.queue_depth=8", "controller.nvdimm_queue_depth=8")


def test_ranges_that_overlap_are_rejected(run: Run) -> None:
    outcome = run("ranges.py", "--fault", "overlap", exit_code=1)
    assert "overlapping" in outcome.stderr


def test_a_range_of_another_size_than_the_configurations_is_rejected(run: Run) -> None:
    outcome = run("ranges.py", "--fault", "size", exit_code=1)
    nvdimm = outcome.result["nvdimm"]
    found = naming("nvdimm.capacity", f"{nvdimm // 2} bytes", str(nvdimm)).search(outcome.stderr)
    assert found, outcome.stderr


def test_two_systems_in_one_process_are_independent(run: Run) -> None:
    split = ("--policy", "split")
    (alone,) = run("twice.py", *split).result["statistics"]
    both = run("twice.py", *split, "--systems", 2).result["statistics"]
    assert both == [alone, alone]
    assert alone["dram.reads"] == 2000
    assert alone["nvdimm.writes"] > 0


def test_controllers_share_interleaved_ranges(run: Run) -> None:
    for interleaving in (64, 4096):
        outcome = run("interleaved.py", "--interleaving", interleaving)
        for statistics in outcome.result["statistics"]:
            assert statistics["dram.reads"] == 512
            assert statistics["nvdimm.reads"] == 512
            # Each controller packs its lines: 8 KiB rows have no gaps, nor have 4 KiB pages.
            assert statistics["dram.row_hits"] >= 512 - 16
            assert statistics["nvdimm.nand.reads"] == 512 * 64 // 4096


def test_some_controllers_have_separate_nvdimms(run: Run) -> None:
    reported = run("nvdimms.py").result
    assert len(set(reported["sizes"])) == 1
    assert len(reported["sizes"]) == 2
    statistics = reported["statistics"]
    assert [each["dram.reads"] for each in statistics] == [64] * 4
    assert [each["nvdimm.reads"] for each in statistics] == [256, 512, 0, 0]
    refused = run("nvdimms.py", "--nvdimms", 5).result["refused"]
    assert refused == "nvdimms: must be 1 to 4, the number of controllers, got 5"


def test_all_packets_are_answered_in_a_storm_of_retries(run: Run) -> None:
    lines = 1000
    for queues in ("unified", "split"):
        sets = [f"--set={each}" for each in (*QUEUES, f"controller.queues={queues}")]
        outcome = run("storm.py", "--lines", lines, *sets)
        statistics, (values,) = outcome.result["statistics"], outcome.dumps
        assert statistics["sim.requests"] == 4 * lines
        for index in range(4):
            generator = f"system.generators{index}"
            assert values[f"{generator}.totalReads"] == lines
            assert values[f"{generator}.numRetries"] > lines / 4


def test_responses_that_a_crossbar_refuses_wait(run: Run) -> None:
    lines = 1000
    ways = [run("storm.py", "--policy", "split", "--lines", lines, "--way", w) for w in (64, 1)]
    latencies = []
    for outcome in ways:
        (values,) = outcome.dumps
        assert outcome.result["statistics"]["sim.requests"] == 4 * lines
        total = sum(values[f"system.generators{i}.totalReadLatency"] for i in (0, 2))
        latencies.append(total / (2 * lines))
    # At one byte per cycle a response takes 32 ns. Each port sends more, so requests and responses
    # are often refused. A read of DRAM then waits for the 128 responses of a full queue.
    response = 64 * SYSTEM_CYCLE
    assert values["system.narrow.respLayer0.occupancy"] >= 4 * lines * response
    assert latencies[0] < 0.9 * 128 * response < latencies[1]
