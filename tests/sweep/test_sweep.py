# SPDX-License-Identifier: BSD-3-Clause
"""Does a sweep make the points of its file, and resume whatever ends it?"""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import hmsim
import pytest
from hmsim import InputError
from hmsim.common.directories import LOCK, SCRATCH
from hmsim.common.paths import shipped
from hmsim.points.store import Store
from hmsim.sweep.file import load_sweep
from hmsim.sweep.plan import Planner, sweep_directory
from hooks import workload
from messages import naming
from support import REPO, fail, invoke, succeed

HERE = Path(__file__).parent
SWEEP = """\
config: quick
grid:
  workload: [w.yaml]
  policy: [split, hms]
  policies.harmonic.weight: {from: 0.2, to: 0.8, count: 3}
seeds: 2
show: [dram.reads]
"""


def sweep_file(text: str = SWEEP) -> Path:
    workload()
    path = Path("s.yaml")
    path.write_text(text)
    return path


def planned(text: str) -> list[dict[str, object]]:
    return [dict(each.labels) for each in Planner(load_sweep(sweep_file(text))).plan()]


def test_a_grid_is_every_combination_in_order() -> None:
    labels = planned(SWEEP)
    assert [(e["policy"], e["policies.harmonic.weight"], e["seed"]) for e in labels] == [
        *itertools.product(["split", "hms"], [0.2, 0.5, 0.8], [1, 2])
    ]


def test_a_plan_combines_lists_samples_conditions_and_common_values() -> None:
    labels = planned(
        """\
set: {controller.channels: 1}
grid: {workload: w.yaml, policy: [split, hms]}
points:
  - {controller.queue_depth: 64, agent.0.requests: 10}
  - {controller.queue_depth: 32, agent.0.requests: 20}
samples: {method: sobol, count: 4, over: {policies.harmonic.weight: {from: 0.1, to: 0.9}}}
where:
  - policy == 'hms' or controller.queue_depth < 64
"""
    )
    assert len(labels) == 2 * 2 * 4 - 4
    assert {e["controller.queue_depth"] for e in labels if e["policy"] == "split"} == {32}
    assert len({e["policies.harmonic.weight"] for e in labels}) == 4
    assert "controller.channels" not in labels[0] and labels[0]["agent.0.requests"] == 10


def test_keys_of_agents_reach_the_agents() -> None:
    sweep_file("grid: {workload: w.yaml, agent.0.requests: [50, 100]}")
    Path("w.yaml").write_text(
        "agents:\n  - {kind: synthetic, target: dram, pattern: random, requests: 300}\n"
    )
    table = hmsim.run_sweep("s.yaml", "out", jobs=1)
    assert list(table["dram.reads"] + table["dram.writes"]) == [50, 100]


def test_incompatible_values_become_bad_points() -> None:
    # An empty NVDIMM has nothing that could be written again.
    sweep_file(
        "grid: {workload: w.yaml, nvdimm.precondition.fill: [0, 0.5],"
        " nvdimm.precondition.overwrite: [0, 1]}"
    )
    table = hmsim.run_sweep("s.yaml", "out", jobs=1)
    bad = table[table["error"] != ""]
    assert len(table) == 4 and len(bad) == 1
    parts = ("s.yaml:1: nvdimm.precondition.overwrite:", "nvdimm.precondition.fill")
    assert naming(*parts).search(bad["error"].iloc[0])
    assert list(bad["nvdimm.precondition.fill"]) == [0]
    assert list(bad["nvdimm.precondition.overwrite"]) == [1]
    assert set(table["workload"]) == {"w"}
    assert hmsim.load_results("out").equals(table)
    assert "points failed" in invoke("sweep", "s.yaml", "--out", "out").stderr


def test_a_workload_that_does_not_fit_a_configuration_is_a_bad_point() -> None:
    """Found by its keys, and as its agents are built."""
    for name, text in (
        ("disk", "{kind: io_pattern, depth: 1, requests: 5}"),
        ("model", "{kind: llm_decode, model: llama_3_1_70b, batch: 1, context: 4096, steps: 1}"),
    ):
        Path(f"{name}.yaml").write_text(f"agents:\n  - {text}\n")
    sweep_file(
        "grid: {config: [validate_ddr3, quick], workload: [disk.yaml, model.yaml, w.yaml]"
        "}\nshow: [agent.0.rate]\n"
    )
    assert "6 points" in succeed("sweep", "s.yaml", "--dry-run")
    table = hmsim.run_sweep("s.yaml", "out", jobs=1)
    sound = table[table["error"] == ""]
    assert list(zip(sound["config"], sound["workload"])) == [("quick", "disk"), ("quick", "w")]
    assert table["error"].str.contains("NVDIMM").sum() >= 2
    sweep_file("grid: {config: [validate_ddr3, quick], workload: disk.yaml}")
    assert list(hmsim.run_sweep("s.yaml", "o2", jobs=1)["error"] == "") == [False, True]


def test_an_agent_that_one_of_the_workloads_lacks_is_a_bad_point() -> None:
    Path("one.yaml").write_text(
        "agents:\n  - {kind: synthetic, target: dram, pattern: random, requests: 30}\n"
    )
    sweep_file("grid: {workload: [one.yaml, w.yaml], agent.1.requests: [5]}")
    table = hmsim.run_sweep("s.yaml", "out", jobs=1)
    assert naming("agent.1.requests", "'one' has no agent 1").search(table["error"][0])
    assert list(table["error"])[1] == ""


def test_a_sweep_ends_with_one_dataset_and_is_not_run_twice() -> None:
    file = sweep_file()
    text = succeed("sweep", file, "--jobs", "1")
    assert "12 points" in text and "0 failed" in text and "±" in text
    content = Path("s/results.parquet").read_bytes()
    changed = [path.stat().st_mtime_ns for path in Path("s/points").iterdir()]
    table = hmsim.load_results("s")
    read = hmsim.load_results("s/results.parquet")
    assert len(table) == 12 and list(read.columns) == list(table.columns)
    assert read.attrs["units"] == table.attrs["units"]
    assert (read["dram.reads"] == table["dram.reads"]).all()
    succeed("sweep", file, "--jobs", "1")
    assert Path("s/results.parquet").read_bytes() == content
    assert changed == [path.stat().st_mtime_ns for path in Path("s/points").iterdir()]
    more = sweep_file(SWEEP.replace("seeds: 2", "seeds: 3"))
    succeed("sweep", more, "--jobs", "1")
    assert len(hmsim.load_results("s")) == len([*Store("s").everything()]) == 18


def ends_after(points: int, how: str) -> subprocess.CompletedProcess[bytes]:
    """Run the sweep in a process that executes the statement ``how`` once ``points`` are stored."""
    script = f"""
import os, signal
from hmsim.points.store import Store
from hmsim.cli import main
append, kept = Store.append, []
def ending(self, *arguments, **how):
    append(self, *arguments, **how)
    kept.append(1)
    if len(kept) == {points}:
        {how}
Store.append = ending
main()
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, "sweep", "s.yaml", "--jobs", "1"]
    return subprocess.run(command, env=environment, capture_output=True, check=False)


def test_kill_9_and_interruption_lose_nothing() -> None:
    sweep_file()
    succeed("sweep", "s.yaml", "--out", "whole", "--jobs", "1")
    for _ in range(2):
        killed = ends_after(3, "os.kill(os.getpid(), signal.SIGKILL)")
        assert killed.returncode == -signal.SIGKILL
    assert not Path("s/results.parquet").exists()
    assert len(hmsim.load_results("s")) == 6 and hmsim.load_results("s").attrs["missing"] == 6
    stopped = ends_after(2, "raise KeyboardInterrupt")
    assert stopped.returncode == 130 and b"the same command continues" in stopped.stderr
    assert len(hmsim.load_results("s/results.parquet")) == 8
    succeed("sweep", "s.yaml", "--jobs", "1")
    assert Path("s/results.parquet").read_bytes() == Path("whole/results.parquet").read_bytes()


def test_leftovers_of_a_killed_writer_are_removed() -> None:
    sweep_file()
    Path("s/points").mkdir(parents=True)
    Path("s/plan.json").write_text("[]")
    for place in ("s", "s/points"):
        left = Path(place, f"{SCRATCH}left")
        left.mkdir()
        (left / LOCK).touch()
        (left / "fresh").write_text("half")
    succeed("sweep", "s.yaml", "--jobs", "1")
    assert not [path for path in Path("s").rglob(".*") if path.name != ".lock"]


def test_a_sweep_needs_exclusive_use_of_its_directory() -> None:
    sweep_file()
    with sweep_directory("s"):
        assert "s: another sweep" in fail("sweep", "s.yaml")
    Path("other").mkdir()
    Path("other/thesis.tex").write_text("")
    assert "other: " in fail("sweep", "s.yaml", "--out", "other")


@pytest.mark.parametrize("before", ["nothing", "an empty folder", "a plan"])
def test_an_input_error_removes_only_files_of_the_sweep(before: str) -> None:
    folder = Path("s")
    if before != "nothing":
        folder.mkdir()
    if before == "a plan":
        (folder / "plan.json").write_text("[]")
        (folder / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="at fault"), sweep_directory(folder):
        raise InputError("at fault")
    assert folder.exists() == (before != "nothing")
    if before == "a plan":
        assert {path.name for path in folder.iterdir()} == {".lock", "plan.json", "notes.txt"}
    with pytest.raises(InputError, match="at fault"), sweep_directory(folder):
        (folder / "points").mkdir()
        (folder / "points" / "x.json").touch()
        raise InputError("at fault")
    assert (folder / "points" / "x.json").exists()


def test_a_dry_run_runs_nothing_and_an_estimate_times_points() -> None:
    text = succeed("sweep", sweep_file(), "--dry-run")
    assert "12 points" in text and "0.2, 0.5, 0.8" in text and not Path("s").exists()
    timed = succeed("sweep", "s.yaml", "--estimate", "--jobs", "1")
    assert timed.startswith(text)
    text = timed
    assert naming("8 points", "4 are finished", "seconds").search(text), text
    assert len([*Store("s").everything()]) == 4


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("grid: {workload: w.yaml}\ngird: {}\n", (":2: gird:", "'grid'?")),
        ("grid: {workload: w.yaml, polcy: [hms]}\n", (":1: polcy:", "'policy'?")),
        ("grid:\n  workload: w.yaml\n  policy: [hms, spilt]\n", (":3: policy:", "'split'?")),
        ("grid: {policy: hms}\n", (": workload:", "grid:")),
        ("grid: {workload: x.yaml}\n", (":1: workload: x.yaml:",)),
        ("grid: {workload: 'mix:sort+mfc'}\n", (":1: workload:", "'mcf'?")),
        (
            "grid:\n  workload: w.yaml\n  controller.queue_depth: [64, 0]\n",
            (":3: controller.queue_depth:", "'0'", "4096"),
        ),
        ("grid:\n  workload: w.yaml\n  seed: [1, -2]\n", (":3: seed:", "'-2'")),
        ("config: quik\ngrid: {workload: w.yaml}\n", (":1: config: quik:", "'quick'?")),
        ("warmup: 3 parsecs\ngrid: {workload: w.yaml}\n", (":1: warmup:", "'3 parsecs'")),
        ("grid: {workload: [w.yaml, w.yaml]}\n", (":1: workload:", "'w.yaml'")),
        ("grid: {workload: w.yaml}\nwhere: [seeed > 1]\n", (":2: where:", "seeed")),
        ("grid: {workload: w.yaml}\nwhere: ['seed >']\n", (":2: where:", "invalid syntax\n")),
        ("grid: {workload: w.yaml, seed: [1]}\nwhere: [seed > 1]\n", (": where:", "no point")),
        ("grid: {workload: w.yaml, seed: 1}\nseeds: 2\n", (":2: seeds:", "'seed'")),
        ("grid: {workload: w.yaml}\nseeds: 20000\n", (":2: seeds:", "20000", "10000")),
        ("grid: {workload: w.yaml, agent.7.requests: 3}\n", (":1: agent.7.requests:", "agent 7")),
        ("grid: {workload: w.yaml, agent.0.path: x}\n", (":1: agent.0.path:", "file")),
        ("grid: {workload: w.yaml, agent.0.requests: x}\n", (":1: requests:", "'x'")),
        ("grid: {workload: w.yaml, nvdimm.present: {from: 1}}\n", (":1: nvdimm.present:", "'to'")),
        (
            "grid: {workload: w.yaml, controller.queue_depth: {from: 1, to: 4096, count: 4096}}"
            "\nseeds: 999\n",
            (": 4091904 points", "1000000"),
        ),
        (
            "grid: {workload: w.yaml}\nsamples: {method: sobel, count: 3, over: {}}\n",
            (":2: method:", "'sobel'", "'sobol'?"),
        ),
        (
            "grid: {workload: w.yaml}\nsamples: {method: random, over: {}}\n",
            (":2: samples: count:", "1000000"),
        ),
        ("grid: {workload: w.yaml}\npoints: [{seed: 1}, 3]\n", (":2: points:", "'name: value'")),
        ("grid: {workload: w.yaml}\npoints: *a\n", (":2: the alias",)),
        ("- 1\n", (":1: ", "a list")),
        ("", (": empty",)),
        ("\x00", (": is not text",)),
    ],
)
def test_errors_name_file_line_key_and_nearest_choice(text: str, parts: tuple[str, ...]) -> None:
    stderr = fail("sweep", sweep_file(text))
    place, *values = parts
    assert naming(f"s.yaml{place}", *values).search(stderr), stderr
    assert not Path("s").exists() and "Traceback" not in stderr


def test_a_shipped_sweep_is_found_by_name() -> None:
    assert len(Planner(load_sweep("weight")).plan()) == 200


def test_systems_of_storage_can_be_an_axis_with_the_size_of_requests() -> None:
    text = succeed("sweep", "storage", "--dry-run", "--jobs", "1", "--out", "s")
    assert "36 points" in text
    assert "4KiB, 16KiB, 64KiB, 256KiB" in text and "mascots16, pcm, ddr_pcm" in text
    plan = Planner(load_sweep("storage")).plan()
    assert not [each.error for each in plan if each.error]
    labels = [each.labels for each in plan]
    assert len({(each["config"], each["agent.0.size"]) for each in labels}) == 9 * 4


def test_the_plots_of_the_weight_sweep_differ_by_bundle_and_weight() -> None:
    text = (REPO / "docs" / "sweeps.md").read_text(encoding="utf-8")
    named = re.findall(r"^hmsim plot weights --x (\S+) --y (\S+)$", text, re.M)
    assert named
    planned = Planner(load_sweep("weight")).plan()
    chosen = [
        each.point
        for each in planned
        if each.point
        and each.labels["workload"] == "mix:dfsioe_w+mcf,closed"
        and each.labels["policy"] in ("split", "hms")
        and each.labels["policies.harmonic.weight"] in (0.2, 0.8)
    ]
    table = hmsim.run_points(chosen, "out", jobs=1)
    assert {name for pair in named for name in pair} <= set(table.columns)
    assert table["system.ipc"].nunique() == 3  # of split, whatever the weight, and of hms


def test_files_in_the_documentation_and_the_shipped_ones_are_sweeps() -> None:
    text = (REPO / "docs" / "sweeps.md").read_text(encoding="utf-8")
    text, _, _ = text.partition("## On a cluster")
    blocks = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        shorter = block.replace("mix:sort+mcf", "w.yaml").replace(
            "agent.1.tasks", "agent.1.requests"
        )
        assert Planner(load_sweep(sweep_file(shorter))).plan()
    for name in sorted(set(shipped("configs/sweeps")) - {"gem5"}):
        assert load_sweep(name).axes
