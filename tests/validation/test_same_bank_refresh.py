# SPDX-License-Identifier: BSD-3-Clause
"""Are banks refreshed in time while activates of other banks never pause?

A same-bank refresh must be tRRD_L after each activate of its rank. Activates of other banks are
tRRD_S apart, which is less. The protocol checker judges the intervals (tests/conftest.py).
"""

from __future__ import annotations

import hmsim
import pytest

READERS = 16


def test_activates_do_not_starve_a_same_bank_refresh() -> None:
    config = hmsim.load_config(
        "validate_ddr3",
        {
            "dram.preset": "ddr5_4800b_16gb_x8",
            "dram.ranks": 1,
            "dram.refresh_mode": "same_bank",
            "controller.address_map": "default",
            "controller.queue_depth": 64,
            "frontend.time_limit": "60us",
        },
    )
    part = config.capacities()["dram"] // READERS // 64 * 64
    agents = [
        {
            "kind": "synthetic",
            "target": "dram",
            "core": number,
            "pattern": "sequential",
            "offset": f"{number * part + int(number * 0.618034 % 1 * part / 2) // 64 * 64}B",
            "footprint": f"{part // 2 // 64 * 64}B",
            "outstanding": 4,
            "requests": 1_000_000,
        }
        for number in range(READERS)
    ]
    stats = hmsim.run(config, {"agents": agents}).stats
    # Each of the four bank numbers has two refreshes in tREFI, 3.9 us.
    assert stats["dram.refreshes"] >= 4 * 2 * 60 / 3.9 - 8


def test_parts_of_a_latency_add_up_while_refreshes_are_overdue() -> None:
    config = hmsim.load_config("hbm3e", {"controller.channels": 1})
    agent = {"kind": "synthetic", "core": 0, "target": "dram", "pattern": "random"}
    agent |= {"footprint": "256MiB", "outstanding": 64, "requests": 30_000}
    stats = hmsim.run(config, {"agents": [agent]}).stats
    path = "dram.latency.read."
    parts = [value for name, value in stats.items() if name.startswith(path) and "_ns.mean" in name]
    assert sum(parts) == pytest.approx(stats["dram.read_latency_ns.mean"])
