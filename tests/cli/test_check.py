# SPDX-License-Identifier: BSD-3-Clause
"""Does --check judge the commands of a run, and change nothing else?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import hmsim
import pytest
from hmsim._core import Simulation
from support import parsed, succeed

SAID = re.compile(r"^protocol check: ([0-9]+) commands, no violation$", re.MULTILINE)


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let simulations run without the checker unless a test asks for it."""
    for module in ("runner", "system"):
        monkeypatch.setattr(f"hmsim.runs.{module}.Simulation", Simulation)


def commands(printed: str) -> int:
    """Return the number of checked commands that a run printed."""
    said = SAID.search(printed)
    assert said is not None, printed
    return int(said[1])


@pytest.mark.usefixtures("unchecked")
def test_a_checked_run_says_so_and_finds_the_same(tmp_path: Path, workload: Path) -> None:
    run = ("run", "quick", "--workload", workload)
    checked = succeed(*run, "--check", "--out", tmp_path / "checked")
    assert commands(checked) >= 3000 + 2000 * 3
    plain = succeed(*run, "--out", tmp_path / "plain")
    assert SAID.search(plain) is None
    stats = [(tmp_path / name / "stats.json").read_bytes() for name in ("checked", "plain")]
    assert stats[0] == stats[1]
    host = json.loads((tmp_path / "checked" / "run.json").read_text())["host"]
    assert host["commands_checked"] == commands(checked)
    assert parsed(*run, "--check") == parsed(*run)


@pytest.mark.usefixtures("unchecked")
def test_a_checked_comparison_makes_all_its_runs(workload: Path) -> None:
    compare = ("compare", "quick", "--policy", "split", "--workload", workload)
    first = commands(succeed(*compare, "--check"))
    assert commands(succeed(*compare, "--check")) == first  # runs alone are not taken from cache
    assert parsed(*compare, "--check") == parsed(*compare)
    alone = hmsim.run("quick", workload, policy="split", check=True)
    assert first > alone.host["commands_checked"] > 0


@pytest.mark.parametrize(
    "overrides",
    [
        {"controller.ack": "auto", "controller.ack_slots": 0},
        {"controller.channels": 4, "dram.ranks": 2},
        {"controller.structure": "two_level", "controller.outstanding": 3},
        {"dram.preset": "ddr3_1600_8gb_x8", "dram.precharge_delay": "paper"},
        {"nvdimm.buffer.port": "serial", "dram.refresh": False},
    ],
)
def test_no_configuration_breaks_a_rule(workload: Path, overrides: dict[str, object]) -> None:
    config = hmsim.load_config("quick", overrides=overrides)
    assert hmsim.run(config, workload, check=True).host["commands_checked"] > 0


@pytest.mark.usefixtures("unchecked")
def test_a_checked_system_is_checked_when_loaded_again(tmp_path: Path) -> None:
    system = hmsim.System("quick", check=True)
    system.enqueue(0)
    system.advance("20ns")
    system.save(tmp_path / "saved")
    loaded = hmsim.System.load(tmp_path / "saved")
    loaded.advance("100us")
    assert loaded._simulation.checked_commands > system._simulation.checked_commands > 0
