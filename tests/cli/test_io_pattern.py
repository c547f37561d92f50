# SPDX-License-Identifier: BSD-3-Clause
"""Do workloads of generated block I/O run as their files say?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim import InputError
from hmsim.config.configuration import load_config
from hmsim.runs.runner import run
from hmsim.workloads.workload import load_workload
from support import parsed, write

XDD = [entry["name"] for entry in parsed("workloads") if entry["name"].startswith("xdd/")]


def test_the_twelve_tests_of_xdd_are_shipped() -> None:
    mixes = ("read", "write", "mixed")
    assert {*XDD} == {
        *(f"xdd/{access}_{mix}" for access in ("sequential", "random") for mix in mixes),
        *("xdd/latency_read", "xdd/latency_write"),
    }


@pytest.mark.parametrize("name", XDD)
def test_tests_of_xdd_fit_the_configurations(name: str) -> None:
    for config in ("mascots16", "pcm", "quick"):
        load_workload(name).check(load_config(config))


def test_one_thread_takes_the_time_of_its_requests() -> None:
    """Each read of a page: 3 us of software, then its response; reads do not overlap."""
    stats = run(load_config("pcm"), load_workload("xdd/latency_read")).stats
    assert stats["agent.0.progress"] == 2000
    response = stats["nvdimm.response_time_us.mean"]
    assert stats["sim.ticks"] == pytest.approx(2000 * (3 + response) * 1e6, abs=1e3)


def test_sizes_may_be_a_list(tmp_path: Path) -> None:
    text = "agents:\n  - {kind: io_pattern, size: [4KiB/3, 8KiB/1], requests: 400, threads: 1}\n"
    workload = load_workload(write(tmp_path / "sizes.yaml", text))
    assert dict(workload.agents[0].flat())["size"] == "4KiB/3, 8KiB/1"
    pages = run(load_config("pcm"), workload).stats["agent.0.progress"]
    deviation = (400 * 0.25 * 0.75) ** 0.5
    assert abs(pages - 400 * 1.25) < 5 * deviation


def test_a_wrong_share_names_file_line_and_the_nearest_choice(tmp_path: Path) -> None:
    path = write(tmp_path / "bad.yaml", "agents:\n  - kind: io_pattern\n    read_share: 1.5\n")
    with pytest.raises(InputError, match=r"bad.yaml:3: read_share: .*1"):
        load_workload(path).check(load_config("pcm"))
