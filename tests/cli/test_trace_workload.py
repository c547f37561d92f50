# SPDX-License-Identifier: BSD-3-Clause
"""A trace in place of a workload, and the file that hmsim workload new writes."""

from __future__ import annotations

from pathlib import Path

import hmsim
import pytest
from hmsim.workloads.trace_workload import keys_of, trace_of, written
from hmsim.workloads.workload import load_workload

SHIPPED = Path(hmsim.__file__).resolve().parents[2] / "workloads"
BLOCKS = SHIPPED / "blocks" / "build.blkparse.zst"
MISSES = SHIPPED / "demo" / "network_simplex.hmsim.zst"


def test_a_trace_runs_as_the_workload_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    texts = [f"{BLOCKS},requests=40", f"{MISSES},cores=1-2,instructions=5000"]
    agents = [keys_of(Path(text.partition(",")[0]), text) for text in texts]
    path.write_text(written(agents, tmp_path), encoding="utf-8")
    kinds = [agent.kind for agent in load_workload(path).agents]
    assert kinds == ["block_trace", "llc_trace", "llc_trace"]
    assert "    # replay: closed  #" in path.read_text(encoding="utf-8")
    keys = {"kind": "block_trace", "path": str(BLOCKS), "format": "blkparse", "requests": 40}
    expected = hmsim.run("quick", {"agents": [keys]}).stats
    assert dict(hmsim.run("quick", texts[0]).stats) == dict(expected)


def test_cores_of_a_job_are_its_own_and_others_run_copies() -> None:
    capture = SHIPPED / "captures" / "sort.hmsim.zst"
    if capture.is_file():
        (job,) = load_workload(f"{capture},cores=1-3").agents
        assert (job.kind, dict(job.flat())["cores"]) == ("job", "1-3")
    copies = load_workload(f"{MISSES},cores=2-4").agents
    assert [dict(agent.flat())["core"] for agent in copies] == ["2", "3", "4"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (",requests", "'requests' is not KEY=VALUE"),
        (",cores=3-1", "must be a core or a range such as 0-3, got '3-1'"),
        (",format=champsm", "did you mean 'champsim'"),
    ],
)
def test_wrong_keys_of_a_trace(keys: str, message: str) -> None:
    with pytest.raises(hmsim.InputError, match=message):
        load_workload(f"{MISSES}{keys}")


def test_a_workload_needs_no_suffix(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("agents:\n- {kind: io_pattern, size: 4KiB, requests: 1}\n", encoding="utf-8")
    assert trace_of(str(path)) is None
    assert load_workload(path).agents[0].kind == "io_pattern"
