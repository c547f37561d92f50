# SPDX-License-Identifier: BSD-3-Clause
"""Can systems, and not policies alone, be set side by side?"""

from __future__ import annotations

import csv
import statistics
from pathlib import Path
from typing import Any

import hmsim
import pytest
from hmsim.cli.compare import alike
from messages import naming
from support import fail, invoke, parsed, succeed, write


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    return write(tmp_path / "slow.yaml", "base: quick\ndram: {preset: ddr3_1333h_4gb_x8}\n")


PAIR = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, footprint: 16MiB, requests: 3000}
  - {kind: synthetic, core: 1, target: dram, footprint: 16MiB, offset: 32MiB, requests: 3000}
"""


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
    command = ("compare", "--seeds", "1", "quick", slow, *policies, "--workload", workload)
    rows = parsed(*command, "--out", out)
    places = [(row["config"], row["policy"]) for row in rows]
    assert places == [(c, p) for c in ("quick", "slow") for p in policies[1::2]]
    with (out / "comparison.csv").open() as file:
        assert [(row["config"], row["policy"]) for row in csv.DictReader(file)] == places
    folders = {path.name for path in (out / "mix").iterdir()}
    assert folders == {f"{config}, {policy}" for config, policy in places}
    lines = succeed(*command).splitlines()
    assert lines[0] == "mix, one seed (1)"  # on no one system
    headings = " ".join(lines[3:6])
    assert headings.count("quick,") == headings.count("slow,") == 2
    assert headings.count("split") == 2


def test_a_system_may_be_named_with_its_policy(tmp_path: Path, workload: Path, slow: Path) -> None:
    out = tmp_path / "out"
    given = ("quick,unified_fr_fcfs", "quick,split,drained", slow)
    rows = parsed("compare", "--seeds", "1", *given, "--workload", workload, "--out", out)
    places = [(row["config"], row.get("policy")) for row in rows]
    assert places == [("quick", "unified_fr_fcfs"), ("quick", "split,drained"), ("slow", None)]
    folders = {path.name for path in (out / "mix").iterdir()}
    assert folders == {"quick, unified_fr_fcfs", "quick, split,drained", "slow"}
    table = hmsim.compare(list(given), [], [workload])
    assert [row["agent.0.rate"] for row in rows] == list(table["agent.0.rate"])
    alone = hmsim.compare("quick", ["split,drained"], [workload])
    assert alone["agent.0.rate"][0] == rows[1]["agent.0.rate"]


def test_intervals_pair_runs_of_one_seed(tmp_path: Path, workload: Path) -> None:
    policies = ["unified_fr_fcfs", "split"]
    table = hmsim.compare("quick", policies, [workload], seed=3, seeds=3)
    assert list(table["seed"]) == [3, 3, 4, 4, 5, 5]
    ratios = []
    for seed in (3, 4, 5):
        rates = [
            hmsim.run("quick", workload, policy=policy, seed=seed).stats["agent.0.rate"]
            for policy in policies
        ]
        ratios.append(rates[1] / rates[0])
    found = table[table["policy"] == "split"]["agent.0.speedup"]
    assert list(found) == ratios
    mean = statistics.mean(ratios)
    half = 4.303 * statistics.stdev(ratios) / 3**0.5  # t(2)
    out = tmp_path / "out"
    given = ("quick", "--policy", policies[0], "--policy", policies[1], "--workload", workload)
    lines = succeed("compare", *given, "--seed", 3, "--out", out).splitlines()
    assert lines[0].startswith("mix on quick, mean of seeds 3 to 5")
    cells = {line[:32].strip(): line[32:].split() for line in lines if " ± " in line}
    words = cells["agent 0, speedup"]
    assert words[:3] == ["1", "±", "0"]
    assert ("=" in words) == (abs(mean - 1) <= half)
    assert [float(words[-3]), float(words[-1])] == pytest.approx([mean, half], rel=1e-3)
    assert len(list(out.glob("mix/*/stats.json"))) == 6
    joined = hmsim.load_results(out)
    assert sorted(joined["agent.0.speedup"]) == sorted(table["agent.0.speedup"])
    assert naming("seeds:", "1001").search(fail("compare", *given, "--seeds", 1001))
    for requests, short in ((1_999_999, True), (2_000_000, False)):
        agent = {"kind": "io_pattern", "requests": requests}
        assert hmsim.load_workload({"agents": [agent]}).is_short() == short


def test_invalid_comparisons_are_rejected(workload: Path, slow: Path) -> None:
    given = ("--workload", workload)
    wrong = {
        ("--policy:", "configurations"): ("quick",),
        ("configuration: 'quick' occurs twice",): ("quick", "quick"),
        ("configuration: 'quick, split'",): ("quick,split", "quick,split"),
        ("compare:", "quick has policy split"): ("quick,split", slow, "--policy", "split"),
        ("splt:", "'split'?"): ("quick,splt", slow),
    }
    for parts, arguments in wrong.items():
        outcome = invoke("compare", *arguments, *given)
        assert outcome.exit_code == 2
        assert naming(*parts).search(outcome.stderr), outcome.stderr
        assert outcome.stdout == ""


@pytest.mark.parametrize("seeds", ["2", 2.5, 0, 1001])
def test_a_wrong_number_of_seeds_is_named(seeds: Any) -> None:
    with pytest.raises(hmsim.InputError, match=r"^seeds: must be an integer in 1 \.\. 1000, got "):
        hmsim.compare("quick", ["split"], ["demo"], seeds=seeds)


def test_systems_differ_beyond_their_intervals() -> None:
    def system(*rates: float) -> list[Any]:
        return [{"agent.0.rate": rate} for rate in rates]

    first = system(10.0, 11.0, 12.0)
    assert alike([first, system(11.0, 10.5, 12.2)])
    assert not alike([first, system(11.0, 12.1, 13.0)])
    assert not alike([first]) and not alike([first[:1], system(10.0)])


def test_agents_run_alone_on_the_same_system_or_on_the_first(tmp_path: Path) -> None:
    pair = write(tmp_path / "pair.yaml", PAIR)
    both = ["unified_fr_fcfs", "unified_fcfs_strict"]
    own = hmsim.compare("quick", both, [pair], jobs=1)
    first = hmsim.compare("quick", both, [pair], jobs=1, alone="baseline")
    for index in range(2):
        assert (own[f"agent.{index}.rate"] == first[f"agent.{index}.rate"]).all()
        slowdown, rate = first[f"agent.{index}.slowdown"], first[f"agent.{index}.rate"]
        # One rate alone for both policies: that of the first.
        assert slowdown[0] == own[f"agent.{index}.slowdown"][0]
        assert slowdown[1] * rate[1] == pytest.approx(slowdown[0] * rate[0])
    assert first["agent.0.slowdown"][1] > own["agent.0.slowdown"][1]  # it is slow alone, too
    sums = [1 / first[f"agent.{index}.slowdown"] for index in range(2)]
    assert first["weighted_speedup"].tolist() == pytest.approx((sums[0] + sums[1]).tolist())
    with pytest.raises(hmsim.InputError, match=r"alone: 'base' .*'baseline'"):
        hmsim.compare("quick", both, [pair], alone="base")
