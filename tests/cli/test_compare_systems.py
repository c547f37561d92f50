# SPDX-License-Identifier: BSD-3-Clause
"""Can systems, and not policies alone, be set side by side?"""

from __future__ import annotations

import csv
from pathlib import Path

import hmsim
import pytest
from support import STREAM, invoke, parsed, succeed, write


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    return write(tmp_path / "mix.yaml", STREAM)


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    return write(tmp_path / "slow.yaml", "base: quick\ndram: {preset: ddr3_1333h_4gb_x8}\n")


def test_each_system_runs_under_its_own_policies(
    tmp_path: Path, workload: Path, slow: Path
) -> None:
    table = hmsim.compare(["quick", slow], [], [workload], jobs=2)
    assert list(table["config"]) == ["quick", "slow"]
    assert table["policy"].isna().all()
    runs = [hmsim.run(config, workload).stats for config in ("quick", slow)]
    for row, stats in zip(table.to_dict("records"), runs):
        assert row["agent.0.rate"] == stats["agent.0.rate"]
        assert row["agent.0.speedup"] == stats["agent.0.rate"] / runs[0]["agent.0.rate"]


def test_systems_and_policies_make_a_grid(tmp_path: Path, workload: Path, slow: Path) -> None:
    out = tmp_path / "out"
    policies = ("--policy", "unified_fr_fcfs", "--policy", "split")
    command = ("compare", "quick", slow, *policies, "--workload", workload)
    rows = parsed(*command, "--out", out)
    places = [(row["config"], row["policy"]) for row in rows]
    assert places == [(c, p) for c in ("quick", "slow") for p in policies[1::2]]
    with (out / "comparison.csv").open() as file:
        assert [(row["config"], row["policy"]) for row in csv.DictReader(file)] == places
    folders = {path.name for path in (out / "mix").iterdir()}
    assert folders == {f"{config}, {policy}" for config, policy in places}
    lines = succeed(*command).splitlines()
    assert lines[0] == "mix, seed 1"  # on no one system
    headings = " ".join(lines[3:6])
    assert headings.count("quick,") == headings.count("slow,") == 2
    assert headings.count("split") == 2


def test_what_cannot_be_compared_is_refused(workload: Path, slow: Path) -> None:
    given = ("--workload", workload)
    wrong = {
        "needs policies, or several configurations": ("quick",),
        "the configuration 'quick' is there twice": ("quick", "quick"),
        "compare: needs policies": ("quick", slow, "--writes", "both"),
    }
    for message, arguments in wrong.items():
        outcome = invoke("compare", *arguments, *given)
        assert outcome.exit_code == 2
        assert message in outcome.stderr
        assert outcome.stdout == ""
