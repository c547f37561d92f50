# SPDX-License-Identifier: BSD-3-Clause
"""Do commands name what HBF and CXL ports do, and refuse what has no effect there?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pytest
from support import cells, fail, succeed, write

WRITES = """\
agents:
  - {kind: io_pattern, size: 4KiB, access: random, threads: 4, read_share: 0.5, requests: 200}
"""
HBM = 512 << 20  # bytes of HBM; HBF follows
FLUSHED = """\
agents:
  - {kind: io_pattern, core: 0, threads: 4, depth: 4, read_share: 0, flush_every: 5, requests: 50}
  - {kind: io_pattern, core: 1, threads: 2, depth: 4, read_share: 0.5, size: 16KiB, requests: 100}
"""


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    return write(tmp_path / "writes.yaml", WRITES)


def test_hbf_is_shown_against_its_own_bounds(workload: Path) -> None:
    shown = cells(succeed("run", "hbm3_hbf", "--workload", workload))
    stats = hmsim.run("hbm3_hbf", workload).stats
    data = stats["hbf.to_host.bytes"] + stats["hbf.to_device.bytes"] - stats["hbf.header_bytes"]
    rate = data / stats["sim.ticks"] * 1e3
    assert stats["hbf.bandwidth_gb_per_s"] == pytest.approx(rate, rel=1e-3)
    for label, name, factor in (
        ("HBF bandwidth (GB/s)", "hbf.bandwidth_gb_per_s", 1),
        ("flash banks busy (%)", "nvdimm.nand.lun_utilisation", 100),
        ("HBF link to the host busy (%)", "hbf.to_host.busy", 100),
        ("HBF request, mean (us)", "nvdimm.line_latency_ns.mean", 1e-3),
        ("HBF reads", "nvdimm.reads", 1),
    ):
        value = float(shown[label][0].replace(",", ""))
        assert value == pytest.approx(stats[name] * factor, rel=1e-3)
    assert shown["HBF on the bus (% of peak)"] == ["0"]
    assert not any(each in label for label in shown for each in ("DIMM", "> 104"))


def test_writes_that_raw_hbf_refuses_are_counted(workload: Path) -> None:
    stats = hmsim.run("hbm3_hbf", workload).stats
    lost = stats["hbf.status.out_of_order"]
    line = f"HBF did not program {lost} writes: out_of_order {lost}; "
    assert lost > 0 and line in succeed("run", "hbm3_hbf", "--workload", workload)
    given = ("run", "hbm3_hbf", "--workload", workload, "--set", "hbf.ftl=host")
    assert "did not program" not in succeed(*given)


@pytest.mark.parametrize(
    ("system", "given", "message"),
    [
        ("hbm3_hbf", "hbf.map_in=hbm", "hbf.map_in: must be none with hbf.ftl: raw"),
        ("hbm3_hbf", "hbf.refresh=paced_refresh", "hbf.refresh: must be no_refresh with hbf.ftl"),
        ("quick", "host.limiter=limit", "host.limiter: must be unlimited with host.queue: none"),
        ("hbm3_hbf", "dram.refresh_management=true", "JESD238: not modelled; must be false"),
    ],
)
def test_keys_without_effect_are_rejected(system: str, given: str, message: str) -> None:
    refused = fail("check", system, "--set", given)
    assert message in refused
    assert len(refused.splitlines()) == 1


def test_nodes_are_known_before_the_check() -> None:
    nodes = ("--set", "frontend.nodes.count=2", "--set", "frontend.nodes.memory=own")
    refused = fail("check", "ddr5_nvdimm", *nodes, "--set", "host.queue=shared")
    assert "--set: host.queue: must be none with several nodes" in refused


def test_raw_hbf_has_no_preconditioned_state(tmp_path: Path) -> None:
    refused = fail("precondition", "hbm3_hbf", "--out", tmp_path / "full")
    assert not (tmp_path / "full").exists()
    assert "hbf.ftl: preconditioning needs host, got raw" in refused
    loaded = fail("check", "hbm3_hbf", "--set=nvdimm.precondition.load=full")
    assert "nvdimm.precondition.load: must be empty with hbf.ftl: raw" in loaded


@pytest.mark.parametrize("queue", ["shared", "divided"])
@pytest.mark.parametrize("order", ["any", "fifo"])
def test_flushes_keep_their_place_in_the_host_queue(queue: str, order: str, tmp_path: Path) -> None:
    """The checker compares each command with the flushes before it."""
    flushed = write(tmp_path / "flushed.yaml", FLUSHED)
    keys = {"host.queue": queue, "host.order": order, "host.entries": 8, "host.slow_entries": 4}
    config = hmsim.load_config("ddr5_nvdimm", keys)
    assert hmsim.run(config, flushed, check=True).stats["nvdimm.flushes"] > 0


@pytest.mark.parametrize("mapping", ["raw", "host"])
def test_hbf_takes_requests_until_its_queue_is_full(mapping: str) -> None:
    keys = {"hbf.ftl": mapping, "controller.nvdimm_queue_depth": 8}
    system = hmsim.System("hbm3_hbf", keys)
    pages = [HBM + 4096 * page for page in range(10)]
    assert [system.enqueue(page) is None for page in pages] == [False] * 8 + [True] * 2
    system.advance("1ms")
    assert len(system.completions()) == 8
    assert system.flush() is not None and system.enqueue(HBM) is None
    system.advance(system.now + 1)
    assert system.enqueue(HBM) is not None
