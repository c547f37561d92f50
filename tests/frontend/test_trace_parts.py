# SPDX-License-Identifier: BSD-3-Clause
"""Windows, loops and copies as workloads name them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim import InputError
from hmsim.config.configuration import load_config
from hmsim.runs.runner import run
from hmsim.workloads.workload import Workload, load_workload
from messages import naming

WINDOWS = """\
agents:
  - kind: llc_trace
    path: misses
    format: ramulator
    windows:
      - {skip: 1000, warmup: 100, instructions: 2000, weight: 0.25}
      - {instructions: 500}
"""


@pytest.fixture(autouse=True)
def misses(tmp_path: Path) -> None:
    lines = (f"{i % 60} {i * 7919 % 10007 * 64}\n" for i in range(400))
    (tmp_path / "misses").write_text("".join(lines))


def loaded(folder: Path, text: str) -> Workload:
    path = folder / "w.yaml"
    path.write_text(text)
    workload = load_workload(path)
    workload.check(load_config("quick"))
    return workload


def test_windows_are_run_and_weighted(tmp_path: Path) -> None:
    stats = run("quick", loaded(tmp_path, WINDOWS), policy="unified_fr_fcfs").stats
    assert stats["core.0.instructions"] == 2600
    first, second = (stats[f"core.0.window.{k}.ipc"] for k in (0, 1))
    weighted = 1.25 / (0.25 / first + 1 / second)
    assert stats["core.0.ipc"] == pytest.approx(weighted, rel=1e-12)
    assert stats["agent.0.rate"] == pytest.approx(weighted * 2e9, rel=1e-12)


def test_windows_of_block_traces_are_run_and_weighted(tmp_path: Path) -> None:
    lines = (f"{i * 1000} 0 {i * 7919 % 10007 * 8} {8 * (1 + i % 5)} {i % 2}\n" for i in range(400))
    (tmp_path / "blocks").write_text("".join(lines))
    text = """\
agents:
  - kind: block_trace
    path: blocks
    format: mqsim
    windows:
      - {skip: 100, warmup: 20, requests: 50, weight: 0.25}
      - {requests: 40}
"""
    workload = loaded(tmp_path, text)
    stats = run("quick", workload, policy="unified_fr_fcfs").stats
    blocks = [sum(1 + i % 5 for i in numbers) for numbers in (range(120, 170), range(40))]
    warmup = sum(1 + i % 5 for i in range(100, 120))
    assert stats["agent.0.progress"] == warmup + sum(blocks)
    times = [number / stats[f"agent.0.window.{k}.rate"] for k, number in enumerate(blocks)]
    done = 0.25 * blocks[0] / 50 + blocks[1] / 40
    taken = 0.25 * times[0] / 50 + times[1] / 40
    assert stats["agent.0.rate"] == pytest.approx(done / taken, rel=1e-12)
    assert sum(times) < stats["sim.ticks"] / 1e12
    with pytest.raises(InputError, match=naming("w.yaml:5: windows:", "warmup")):
        run("quick", workload, policy="unified_fr_fcfs", warmup="1us")
    with pytest.raises(InputError, match=naming("windows:", "'instructions'", "requests")):
        loaded(tmp_path, text.replace("requests: 40", "instructions: 40"))


def test_copies_are_separate_agents(tmp_path: Path) -> None:
    text = "agents:\n  - {kind: llc_trace, core: 2, copies: 3, path: misses, format: ramulator}\n"
    workload = loaded(tmp_path, text)
    assert [dict(agent.flat())["core"] for agent in workload.agents] == ["2", "3", "4"]
    stats = run("quick", workload, policy="unified_fr_fcfs").stats
    assert stats["dram.reads"] >= 3 * 400
    counts = {stats[f"core.{core}.instructions"] for core in (2, 3, 4)}
    assert len(counts) == 1
    alone = run("quick", workload.alone(1), policy="unified_fr_fcfs").stats
    assert alone["core.3.instructions"] in counts
    assert alone["core.3.ipc"] > stats["core.3.ipc"]


def agent_with(keys: str) -> str:
    return f"agents:\n  - {{kind: llc_trace, path: misses, format: ramulator, {keys}}}\n"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (agent_with("windows: [3]"), ("w.yaml:2: windows: window 0",)),
        (agent_with("windows: [{instructions: 4, skp: 4}]"), ("windows: window 0:", "'skp'")),
        (agent_with("windows: [{instructions: '4; skip=3'}]"), ("instructions:", "'4; skip=3'")),
        (agent_with("windows: [{instructions: 4}], skip: 4"), ("w.yaml:2: skip:", "windows")),
        (agent_with("copies: 2, core: 255"), ("w.yaml:2: core:",)),
        (WINDOWS + "    windows: [{instructions: 4}]\n", ("w.yaml:8: windows:", "already")),
    ],
)
def test_errors_name_the_key(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=naming(*parts)):
        loaded(tmp_path, text)


def test_a_window_beyond_the_trace_ends_the_run(tmp_path: Path) -> None:
    workload = loaded(tmp_path, agent_with("windows: [{skip: 1, instructions: 4000000}]"))
    with pytest.raises(InputError, match="windows: window 0 "):
        run("quick", workload, policy="unified_fr_fcfs")
