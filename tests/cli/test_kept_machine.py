# SPDX-License-Identifier: BSD-3-Clause
"""Does mascots16_2026_11 keep its results when a default of mascots16 follows another reading?"""

from __future__ import annotations

import pytest
from hmsim import load_config, run

KEPT = "mascots16_2026_11"

# Made by commit 5c52c15 under mascots16. Requests of DRAM and reads of NVDIMM and flash; mean
# latencies of a DRAM read and an NVDIMM line in ns.
BEFORE = {
    "unified_fr_fcfs": (22825, 4736, 74, 3726.7572234392114, 136523.53928505068),
    "firm": (21742, 4736, 74, 4059.589916153068, 136555.0046397804),
    "paper_hms": (158126, 5248, 82, 148.75819068337907, 704882.423652439),
}


@pytest.mark.parametrize("policy", BEFORE)
def test_the_kept_machine_keeps_its_results(policy: str) -> None:
    names = ("dram.reads", "nvdimm.reads", "nvdimm.nand.reads")
    means = ("dram.read_latency_ns.mean", "nvdimm.line_latency_ns.mean")
    overrides = {
        "frontend.time_limit": "3ms",
        "frontend.node.machine": "dma",
        "nvdimm.buffer.write_size": "1MiB",
    }
    stats = run(load_config(KEPT, overrides).with_policy(policy), "mix:dfsioe_r+mcf").stats
    assert tuple(stats[name] for name in names + means) == BEFORE[policy]
