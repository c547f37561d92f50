# SPDX-License-Identifier: BSD-3-Clause
"""Does a recorded run of gem5, replayed without gem5, give the same controller statistics?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pytest
from outcomes import Run

pytestmark = pytest.mark.gem5

WORKLOAD = """\
agents:
  - {kind: memory_trace, path: %s, format: gem5, mode: timed, sources: trace, target: system}
"""


@pytest.mark.parametrize("policy", ["unified_fr_fcfs", "split", "firm"])
def test_a_packet_trace_is_replayed_with_the_same_statistics(
    run: Run, tmp_path: Path, policy: str
) -> None:
    recorded = run("record.py", "--policy", policy)
    assert recorded.result["statistics"]["sim.requests"] == 2260  # all of them
    lines = recorded.result["resolved"].splitlines()
    config = tmp_path / "recorded.yaml"
    config.write_text("".join(f"{name}: '{value}'\n" for name, _, value in partitioned(lines)))
    workload = tmp_path / "recorded_workload.yaml"
    workload.write_text(WORKLOAD % (recorded.folder / "packets.trc"))
    replayed = hmsim.run(hmsim.load_config(config), workload=workload, seed=1).stats
    # The replay ends with its last packet; so does this run of gem5.
    again = run("record.py", "--policy", policy, "--end", replayed["sim.ticks"])
    statistics = again.result["statistics"]
    compared = [name for name in statistics if name in replayed and name != "sim.requests"]
    assert len(compared) > 100
    assert {name: (statistics[name], replayed[name]) for name in compared} == {
        name: (replayed[name], replayed[name]) for name in compared
    }
    assert statistics["nvdimm.reads"] + statistics["nvdimm.writes"] == 260


def partitioned(lines: list[str]) -> list[tuple[str, str, str]]:
    return [line.partition("=") for line in lines]
