# SPDX-License-Identifier: BSD-3-Clause
"""Does every public function accept what the others return, if the types fit?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import hmsim
import pytest
from hmsim.report import write_report
from hooks import workload
from support import succeed

POLICIES = ["unified_fr_fcfs", "split", "hms"]  # not in alphabetical order
RATE, ALONE = "agent.0.rate", "agent.1.rate"
# They need Optuna, take seconds, or return no value of these types.
ELSEWHERE = {"device_curve", "fit", "get_include", "get_library"}


@pytest.fixture
def made() -> Mapping[str, Mapping[str, Any]]:
    """What public functions return, by type and origin."""
    path = workload()
    config, loaded = hmsim.load_config("quick"), hmsim.load_workload(path)
    bundle = hmsim.Bundle("mine", base="split")
    result = hmsim.run(config, loaded)
    points = [
        hmsim.point(config, loaded, policy=policy, seed=seed)
        for policy, seed in itertools.product(POLICIES, (1, 2))
    ]
    Path("s.yaml").write_text(f"grid: {{workload: w.yaml, policy: [{', '.join(POLICIES)}]}}\n")
    result.save("run")
    policies = itertools.chain.from_iterable(("--policy", each) for each in POLICIES)
    succeed("compare", "quick", *policies, "--workload", path, "--seeds", "2", "--out", "compared")
    tables = {
        "compare": hmsim.compare(config, POLICIES, [loaded], seeds=2),
        "run_points": hmsim.run_points(points, "points", jobs=1),
        "run_sweep": hmsim.run_sweep("s.yaml", "swept", jobs=1),
        **{f"load_results {n}": hmsim.load_results(n) for n in ("run", "compared", "swept")},
    }
    tables["summary"] = hmsim.summary(tables["compare"], [RATE, ALONE])
    return {
        "config": {"load_config": config, "run": result.config, "point": points[0].config},
        "workload": {"load_workload": loaded, "run": result.workload, "point": points[0].workload},
        "policy": {"Bundle": bundle},
        "points": {"point": points},
        "table": tables,
        "numbers": {name: table[RATE] for name, table in tables.items()},
        "runs": {"run": Path("run"), "compare": Path("compared")},
        "results": {name: Path(name) for name in ("run", "compared", "points", "swept")},
    }


def takers(made: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[str, Callable[[Any], object]]]:
    """What public functions take: the type, and a call with a value of it."""
    config, loaded = made["config"]["load_config"], made["workload"]["load_workload"]
    fresh = map(str, itertools.count())
    return {
        "run config": ("config", lambda each: hmsim.run(each, loaded)),
        "compare config": ("config", lambda each: hmsim.compare([each, "mascots16"], [], [loaded])),
        "point config": ("config", lambda each: hmsim.point(each, loaded)),
        "System": ("config", hmsim.System),
        "run workload": ("workload", lambda each: hmsim.run(config, each)),
        "compare workload": ("workload", lambda each: hmsim.compare(config, ["hms"], [each])),
        "point workload": ("workload", lambda each: hmsim.point(config, each)),
        "run policy": ("policy", lambda each: hmsim.run(config, loaded, policy=each)),
        "compare policy": ("policy", lambda each: hmsim.compare(config, [each], [loaded])),
        "point policy": ("policy", lambda each: hmsim.point(config, loaded, policy=each)),
        "run_points": ("points", lambda each: hmsim.run_points(each, f"p{next(fresh)}", jobs=1)),
        "summary": ("table", lambda each: hmsim.summary(each, [RATE])),
        "plot": ("table", lambda each: hmsim.plot(each, y=RATE)),
        "geometric_mean": ("numbers", hmsim.geometric_mean),
        "bootstrap_interval": ("numbers", lambda x: hmsim.bootstrap_interval(x, resamples=100)),
        "weighted_speedup": ("numbers", lambda each: hmsim.weighted_speedup(each, each)),
        "harmonic_speedup": ("numbers", lambda each: hmsim.harmonic_speedup(each, each)),
        "maximum_slowdown": ("numbers", lambda each: hmsim.maximum_slowdown(each, each)),
        "speedup": ("numbers", lambda each: hmsim.speedup(each[0], each[0])),
        "report": ("runs", lambda each: write_report([each], f"{next(fresh)}.html")),
        "load_results": ("results", hmsim.load_results),
    }


def test_each_pair_composes_and_policies_keep_their_order(
    made: Mapping[str, Mapping[str, Any]],
) -> None:
    known = takers(made)
    for name, (kind, call) in known.items():
        for origin, value in made[kind].items():
            try:
                call(value)
            except Exception as error:
                pytest.fail(f"{name} of what {origin} gave: {type(error).__name__}: {error}")
    named = {name.split()[0] for name in [*known, *(n for own in made.values() for n in own)]}
    functions = {name for name in hmsim.__all__ if name[0].islower() and name[0] != "_"}
    assert functions - named - ELSEWHERE == set()
    for origin, table in made["table"].items():
        if origin != "load_results run":
            assert list(dict.fromkeys(table["policy"])) == POLICIES, origin
            assert list(hmsim.summary(table, [RATE])["policy"]) == POLICIES, origin


def test_a_comparison_of_configurations_loads_with_its_own_rows() -> None:
    path = workload()
    succeed("compare", "quick,split", "mascots16", "--workload", path, "--out", "compared")
    found, expected = (
        hmsim.load_results("compared"),
        hmsim.compare(["quick,split", "mascots16"], [], [path], seeds=3),
    )
    assert list(found["config"]) == list(expected["config"]) == ["quick", "mascots16"] * 3
    for name in ("agent.0.speedup", "weighted_speedup"):
        assert list(found[name]) == pytest.approx(list(expected[name]))
