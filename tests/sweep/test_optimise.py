# SPDX-License-Identifier: BSD-3-Clause
"""Does the search find what is best, without simulating anything twice?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pytest
from hmsim.config.node_reader import Value
from hmsim.points.point import Outcome
from hmsim.runs.runner import statistic_names
from hmsim.style.plot import means
from hmsim.sweep.file import Combination, load_sweep
from hmsim.sweep.optimise import best, front, search
from hmsim.sweep.plan import Planner, check_statistics
from hooks import workload
from support import fail, succeed

SEARCH = """\
grid: {workload: w.yaml, policy: [split, hms]}
samples:
  method: optimise
  count: %d
  objective: %s
  direction: %s
  over: {policies.harmonic.weight: {from: 0.1, to: 0.9}, controller.queue_depth: [32, 64, 128]}
"""


def search_file(count: int, objective: str, direction: str) -> Path:
    workload()
    path = Path("s.yaml")
    path.write_text(SEARCH % (count, objective, direction))
    return path


def bowl(combinations: list[Combination]) -> list[Outcome]:
    """Return a cost that is least at w = 0.7 and depth 64, and differs from policy to policy."""
    found = []
    for values in combinations:
        weight = float(values["policies.harmonic.weight"].text)
        depth = int(values["controller.queue_depth"].text)
        cost = (weight - 0.7) ** 2 + (depth != 64) + (values["policy"].text == "hms")
        found.append(Outcome("", {"cost": cost, "gain": weight}))
    return found


def test_the_search_approaches_the_best_and_is_deterministic() -> None:
    pytest.importorskip("optuna")
    sweep = load_sweep(search_file(60, "cost", "minimise"))
    trials = search(sweep, bowl)  # type: ignore[arg-type]
    (found,) = best(sweep, trials)
    assert abs(float(found.values["policies.harmonic.weight"]) - 0.7) < 0.05
    assert found.values["controller.queue_depth"] == "64"
    assert found.objectives is not None and found.objectives[0] == pytest.approx(0.5, abs=0.01)
    assert search(sweep, bowl) == trials  # type: ignore[arg-type]


def test_several_objectives_give_a_front() -> None:
    pytest.importorskip("optuna")
    sweep = load_sweep(search_file(30, "[cost, gain]", "[minimise, maximise]"))
    kept = best(sweep, search(sweep, bowl))  # type: ignore[arg-type]
    pairs = sorted(trial.objectives for trial in kept if trial.objectives)
    assert [gain for _, gain in pairs] == sorted(gain for _, gain in pairs)


def test_the_front_holds_the_undominated_points() -> None:
    assert front([(1, 3), (2, 2), (3, 1), (2, 3), (2, 2)]) == [True, True, True, False, True]
    assert front([]) == []


@pytest.mark.slow
def test_a_search_from_the_command_line_resumes_and_plots() -> None:
    pytest.importorskip("optuna")
    pytest.importorskip("matplotlib")
    file = search_file(3, "agent.0.rate", "maximise")
    text = succeed("sweep", file, "--jobs", "1")
    assert "best" in text
    points = {path.stat().st_mtime_ns for path in Path("s/points").iterdir()}
    assert len(hmsim.load_results("s")) == 6
    assert succeed("sweep", file, "--jobs", "1").split("in")[0] == text.split("in")[0]
    assert points == {path.stat().st_mtime_ns for path in Path("s/points").iterdir()}


@pytest.mark.slow
def test_errors_of_searches_and_trade_offs_are_reported() -> None:
    pytest.importorskip("optuna")
    succeed("sweep", search_file(1, "agent.0.rate", "maximise"), "--jobs", "1")
    nothing = fail("sweep", search_file(2, "agent.0.rte", "maximise"), "--jobs", "1")
    assert "'agent.0.rate'" in nothing
    table = hmsim.load_results("s")
    hmsim.plot(table, "dram.read_latency_ns.mean", "dram.reads", out="own.svg")
    hmsim.plot(table, "dram.read_latency_ns.mean:min", "dram.reads:max", out="same.svg")
    assert Path("own.svg").read_bytes() == Path("same.svg").read_bytes()
    assert list(means(table, ["dram.reads"])["policy"].unique()) == ["split", "hms"]
    assert "--dry-run" in fail("sweep", search_file(2, "a", "maximise"), "--dry-run")


@pytest.mark.slow
def test_statistics_of_one_policy_alone_are_known() -> None:
    workload()
    Path("g.yaml").write_text("grid: {workload: w.yaml, policy: [split, firm]}\n")
    points = [planned.point for planned in Planner(load_sweep("g.yaml")).plan() if planned.point]
    names = [statistic_names(p.config, p.workload, p.options) for p in points]
    for name in names[0] | names[1]:
        check_statistics([Value(name, "")], points)
    finished = hmsim.run("quick", "w.yaml", policy="firm")
    assert set(finished.stats) <= names[1]
