# SPDX-License-Identifier: BSD-3-Clause
"""Do commands name what HBF and CXL ports do, and refuse what has no effect there?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pytest
from support import invoke, write

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


@pytest.mark.parametrize(
    ("system", "given", "message"),
    [
        ("hbm3_hbf", "hbf.map_in=hbm", "hbf.map_in: must be none with hbf.ftl: raw"),
        ("hbm3_hbf", "hbf.refresh=paced_refresh", "hbf.refresh: must be no_refresh with hbf.ftl"),
        ("quick", "host.limiter=limit", "host.limiter: must be unlimited with host.queue: none"),
        ("hbm3_hbf", "dram.refresh_management=true", "JESD238: not modelled; must be false"),
    ],
)
def test_keys_without_effect_are_refused(system: str, given: str, message: str) -> None:
    refused = invoke("check", system, "--set", given)
    assert refused.exit_code == 2 and message in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize("system", ["hbm3_hbf", "ddr5_cxl_flash", "ddr5_cxl_dram"])
def test_views_are_of_the_memory_bus(system: str, workload: Path, tmp_path: Path) -> None:
    given = ("run", system, "--workload", workload, "--views", "--out", tmp_path / "out")
    refused = invoke(*given)
    assert refused.exit_code == 2 and "must be on the memory bus" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1 and not (tmp_path / "out").exists()


@pytest.mark.parametrize("queue", ["shared", "divided"])
@pytest.mark.parametrize("order", ["any", "fifo"])
def test_flushes_keep_their_place_in_the_host_queue(queue: str, order: str, tmp_path: Path) -> None:
    """The checker compares each command with the flushes before it."""
    flushed = write(tmp_path / "flushed.yaml", FLUSHED)
    keys = {"host.queue": queue, "host.order": order, "host.entries": 8, "host.nvdimm_entries": 4}
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
