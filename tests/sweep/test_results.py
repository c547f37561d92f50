# SPDX-License-Identifier: BSD-3-Clause
"""Do the metrics equal those computed by hand, and does every directory become a table?"""

from __future__ import annotations

import math
from pathlib import Path

import hmsim
import pandas as pd
import pytest
from hmsim.common.intervals import mean_interval, quantile95
from hmsim.sweep.results import read_table, write_table
from hooks import Counting, workload


def test_measures_match_their_definitions() -> None:
    together, alone = [1.0, 3.0], [2.0, 4.0]  # slowdowns 2 and 4/3
    assert hmsim.speedup(3, 2) == 1.5
    assert hmsim.weighted_speedup(together, alone) == 1.25
    assert hmsim.harmonic_speedup(together, alone) == pytest.approx(0.6)  # 2 / (2 + 4/3)
    assert hmsim.maximum_slowdown(together, alone) == 2
    assert hmsim.geometric_mean([1, 4, 16]) == pytest.approx(4)
    for wrong in ([], [1, 0], [1, -1]):
        with pytest.raises(ValueError, match="geometric"):
            hmsim.geometric_mean(wrong)
    with pytest.raises(ValueError, match="each agent"):
        hmsim.weighted_speedup([1], [1, 2])


def test_the_mean_interval_matches_a_calculation() -> None:
    # Mean 3, variance 2.5, t(4) = 2.776: half a width of 2.776 * sqrt(2.5 / 5) = 1.963.
    mean, low, high = mean_interval([1, 2, 3, 4, 5])
    assert (mean, low, high) == pytest.approx((3, 3 - 1.96293, 3 + 1.96293), rel=1e-5)
    assert mean_interval([7])[0] == 7 and math.isnan(mean_interval([7])[1])
    assert all(math.isnan(part) for part in mean_interval([]))
    # Tables of Student's t: 40, 120 and 1,000 degrees of freedom.
    for freedom, quantile in ((1, 12.706), (30, 2.042), (40, 2.021), (120, 1.980), (1000, 1.962)):
        assert quantile95(freedom) == pytest.approx(quantile, abs=1e-3)


def test_bootstrap_is_the_binomial_of_two_values_and_repeats_itself() -> None:
    # The mean of 10 draws of 0 or 1: below 0.2 with 1.1 %, at most 0.2 with 5.5 %.
    values = [0.0, 1.0] * 5

    def mean(numbers: object) -> float:
        return sum(numbers) / len(numbers)  # type: ignore[arg-type,call-overload]

    found = hmsim.bootstrap_interval(values, mean, level=0.95)
    assert found == pytest.approx((0.2, 0.8))
    assert found == hmsim.bootstrap_interval(values, mean, level=0.95)
    assert hmsim.bootstrap_interval([3, 3, 3]) == pytest.approx((3, 3))
    for wrong in (([], 0.9), ([1], 0), ([1], 1)):
        with pytest.raises(ValueError, match="needs values"):
            hmsim.bootstrap_interval(wrong[0], level=wrong[1])


def test_summary_is_over_seeds() -> None:
    runner = Counting(".")
    points = [
        hmsim.point("quick", workload(), policy=policy, seed=seed, runner=runner)
        for policy in ("split", "hms")
        for seed in (1, 2, 3)
    ]
    table = hmsim.run_points(points, "out", jobs=1)
    means = hmsim.summary(table, ["seed.square"])
    assert list(means["policy"]) == ["split", "hms"] and list(means["runs"]) == [3, 3]
    assert means["seed.square"][0] == pytest.approx(14 / 3)
    assert means["seed.square.low"][0] == pytest.approx(14 / 3 - 4.303 * math.sqrt(49 / 3 / 3))
    assert "seed" not in means.columns


def test_summary_leaves_failed_points_out() -> None:
    Path("verdict").write_text("2 error\n4 error\n")
    points = [hmsim.point("quick", workload(), seed=n, runner=Counting(".")) for n in (1, 2, 3)]
    means = hmsim.summary(hmsim.run_points(points, "out", jobs=1), ["seed.square"])
    assert list(means["runs"]) == [2] and means["seed.square"][0] == (1 + 9) / 2
    points = [
        hmsim.point("quick", workload(), policy=policy, seed=seed, runner=Counting("."))
        for policy, seed in (("split", 4), ("hms", 1))
    ]
    means = hmsim.summary(hmsim.run_points(points, "out", jobs=1), ["seed.square"])
    assert list(means["runs"]) == [0, 1] and math.isnan(means["seed.square"][0])


def test_a_run_a_folder_of_runs_and_a_comparison_load() -> None:
    path = workload()
    config = hmsim.load_config("quick")
    for depth in (32, 64):
        changed = hmsim.load_config("quick", {"controller.queue_depth": depth})
        hmsim.run(changed, path, policy="split").save(f"runs/{depth}")
    one = hmsim.load_results("runs/64")
    expected = hmsim.run(changed, path, policy="split")
    assert {name: one[name][0] for name in expected.stats} == expected.stats
    assert one.attrs["units"] == expected.units
    assert one.attrs["axes"] == ["config", "policy", "workload", "seed"]
    both = hmsim.load_results("runs")
    assert list(both["controller.queue_depth"]) == [32, 64]

    from support import succeed

    policies = ("--policy", "unified_fr_fcfs", "--policy", "split")
    succeed("compare", "--seeds", "1", "quick", *policies, "--workload", path, "--out", "compared")
    table = hmsim.load_results("compared").set_index("policy")
    compared = hmsim.compare(config, ["unified_fr_fcfs", "split"], [path]).set_index("policy")
    for name in ("agent.0.rate", "agent.0.speedup", "weighted_speedup", "max_slowdown"):
        assert table[name].to_dict() == pytest.approx(compared[name].to_dict())
    assert table["dram.reads"].notna().all()


def test_a_path_without_results_is_reported() -> None:
    for name in ("nothing", "empty"):
        Path("empty").mkdir(exist_ok=True)
        with pytest.raises(hmsim.InputError):
            hmsim.load_results(name)
    Path("x.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(hmsim.InputError, match="not a table"):
        hmsim.load_results("x.parquet")
    Path("damaged").mkdir()
    for content in ("", "{}", "[1]", '[{"point": 3}]'):
        Path("damaged/plan.json").write_text(content)
        with pytest.raises(hmsim.InputError, match=r"plan\.json"):
            hmsim.load_results("damaged")


def test_parquet_keeps_units_axes_and_mixed_values() -> None:
    table = pd.DataFrame(
        {"policy": [None, None], "size": ["4MiB", 5], "point": ["a", "b"], "x": [1.5, None]}
    )
    table.attrs.update(axes=["policy", "size"], units={"x": "ns"})
    write_table(table, Path("t.parquet"))
    found = read_table(Path("t.parquet"))
    assert found.attrs == table.attrs
    assert list(found["size"]) == ["4MiB", "5"] and found["x"][0] == 1.5
    assert found["x"].isna()[1] and found["policy"].isna().all()
