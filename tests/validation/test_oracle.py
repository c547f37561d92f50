# SPDX-License-Identifier: BSD-3-Clause
"""No scheme gains by interference: with a bus for each class, a class is served at least as fast.

The rate is that of a closed loop: requests completed in a given time, with a fixed number
outstanding. The band was set before the first run: a class may lose 2 % of its mean over three
seeds. This covers random row hits and the effects of both ends of a run of 60 us.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import hmsim
import pytest
from hmsim.common.paths import shipped

NOISE = 0.02
SEEDS = (1, 2, 3)
PRIVATE = {
    "controller.bus": "private",
    "controller.queues": "split",
    "controller.arbiter": "oldest_first",
}
WARM = "100us"  # then the NVDIMM's four pages are in its buffer
SETTINGS = {"frontend.time_limit": "60us"}
DRAM = "{kind: synthetic, target: dram, requests: 1000000, outstanding: 24, "
NVDIMM = "{kind: synthetic, core: 1, target: nvdimm, requests: 1000000, footprint: 16KiB, "
TRAFFIC = {
    "random lines beside lines in the buffer": (
        DRAM + "pattern: random, read_ratio: 0.67, footprint: 1GiB}",
        NVDIMM + "outstanding: 48, pattern: random, read_ratio: 0.67}",
    ),
    "rows beside writes": (
        DRAM + "pattern: sequential, read_ratio: 0.5, footprint: 1GiB}",
        NVDIMM + "outstanding: 64, pattern: sequential, read_ratio: 0}",
    ),
}
BUNDLES = sorted(shipped("configs/policies"))


def rates(policy: str, workload: Path, settings: dict[str, str]) -> list[float]:
    """Return the mean rate of each class over the seeds, in requests/s."""
    whole = hmsim.load_config("quick", {**SETTINGS, **settings}).with_policy(policy)
    runs = [hmsim.run(whole, workload, seed=seed, warmup=WARM).stats for seed in SEEDS]
    return [fmean(stats[f"agent.{agent}.rate"] for stats in runs) for agent in (0, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("traffic", TRAFFIC)
@pytest.mark.parametrize("policy", BUNDLES)
def test_a_private_bus_slows_no_class_down(policy: str, traffic: str, tmp_path: Path) -> None:
    workload = tmp_path / "w.yaml"
    agents = "".join(f"  - {agent}\n" for agent in TRAFFIC[traffic])
    workload.write_text(f"agents:\n{agents}")
    shared = rates(policy, workload, {})
    alone = rates(policy, workload, PRIVATE)
    assert min(alone) > 0
    for agent in (0, 1):
        assert alone[agent] >= shared[agent] * (1 - NOISE), (agent, shared, alone)
