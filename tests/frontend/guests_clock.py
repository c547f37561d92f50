# SPDX-License-Identifier: BSD-3-Clause
"""A machine as fast as the guest of a capture with --icount: one instruction per nanosecond."""

from __future__ import annotations

from pathlib import Path

from hmsim import load_config, run

# Loads never stop the core. Pages are spread over eight NVDIMMs, because the queue of one holds
# only a few of the 32 pages that the kernel reads ahead. Each page finds a separate LUN.
GUESTS_CLOCK = {
    "controller.channels": 8,
    "controller.queue_depth": 2048,
    "controller.nvdimm_queue_depth": 2048,
    "controller.outstanding": "queue",
    "frontend.core.base_cpi": 1,
    "frontend.core.frequency": "1GHz",
    "frontend.core.window": 65536,
    "frontend.node.dma_lines": 4096,
    "frontend.node.machine": "dma",
    "frontend.node.switch_time": "0ns",
    "nvdimm.command_queue": 4096,
    "nvdimm.ftl.over_provisioning": 15,
    "nvdimm.nand.channels": 16,
    "nvdimm.nand.chips": 8,
}


def makespan_us(trace: Path, read_time: str, folder: Path, **keys: object) -> float:
    """Return the makespan of a capture on one core, over flash with the given read time."""
    workload = folder / "guests_clock.yaml"
    more = "".join(f", {name}: {value}" for name, value in keys.items())
    workload.write_text(
        f"agents:\n  - {{kind: job, path: {trace}, format: hmsim, cores: 0{more}}}\n"
    )
    config = load_config("mascots16_4ch", {**GUESTS_CLOCK, "nvdimm.nand.read_time": read_time})
    return float(run(config.with_policy("split"), workload).stats["agent.0.makespan_us"])
