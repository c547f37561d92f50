# SPDX-License-Identifier: BSD-3-Clause
"""Do sampled runs agree with whole runs, and are runs refused that cannot be sampled?"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hmsim import InputError, compare
from hmsim._core import Simulation
from hmsim.config.configuration import load_config
from hmsim.report import write_report
from hmsim.running.options import options
from hmsim.running.repeated_sampling import RATIO, RepeatedIpc, busy_ipc, repeat
from hmsim.running.run_directory import read_run
from hmsim.running.runner import _begin as begin
from hmsim.running.runner import run
from hmsim.running.sampling import Sampling, describe, most_runs, parse, record, sampled
from hmsim.running.workload import load_workload
from hmsim.sweep.file import load_sweep
from hmsim.sweep.plan import Planner
from hmsim.validate.row import counts
from hmsim.validate.sampling_checks import (
    BUSY,
    COLD,
    Cell,
    Estimate,
    busy_estimate,
    job,
    replicated,
    rows,
    system,
)

WINDOW = {"skip": 120_000_000, "instructions": 40_000_000}  # a part of sort with 32,768 lines read
PLAN = Sampling(windows=40, length=50_000, warmup=50_000)


def test_a_sampled_run_agrees_and_skips_no_line_of_the_nvdimm() -> None:
    config, whole = system("sort", "split"), job("sort", **WINDOW)
    truth = run(config, whole).stats
    found = run(config, sampled(whole, config, PLAN))
    for name in ("nvdimm.reads", "nvdimm.writes", "agent.0.request_latency_us.read.count"):
        assert found.stats.get(name) == truth.get(name), name
    # No instruction is left out, but for some that a core had begun when its thread was preempted.
    done = found.stats["agent.0.progress"]
    assert done == pytest.approx(truth["agent.0.progress"], abs=1_000)
    assert truth["nvdimm.reads"] > 0
    # Most DRAM accesses are left out, and the time that cores wait for them is not.
    assert found.stats["dram.reads"] < truth["dram.reads"] / 2
    assert found.stats["agent.0.sampling.skipped_loads"] > truth["dram.reads"] / 3
    assert busy_ipc(found.stats) == pytest.approx(busy_ipc(truth), rel=0.03)
    estimate = busy_estimate(found.stats)
    assert 0 < estimate.half < 0.05 * estimate.value


def test_the_same_seed_samples_the_same_windows() -> None:
    config, whole = system("sort", "split"), job("sort", **WINDOW)
    plan = sampled(whole, config, PLAN)
    first, again, other = (run(config, plan, seed=seed).stats for seed in (1, 1, 2))
    assert dict(first) == dict(again)
    assert first["agent.0.sampling.wait_ns"] != other["agent.0.sampling.wait_ns"]


def test_a_sampled_run_continues_exactly_from_a_checkpoint() -> None:
    config = system("sort", "split")
    plan = sampled(job("sort", **WINDOW), config, PLAN)

    def statistics(simulation: Simulation) -> dict[str, str]:
        while not simulation.run(10_000):
            pass
        return {each["path"]: str(each["value"]) for each in simulation.statistics()}

    whole = statistics(begin(config, plan, options(1))[0])
    for steps in (3_000, 40_000, 77_000):
        first, then = (begin(config, plan, options(1))[0] for _ in range(2))
        first.run(steps)
        then.load(first.save(), "checkpoint")
        assert statistics(then) == whole


def test_each_part_of_the_plan_acts() -> None:
    config, whole = system("sort", "split"), job("sort", **WINDOW)
    waits = {
        run(config, sampled(whole, config, plan)).stats["agent.0.sampling.wait_ns"]
        for plan in (PLAN, Sampling(20, 50_000, 50_000), Sampling(40, 20_000, 50_000))
    }
    later = run(config, sampled(whole, config, Sampling(40, 50_000, 0)))
    assert len({*waits, later.stats["agent.0.sampling.wait_ns"]}) == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("windows=200,lenght=1", ["lenght", "'length'?"]),
        ("length=1000", ["windows", "required"]),
        ("windows=2", ["windows", "10", "2"]),
        ("windows=20,windows=30", ["windows", "twice"]),
        ("windows=20,warmup=soon", ["warmup", "soon"]),
        ("windows=20,half_width=0", ["half_width", "1%", "50%", "got '0'"]),
        ("windows=20,half_width=0.9%", ["half_width", "got '0.9%'"]),
        ("windows=20,half_width=80%", ["half_width", "got '80%'"]),
        ("windows=20,half_width=-1%", ["half_width", "got '-1%'"]),
        ("windows=20,half_width=nan", ["half_width", "got 'nan'"]),
        ("windows=20,half_width=small", ["half_width", "got 'small'"]),
    ],
)
def test_a_wrong_plan_is_named(text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as found:
        parse(text)
    assert all(word in str(found.value) for word in ["--sample", *words]), found.value
    assert "\n" not in str(found.value)


def test_runs_that_cannot_be_sampled_are_refused_with_the_reason(tmp_path: Path) -> None:
    config = system("sort", "split")
    two = load_workload({"agents": [dict(job("sort").agents[0].flat())] * 2})
    text = tmp_path / "a.job"
    text.write_text("thread main\ncompute 10\n")
    own = load_workload({"agents": [{"kind": "job", "path": str(text), "format": "job"}]})
    cores = load_config("mascots16", {"frontend.node.machine": "table3"}).with_policy("split")
    for workload, system_, reason in (
        (two, config, "one job"),
        (own, config, "capture with causes"),
        (job("sort"), cores, "frontend.node.machine"),
    ):
        with pytest.raises(InputError, match=reason) as found:
            sampled(workload, system_, PLAN)
        assert "\n" not in str(found.value)
    with pytest.raises(InputError, match="windows: must be at most 200 "):
        sampled(job("sort", **WINDOW), config, Sampling(1_000, 50_000, 50_000))
    with pytest.raises(InputError, match=r"sampling: frontend\.node\.machine"):
        run(cores, job("sort", **{"sampling.period": 1_000_000}))


def test_commands_that_print_ipc_refuse_a_sampled_job(tmp_path: Path) -> None:
    plan = job("sort", **{"sampling.period": 1_000_000})
    words = r"sampling: compare prints IPC and latencies, .* use 'hmsim run'"
    with pytest.raises(InputError, match=words):
        compare("quick", ["split", "hms"], [plan])
    settings = [each for each in plan.agents[0].flat() if each[0] != "kind"]
    lines = "".join(f"    {name}: {value}\n" for name, value in settings)
    (tmp_path / "job.yaml").write_text(f"agents:\n  - kind: job\n{lines}")
    sweep = tmp_path / "sweep.yaml"
    sweep.write_text("grid: {workload: [job.yaml], policy: [split, hms]}\n")
    with pytest.raises(InputError, match=r"job\.yaml:\d+: sampling: sweep prints IPC"):
        Planner(load_sweep(sweep)).plan()


def test_only_the_metric_that_passed_is_shown() -> None:
    config, whole = system("dfsioe_w", "split"), job("dfsioe_w", instructions=12_000_000)
    found = run(config, sampled(whole, config, Sampling(20, 20_000, 20_000)))
    line = describe(found.stats, None)
    assert f"write amplification {found.stats['nvdimm.ftl.waf']:.0f};" in line
    assert "IPC is estimated with half_width" in line and "\n" not in line
    line = describe(found.stats, RepeatedIpc(5, 2.0, 0.1, 0.06))
    assert "IPC while threads run 2 +- 5.00%, from 5 runs" in line and "\n" not in line


def test_an_ipc_whose_interval_is_too_wide_is_not_published() -> None:
    plan = job("sort", **{"sampling.period": 1_000_000})
    stats = {"agent.0.sampling.windows": 40.0}
    wide, narrow = (RepeatedIpc(8, 2.0, half, 0.05) for half in (0.102, 0.098))
    assert not wide.reached and narrow.reached
    line = describe(stats, wide)
    assert "IPC is not estimated: after 8 runs, as many as are made, half its interval is" in line
    assert "5.10%" in line
    assert "5.00% wanted" in line and "\n" not in line
    assert record(plan, stats, wide) == {"sampled": {"windows": 40, "estimated": []}}
    entry = record(plan, stats, narrow)["sampled"]
    assert entry["estimated"] == ["busy_ipc"] and entry["busy_ipc"] == 2.0


def test_records_of_a_sampled_run_are_marked_and_hold_estimates_only(tmp_path: Path) -> None:
    config, whole = system("dfsioe_w", "split"), job("dfsioe_w", instructions=12_000_000)
    found = run(config, sampled(whole, config, Sampling(20, 20_000, 20_000)))
    mark = {"windows": found.stats["agent.0.sampling.windows"], "estimated": ["nvdimm.ftl.waf"]}
    row = found.record()
    assert row["sampled"] == mark
    values = set(row) - {"workload", "config", "policy", "seed", "sampled"}
    assert {name for name in values if ".sampling." not in name} == {"nvdimm.ftl.waf"}
    found.save(tmp_path / "run")
    left = read_run(tmp_path / "run")
    assert left.origin["sampled"] == mark
    assert set(left.stats) == values
    # A whole run is not marked.
    config = system("sort", "split")
    plain = run(config, job("sort", instructions=1_000_000))
    assert "sampled" not in plain.record() and "sampled" not in plain.origin()
    assert "agent.0.ipc" in plain.record()


def test_an_interval_for_one_run_by_hand() -> None:
    # Mean 3, standard deviation 1.5811, t(4) = 2.776: half is 2.776 * 1.5811 * sqrt(1 + 1/5).
    found = replicated("IPC", [1, 2, 3, 4, 5])
    assert (found.value, found.half) == pytest.approx((3, 4.8081), rel=1e-4)
    assert found.covers(7.8) and not found.covers(7.9)


def test_runs_are_repeated_until_the_half_width_is_reached() -> None:
    asked: list[int] = []

    def stats(number: int) -> dict[str, float]:
        asked.append(number)
        ipc = 1 + 0.01 * (number % 2)  # its standard deviation is 0.005 to 0.006
        return {"agent.0.ipc": ipc, "sim.ticks": 8.0, "agent.0.time.running": 4.0, RATIO: 2.0}

    # Four runs: 3.182 * 0.00577 * sqrt(1 + 1/4) / 1.005 = 2.04 %. Five: 2.776 * 0.00548 *
    # sqrt(1.2) / 1.004 = 1.66 %. Six: 2.571 * 0.00548 * sqrt(7/6) / 1.005 = 1.51 %.
    for wanted, runs in ((0.03, 4), (0.017, 5), (0.016, 6), (0.001, 9)):
        asked.clear()
        found = repeat(wanted, 9, stats)
        assert asked == [*range(runs)] and found.runs == runs
        assert found.wanted == wanted and found.reached == (runs < 9)


def test_repeated_runs_simulate_at_most_as_much_as_the_whole_job() -> None:
    whole = job("sort", **WINDOW)  # 40 million instructions, 4 million of them in windows
    assert most_runs(whole, PLAN) == 10
    assert most_runs(whole, Sampling(100, 50_000, 150_000)) == 4


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({"request_log": True}, "request log"),
        ({"command_log": 100}, "command log"),
    ],
)
def test_logs_of_a_sampled_run_are_refused(asked: dict[str, Any], word: str) -> None:
    plan = job("sort", **{"sampling.period": 1_000_000})
    with pytest.raises(InputError, match=f"sampling: a sampled run has no {word}") as found:
        run(system("sort", "split"), plan, **asked)
    assert "\n" not in str(found.value)


def test_a_time_series_of_a_sampled_run_is_refused() -> None:
    own = {"frontend.node.machine": "dma", "frontend.series_interval": "1ms"}
    plan = job("sort", **{"sampling.period": 1_000_000})
    with pytest.raises(InputError, match="a sampled run has no time series"):
        run(load_config("mascots16", own).with_policy("split"), plan)


def test_a_report_of_a_sampled_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, whole = system("dfsioe_w", "split"), job("dfsioe_w", instructions=12_000_000)
    run(config, sampled(whole, config, Sampling(20, 20_000, 20_000))).save(tmp_path / "run")
    words = r"run: is a sampled run, without .* run\.json and stats\.json"
    with pytest.raises(InputError, match=words):
        write_report([str(tmp_path / "run")], str(tmp_path / "report.html"), False)
    assert "is a sampled run: it estimates nvdimm.ftl.waf only" in capsys.readouterr().err


def test_verdicts_need_covered_cells_and_a_wrong_model_that_fails() -> None:
    def cells(metric: str, misses: int, half: float) -> list[Cell]:
        estimate = Estimate(metric, 1.0, half)
        truths = [2.0] * misses + [1.0] * (24 - misses)
        return [Cell("sort", "split", metric, truth, estimate, math.nan) for truth in truths]

    def verdicts(misses: int, half: float, cold: int) -> list[bool]:
        return [row.ok for row in rows([*cells(BUSY, misses, half), *cells(COLD, cold, 0.1)])]

    assert verdicts(1, 0.04, 24) == [True, True, True]
    assert verdicts(2, 0.04, 24) == [False, True, True]  # 92 % are covered
    assert verdicts(1, 0.06, 24) == [True, False, True]
    assert verdicts(1, 0.04, 1) == [True, True, False]  # the wrong model passes
    assert counts(list(rows(cells(BUSY, 2, 0.04)))) == "bands: 1 of 2 hold"
    # Cells that are not published count for the width only.
    refused = [replace(cell, published=False) for cell in cells(BUSY, 2, 0.06)[:2]]
    assert [row.ok for row in rows([*cells(BUSY, 1, 0.04), *refused])] == [True, False]
