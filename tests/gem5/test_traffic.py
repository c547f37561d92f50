# SPDX-License-Identifier: BSD-3-Clause
"""Is our DRAM as fast as gem5's, and does mixed traffic make progress?"""

from __future__ import annotations

import json
from typing import Any

import pytest
from outcomes import Outcome, Run

pytestmark = pytest.mark.gem5

SCRIPT = "configs/gem5/traffic.py"
DDR3 = ("--config", "validate_ddr3", "--set", "dram.ranks=2")  # gem5's DDR3_1600_8x8


def table(outcome: Outcome, memory: str) -> list[dict[str, Any]]:
    return json.loads((outcome.folder / memory / "traffic.json").read_text())["rows"]


def test_dram_is_as_fast_as_gem5s(run: Run) -> None:
    # By default gem5's model closes a row after 16 accesses.
    memories = ("--memory", "hmsim", "--memory", "gem5", "--pattern", "linear", "--row-accesses", 0)
    outcome = run(SCRIPT, *memories, *DDR3)
    ours, theirs = (table(outcome, memory) for memory in ("hmsim", "gem5"))
    assert ours[0]["read_latency_ns"] == pytest.approx(theirs[0]["read_latency_ns"], rel=0.05)
    assert ours[-1]["gb_per_s"] == pytest.approx(theirs[-1]["gb_per_s"], rel=0.05)


def test_mixed_traffic_flows_in_hmsim_and_stalls_in_gem5(run: Run) -> None:
    outcome = run(
        SCRIPT, "--memory", "hmsim", "--memory", "hetero", "--load", "mix", "--policy", "split"
    )
    assert "hetero: dram starves" in outcome.stdout
    assert "hmsim: dram starves" not in outcome.stdout
    stats = json.loads((outcome.folder / "hmsim" / "hmsim" / "stats.json").read_text())
    assert stats["nvdimm"]["reads"] > 0 and stats["dram"]["reads"] > 0  # of both together
    assert stats["nvdimm"]["queue"]["greatest_occupancy"] > 0


def test_a_missing_command_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMSIM", "no-such-hmsim")
    outcome = run("configs/gem5/traffic.py", exit_code=2)
    assert "traffic.py: command no-such-hmsim not found" in outcome.stderr
