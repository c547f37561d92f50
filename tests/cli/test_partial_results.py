# SPDX-License-Identifier: BSD-3-Clause
"""Does a run that an error in its trace ends keep what it simulated, marked as partial?"""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import hmsim
import pytest
from hmsim import InputError
from hmsim.runs.runner import EndedByError
from messages import naming
from support import fail, invoke, parsed, succeed, write

WORKLOAD = """\
agents:
  - {kind: block_trace, core: 0, path: t, format: mqsim, replay: closed, RULES}
"""
GOOD = "".join(f"{at} 0 {8 * at} 8 {at % 2}\n" for at in range(40))


def workload(tmp_path: Path, trace: str, rules: str = "threads: 4") -> Path:
    write(tmp_path / "t", trace)
    return write(tmp_path / "w.yaml", WORKLOAD.replace("RULES", rules))


def test_the_result_up_to_the_error_is_kept(tmp_path: Path) -> None:
    path = workload(tmp_path, GOOD + "41 0 x 8 1\n" + GOOD)
    out = tmp_path / "out"
    ended = invoke("run", "quick", "--workload", path, "--out", out)
    assert ended.exit_code == 2
    assert naming("t:41: ", "'x'").search(ended.stderr), ended.stderr
    assert "partial result" in ended.stdout
    assert naming("t:41: ", "'x'").search(json.loads((out / "run.json").read_text())["partial"])
    stats = json.loads((out / "stats.json").read_text())
    # The request after the last good one is read ahead: 4 threads have at most 39 + 1 under way.
    assert 30 <= stats["agent"]["0"]["request_latency_us"]["read"]["count"] * 2 <= 40
    assert stats["agent"]["0"]["finished"] == 0 and stats["sim"]["ticks"] > 0
    shown = invoke("report", out, "--out", tmp_path / "page.html")
    assert naming("out: ", "partial", "t:41").search(shown.stderr), shown.stderr


def test_a_whole_run_is_not_partial(tmp_path: Path) -> None:
    path = workload(tmp_path, GOOD)
    succeed("run", "quick", "--workload", path, "--out", tmp_path / "out")
    assert "partial" not in json.loads((tmp_path / "out" / "run.json").read_text())
    assert "partial" not in parsed("run", "quick", "--workload", path)


def test_an_error_before_measuring_leaves_nothing(tmp_path: Path) -> None:
    path = workload(tmp_path, "x\n")
    fail("run", "quick", "--workload", path, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    path = workload(tmp_path, GOOD + "41 0 x 8 1\n")
    options = ("--out", tmp_path / "out", "--warmup", "1s")
    fail("run", "quick", "--workload", path, *options)
    assert not (tmp_path / "out").exists()


def test_python_gets_the_partial_result(tmp_path: Path) -> None:
    path = workload(tmp_path, GOOD + "41 0 x 8 1\n")
    with pytest.raises(EndedByError, match="'x'") as caught:
        hmsim.run("quick", path)
    assert caught.value.partial.stats["sim.requests"] > 0
    assert caught.value.partial.record()["partial"] == str(caught.value)
    copied = pickle.loads(pickle.dumps(caught.value))
    assert type(copied) is InputError and str(copied) == str(caught.value)
