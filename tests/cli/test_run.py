# SPDX-License-Identifier: BSD-3-Clause
"""Do runs and comparisons write what they promise, the same every time, whole or not at all?"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import hmsim
import pandas as pd
import pytest
from hmsim.common.tables import number
from hmsim.config.settings import nested
from support import STREAM, core_trace, fail, invoke, parsed, succeed, write

RUN_FILES = {"config.yaml", "stats.json", "run.json"}
POLICIES = ("--policy", "unified_fr_fcfs", "--policy", "split", "--policy", "split_dram_first")


def test_a_run_directory_is_complete(tmp_path: Path, workload: Path) -> None:
    out = tmp_path / "out"
    printed = parsed(
        *("run", "quick", "--workload", workload, "--policy", "split", "--seed", "7"),
        *("--set", "controller.queue_depth=64", "--out", out),
    )
    assert {path.name for path in out.iterdir()} == RUN_FILES
    names = ("workload", "config", "policy", "seed")
    assert [printed.pop(name) for name in names] == ["mix", "quick", "split", 7]
    verdict = {name for name in printed if name.startswith(("bound.", "contest."))}
    assert len(verdict) == 2 * 4
    assert json.loads((out / "stats.json").read_text()) == nested(
        (name, value) for name, value in printed.items() if name not in verdict
    )
    origin = json.loads((out / "run.json").read_text())
    assert origin["seed"] == 7
    assert origin["policy"] == "split"
    assert origin["versions"]["hmsim"] == hmsim.__version__
    assert origin["host"]["seconds"] > 0
    assert origin["workload"]["name"] == "mix"
    config = hmsim.load_config(out / "config.yaml")
    assert config.resolved()["controller.queue_depth"] == "64"
    assert config.resolved()["controller.queues"] == "split"


def test_a_run_repeats_itself_to_the_byte(tmp_path: Path, workload: Path) -> None:
    for name in ("one", "two"):
        succeed("run", "quick", "--workload", workload, "--out", tmp_path / name)
    for file in ("stats.json", "config.yaml"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_its_own_configuration_gives_the_same_run(tmp_path: Path, workload: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    succeed("run", "quick", "--workload", workload, "--policy", "split", "--out", one)
    succeed("run", one / "config.yaml", "--workload", workload, "--out", two)
    for file in ("stats.json", "config.yaml"):
        assert (one / file).read_bytes() == (two / file).read_bytes()


def test_the_seed_matters(workload: Path) -> None:
    one, two = (parsed("run", "quick", "--workload", workload, "--seed", s) for s in ("1", "2"))
    assert one != two


def test_warm_up_shortens_the_measurement(tmp_path: Path, workload: Path) -> None:
    whole = parsed("run", "quick", "--workload", workload)
    later = parsed("run", "quick", "--workload", workload, "--warmup", "20us")
    assert later != whole
    assert later["agent.0.progress"] > 0


def test_the_option_for_limits_the_time(workload: Path) -> None:
    stats = parsed("run", "quick", "--workload", workload, "--for", "5us")
    assert stats["sim.ticks"] == 5e6
    told = succeed("run", "quick", "--workload", workload, "--for", "5us")
    assert "frontend.time_limit ended the run" in told


def test_standard_output_is_json_alone_and_tables_fit_80_columns(
    workload: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for arguments in (
        ("run", "quick", "--workload", workload),
        ("compare", "--seeds", "1", "quick", *POLICIES, "--workload", workload),
        *(("policies",), ("params",), ("configs",), ("workloads",)),
    ):
        assert parsed(*arguments)
        assert all(len(line) <= 80 for line in succeed(*arguments).splitlines())


def test_a_comparison_s_table_matches_its_json(workload: Path) -> None:
    compare = ("compare", "--seeds", "1", "quick", *POLICIES, "--workload", workload)
    rows = parsed(*compare)
    lines = succeed(*compare).splitlines()
    assert lines[0] == "mix on quick, one seed (1)"
    for label, name, factor in (
        ("DRAM read, p99 (ns)", "dram.read_latency_ns.p99", 1),
        ("flash DIMM request, mean (us)", "nvdimm.line_latency_ns.mean", 1e-3),
        ("time > 104 flash DIMM entries (%)", "nvdimm.queue.share_over_104", 100),
        ("agent 0, requests/s", "agent.0.rate", 1),
    ):
        (line,) = [line for line in lines if line.strip().startswith(label)]
        assert line.strip()[len(label) :].split() == [number(factor * row[name]) for row in rows]


def test_params_lists_by_prefix() -> None:
    names = [info["name"] for info in parsed("params", "dram.timing")]
    assert names
    assert all(name.startswith("dram.timing.") for name in names)
    assert "agents.synthetic.pattern = " in succeed("params", "agents.synthetic")


def test_the_option_until_steady_ends_a_run(tmp_path: Path) -> None:
    text = "agents: [{kind: io_pattern, threads: 16, size: 4KiB, requests: 1000000}]"
    told = succeed(
        "run", "quick", "--workload", write(tmp_path / "w.yaml", text), "--until", "steady"
    )
    assert "steady rates (frontend.until) ended the run" in told


def test_params_lists_parts_policies_and_agents_only_when_asked_for() -> None:
    listed = {info["name"] for info in parsed("params")}
    everything = {info["name"] for info in parsed("params", "--all")}
    assert {"controller.queues", "dram.preset", "nvdimm.nand.preset"} < listed < everything
    rest = everything - listed
    assert {"dram.timing.CL", "policies.tcm.quantum", "agents.pattern.requests"} < rest
    assert f"\n{len(rest)} more describe parts, policies and agents" in succeed("params")
    assert " more " not in succeed("params", "dram").splitlines()[-1]


def test_check_flat_prints_every_parameter() -> None:
    lines = succeed("check", "quick", "--flat", "--policy", "split").splitlines()
    assert "controller.queues=split" in lines
    capacities = hmsim.load_config("quick").capacities()
    assert lines[:2] == [f"# bytes of {memory}={size}" for memory, size in capacities.items()]
    assert capacities["dram"] == 2 << 30
    assert len(lines) == 2 + len(parsed("check", "quick"))


def test_a_time_series_is_written_when_asked_for(tmp_path: Path, workload: Path) -> None:
    out = tmp_path / "out"
    run = ("run", "quick", "--workload", workload, "--seed", "3")
    plain = parsed(*run)
    assert parsed(*run, "--set", "frontend.series_interval=5us", "--out", out) == plain
    assert {path.name for path in out.iterdir()} == {*RUN_FILES, "series.parquet"}
    series = pd.read_parquet(out / "series.parquet")
    assert series.index.name == "time_ps"
    assert list(series.index[:3]) == [5 * 10**6, 10 * 10**6, 15 * 10**6]
    assert len(series) == plain["sim.ticks"] // (5 * 10**6)
    assert series.attrs["units"]["dram.read_latency_ns.mean"] == "ns"
    assert series.attrs["interval_ps"] == 5 * 10**6
    assert series["sim.requests"].is_monotonic_increasing
    assert 0 < series["sim.requests"].iloc[-1] <= plain["sim.requests"]
    result = hmsim.run(hmsim.load_config(out / "config.yaml"), workload, seed=3)
    assert result.series is not None
    pd.testing.assert_frame_equal(result.series, series)
    assert hmsim.run("quick", workload).series is None


def test_force_replaces_a_run_and_nothing_else(tmp_path: Path, workload: Path) -> None:
    out = tmp_path / "out"
    run = ("run", "quick", "--workload", workload, "--out", out)
    succeed(*run)
    write(out / "extra.txt", "from before")
    fail(*run)
    assert (out / "extra.txt").exists()
    succeed(*run, "--force")
    assert {path.name for path in out.iterdir()} == RUN_FILES
    assert {path.name for path in tmp_path.iterdir()} == {"mix.yaml", "out"}


def test_a_fault_of_the_simulator_has_status_1(
    workload: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: Any, **_options: Any) -> None:
        raise hmsim.SimulatorFault("channel 0 at 5 ps: no")

    monkeypatch.setattr("hmsim.cli.run.simulate", broken)
    result = invoke("run", "quick", "--workload", workload)
    assert result.exit_code == 1
    assert "channel 0 at 5 ps: no" in result.stderr
    assert "fault of hmsim" in result.stderr
    assert "Traceback" not in result.stderr
    monkeypatch.setenv("HMSIM_DEBUG", "1")
    assert "Traceback" in invoke("run", "quick", "--workload", workload).stderr


def test_a_comparison_does_not_depend_on_jobs_or_cache(
    tmp_path: Path, workload: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "misses.trace", "".join(f"{n % 9} {n * 6400}\n" for n in range(50_000)))
    traced = "  - {kind: llc_trace, core: 2, path: misses.trace, format: ramulator}\n"
    other = write(tmp_path / "other.yaml", STREAM + traced)
    workloads = ("--workload", workload, "--workload", other)
    compare = ("compare", "--seeds", "1", "quick", *POLICIES, *workloads)
    tables = [parsed(*compare, "--jobs", "1", "--out", tmp_path / "one")]
    tables.append(parsed(*compare, "--jobs", "3"))  # solo runs come from the cache
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "fresh"))
    tables.append(parsed(*compare, "--jobs", "3", "--out", tmp_path / "three"))
    assert tables[0] == tables[1] == tables[2]
    files = sorted(p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*.*"))
    assert len([file for file in files if file.name == "stats.json"]) == 6
    for file in files:
        if file.name != "run.json":
            one, three = (tmp_path / name / file for name in ("one", "three"))
            assert one.read_bytes() == three.read_bytes(), file


def test_a_comparison_agrees_with_its_runs(tmp_path: Path, workload: Path) -> None:
    policies = ["unified_fr_fcfs", "split_dram_first"]
    table = hmsim.compare("quick", policies, [workload], jobs=2)
    assert list(table["policy"]) == policies
    runs = [hmsim.run("quick", workload, policy=policy).stats for policy in policies]
    for index, stats in enumerate(runs):
        row = table.iloc[index]
        assert row["agent.0.rate"] == stats["agent.0.rate"]
        assert row["agent.0.speedup"] == stats["agent.0.rate"] / runs[0]["agent.0.rate"]
        assert row["bus.dram_share"] == stats["bus.dram_share"]
    alone = write(tmp_path / "alone.yaml", "".join(STREAM.splitlines(True)[:2]))
    solo = hmsim.run("quick", alone, policy="split_dram_first").stats
    assert table.iloc[1]["agent.0.slowdown"] == solo["agent.0.rate"] / runs[1]["agent.0.rate"]
    assert table.iloc[0]["speedup"] == pytest.approx(1)


def test_background_agents_take_part_but_are_not_compared(tmp_path: Path) -> None:
    mix = write(tmp_path / "mix.yaml", STREAM.replace("core: 1,", "core: 1, measured: off,"))
    row = hmsim.compare("quick", ["split"], [mix]).iloc[0]
    assert row["speedup"] == 1
    assert row["weighted_speedup"] == pytest.approx(1 / row["max_slowdown"])
    assert row["agent.1.slowdown"] != row["agent.1.slowdown"]  # NaN


LONG = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, requests: 2000000000}
"""


@pytest.mark.parametrize(
    ("number", "status", "begin"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGHUP, 129, "terminated"),
    ],
)
def test_an_interrupted_command_reports_the_kept_results(
    tmp_path: Path, number: signal.Signals, status: int, begin: str
) -> None:
    write(tmp_path / "long.yaml", LONG)
    for command, kept in (
        (["run", "mascots16"], "nothing was written"),
        (["compare", "mascots16", *POLICIES], "cache"),
    ):
        command += ["--workload", "long.yaml", "--out", "out"]
        process = subprocess.Popen(
            [sys.executable, "-c", STARTED, *command],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Background jobs of a shell ignore interrupts, and the tests may be such jobs.
            preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "simulating\n"
        process.send_signal(number)
        started = time.monotonic()
        try:
            _, complaint = process.communicate(timeout=60)
        finally:
            process.kill()
        assert process.returncode == status
        assert complaint.startswith(f"hmsim: {begin}; ") and kept in complaint
        assert len(complaint.splitlines()) == 1
        assert time.monotonic() - started < 20
        assert {path.name for path in tmp_path.iterdir()} == {"long.yaml"}


# Runs the command line, and prints a line when the simulation has started.
STARTED = """\
import hmsim.runs.runner
from hmsim.cli import main
from hmsim.common.progress import Bars

def report(self, name, fraction=None):
    if not reported:
        reported.append(name)
        print("simulating", flush=True)

reported = []
Bars.report = report
main()
"""


def test_a_trace_runs_compressed_or_converted(tmp_path: Path) -> None:
    source = core_trace(tmp_path / "core.gz", 6_000, gap=350, pages=56, written=0.95)
    packed = tmp_path / "core.hmsim.zst"
    succeed("trace", "convert", source, packed, "--to", "hmsim")
    results = []
    for path, form in ((source, "ramulator"), (packed, "hmsim")):
        agent = f"{{kind: llc_trace, path: {path}, format: {form}, instructions: 2000000}}"
        workload = write(tmp_path / "w.yaml", f"agents:\n  - {agent}\n")
        results.append(parsed("run", "quick", "--workload", workload))
    assert results[0]["core.0.ipc"] > 0.1
    assert results[0]["core.0.ipc"] == pytest.approx(results[1]["core.0.ipc"], rel=0.01)


def test_an_agent_that_restarts_often_is_reported(tmp_path: Path) -> None:
    agents = "agents:\n"
    for core, requests in ((0, 30_000), (1, 30)):
        agents += f"  - {{kind: synthetic, core: {core}, target: dram, requests: {requests}}}\n"
    workload = write(tmp_path / "w.yaml", agents)
    stats = parsed("run", "quick", "--workload", workload)
    assert stats["agent.0.passes"] == 1
    passes = stats["agent.1.passes"]
    assert passes > 100
    reported = f"agent 1 did its work {number(passes)} times"
    assert reported in succeed("run", "quick", "--workload", workload)
    compare = ("compare", "quick", "--policy", "split", "--workload", workload)
    assert "times under split" in succeed(*compare)
