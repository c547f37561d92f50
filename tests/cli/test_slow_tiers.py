# SPDX-License-Identifier: BSD-3-Clause
"""Do commands name what HBF and CXL ports do, and refuse what has no effect there?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pytest
from support import write

HBM = 512 << 20  # bytes of HBM; HBF follows
FLUSHED = """\
agents:
  - {kind: io_pattern, core: 0, threads: 4, depth: 4, read_share: 0, flush_every: 5, requests: 50}
  - {kind: io_pattern, core: 1, threads: 2, depth: 4, read_share: 0.5, size: 16KiB, requests: 100}
"""


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
