# SPDX-License-Identifier: BSD-3-Clause
"""Does a killed comparison resume, and end like one that was not killed?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import hmsim
import hmsim.comparisons.comparison
import pytest
from support import STREAM, succeed, write

pytestmark = pytest.mark.slow

POLICIES = ("unified_fr_fcfs", "split")
RUNS = 10  # of two workloads of two agents: 4 together, 6 alone, for both have the first agent
# Runs the command line; its process is killed after a given number of runs.
KILLED = """\
import os, signal
from hmsim.comparisons import comparison
from hmsim.cli import main

def simulate(*arguments):
    if len(ended) == {runs}:
        os.kill(os.getpid(), signal.SIGKILL)
    ended.append(1)
    return plain(*arguments)

ended, plain = [], comparison.simulate
comparison.simulate = simulate
main()
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Return a comparison of two policies on two workloads."""
    first = write(tmp_path / "first.yaml", STREAM)
    other = write(tmp_path / "other.yaml", STREAM.replace("sequential", "random"))
    words = ["compare", "--seeds", "1", "quick", "--jobs", "1"]
    words += ["--workload", str(first), "--workload", str(other)]
    return [*words, *(word for policy in POLICIES for word in ("--policy", policy))]


def count_runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows by the policy of each run that is made from now on."""
    made: list[str] = []
    simulate = hmsim.comparisons.comparison.simulate

    def counting(config: hmsim.Config, *others: object) -> hmsim.Result:
        made.append(str(config.policy))
        return simulate(config, *others)  # type: ignore[arg-type]

    monkeypatch.setattr("hmsim.comparisons.comparison.simulate", counting)
    return made


def test_kill_9_loses_no_finished_run(
    tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = count_runs(monkeypatch)
    whole = succeed(*command, "--out", tmp_path / "whole")
    assert len(made) == RUNS
    made.clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = os.pathsep.join(sys.path)
    for runs, kept in ((3, 3), (2, 5)):
        killed = subprocess.run(
            [sys.executable, "-c", KILLED.format(runs=runs), *command, "--out", tmp_path / "out"],
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )
        assert killed.returncode == -signal.SIGKILL
        assert len([*(tmp_path / "cache").rglob("*.json")]) == kept
        assert not (tmp_path / "out").exists()
    assert succeed(*command, "--out", tmp_path / "out") == whole
    assert len(made) == RUNS - 5
    files = sorted(p.relative_to(tmp_path / "whole") for p in (tmp_path / "whole").rglob("*.*"))
    assert len(files) == 3 + 4 * 3
    for file in files:
        one, other = ((tmp_path / name / file).read_bytes() for name in ("whole", "out"))
        if file.name == "run.json":  # all but what they cost
            texts = [json.loads(text) for text in (one, other)]
            assert all(text.pop("command") for text in texts)
            assert all("seconds" in text.pop("host", {"seconds": 0}) for text in texts)
            assert texts[0] == texts[1], file
        else:
            assert one == other, file


def test_kept_results_are_not_run_again_unless_outdated(
    command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = count_runs(monkeypatch)
    table = succeed(*command)
    assert len(made) == RUNS
    made.clear()
    assert succeed(*command) == table
    assert made == []
    succeed(*command, "--policy", "unified_256")  # only what is new
    assert made == ["unified_256"] * (RUNS // 2)
    made.clear()
    succeed(*command, "--seed", "2")
    assert len(made) == RUNS
    made.clear()
    assert table in succeed(*command, "--check")  # has to look at every command
    assert len(made) == RUNS


def test_a_time_series_is_written_each_time(
    tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = count_runs(monkeypatch)
    command += ["--set", "frontend.series_interval=10us"]
    for out in ("one", "two"):
        succeed(*command, "--out", tmp_path / out)
    assert len([*(tmp_path / "two").rglob("series.parquet")]) == 4
    assert len(made) == 2 * RUNS
