# SPDX-License-Identifier: BSD-3-Clause
"""Is "% of peak" a share of channels x bus width x transfer rate, as data sheets give it?"""

from __future__ import annotations

import json
from pathlib import Path

import hmsim
import pytest
from hmsim.runs.directory import read_run
from support import write

READS = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, outstanding: 16, requests: 4000}
"""
# Configuration, part, channels, bytes of a channel's data buses, 10^9 transfers a second.
PARTS = (
    ("validate_ddr3", "ddr3_1600_4gb_x8", 2, 8, 1.6),
    ("quick", "ddr4_2400p_8gb_x8", 1, 8, 2.4),
    ("quick", "ddr5_4800b_16gb_x8", 1, 4, 4.8),
    ("validate_hbm3", "hbm3_6400_4h_2gb_x32", 4, 2 * 4, 6.4),
    ("validate_hbm3", "hbm3e_9200_8h_4gb_x32", 4, 2 * 4, 9.2),
    ("validate_lpddr5", "lpddr5_6400_16gb_x16", 1, 2, 6.4),
    ("validate_lpddr5", "lpddr5x_8533_16gb_x16", 1, 2, 8.533),
)
MAPS = {"quick": {"controller.address_map": "row|bank|column|rank|group|channel", "dram.ranks": 1}}


@pytest.mark.parametrize(
    ("base", "part", "channels", "width", "rate"), PARTS, ids=[part[1] for part in PARTS]
)
def test_a_share_of_the_bus_is_that_share_of_the_peak(
    base: str, part: str, channels: int, width: int, rate: float, tmp_path: Path
) -> None:
    own = {"dram.preset": part, "controller.channels": channels, **MAPS.get(base, {})}
    config = hmsim.load_config(base, own)
    result = hmsim.run(config, write(tmp_path / "reads.yaml", READS))
    peak = channels * width * rate
    share = result.stats["dram.bandwidth_gb_per_s"] / peak
    assert result.stats["bus.dram_share"] == pytest.approx(share, rel=0.01)
    result.save(tmp_path / "run")
    assert read_run(tmp_path / "run").peak_gb_per_s == pytest.approx(
        peak, rel=2e-3
    )  # tCK is whole ps
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["dram_peak_gb_per_s"] == pytest.approx(peak, rel=2e-3)
    assert record["capacity_bytes"] == config.capacities()


def stream_share(entries: int, **dram: object) -> float:
    """Return the share of HBM3's peak that a stream of reads reaches."""
    own = {f"dram.{name}": value for name, value in dram.items()}
    config = hmsim.load_config("validate_hbm3", {"controller.queue_depth": entries, **own})
    stream = {"kind": "synthetic", "pattern": "sequential", "footprint": "256MiB", "target": "dram"}
    agent = {**stream, "outstanding": entries, "requests": 40_000}
    stats = hmsim.run(config, {"agents": [agent]}).stats
    return float(stats["bus.dram_share"])


def test_only_refreshes_keep_a_stream_from_the_peak_of_hbm3() -> None:
    stopped = 416 / 6240  # tRFC / tREFI
    assert stream_share(64, refresh=False) > 0.999
    # With many entries the other pseudo-channel continues; with few, both stop.
    assert 1 - stopped - 0.02 < stream_share(256) < 1 - stopped
    assert 1 - 2 * stopped - 0.02 < stream_share(64) < 1 - 2 * stopped + 0.01
    assert stream_share(128, refresh_mode="same_bank") > 0.99


@pytest.mark.parametrize("part", ["ddr3_1600_4gb_x8", "ddr5_4800b_16gb_x8"])
def test_a_stream_has_the_bandwidth_of_all_channels(part: str) -> None:
    def bandwidth(channels: int) -> float:
        own = {"dram.preset": part, "controller.channels": channels, "nvdimm.present": False}
        agent = {"kind": "synthetic", "pattern": "sequential", "footprint": "2GiB"}
        agent |= {"target": "dram", "outstanding": 64 * channels, "requests": 3_000 * channels}
        config = hmsim.load_config("quick", {**own, "controller.address_map": "default"})
        return float(hmsim.run(config, {"agents": [agent]}).stats["dram.bandwidth_gb_per_s"])

    of_one = bandwidth(1)
    for channels in (3, 6, 12, 24, 32):
        assert bandwidth(channels) == pytest.approx(channels * of_one, rel=1e-6), channels


@pytest.mark.parametrize("text", ["", "preset", "0", "-4"])
def test_an_invalid_burst_has_no_peak(text: str, tmp_path: Path) -> None:
    hmsim.run("quick", write(tmp_path / "reads.yaml", READS)).save(tmp_path / "run")
    run = read_run(tmp_path / "run")
    run.config["dram.timing.burst"] = text
    assert run.peak_gb_per_s is None
