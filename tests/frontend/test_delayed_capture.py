# SPDX-License-Identifier: BSD-3-Clause
"""Does a replay foretell how long a program takes on a device slower than the one it was captured on?

Requests of one capture end late in the guest, those of the other at once. The latter is replayed at
the guest's clock, a nanosecond an instruction, on memory that costs nothing but that delay: its
makespan has to be the time that the former took.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim import load_config, run
from hmsim.capture.emulation import CaptureError
from hmsim.capture.system import capture_system
from test_captured_causes import captured
from test_system_capture import needs_guest

DELAY = "2ms"
# A core of an instruction a nanosecond, whose loads never stop it. A page is spread over eight
# NVDIMMs, for a queue of lines holds few of the 32 pages that the kernel reads ahead at a time; each
# finds a LUN of its own.
GUESTS_CLOCK = {
    "controller.channels": 8,
    "controller.queue_depth": 2048,
    "controller.nvdimm_queue_depth": 2048,
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
    "nvdimm.nand.read_time": DELAY,
}


@needs_guest
@pytest.mark.parametrize("job", ["fio-direct-read", "fio-buffered-read"])
def test_a_replay_foretells_the_time_on_a_slow_device(job: str, tmp_path: Path) -> None:
    trace, slow = tmp_path / "fast.hmsim.zst", tmp_path / "slow.hmsim.zst"
    fast = captured(job, trace, icount=True, driver="pmbd-nt")
    truth = captured(job, slow, icount=True, driver="pmbd-nt", delay=DELAY)
    assert fast.guest_us is not None and truth.guest_us is not None
    assert truth.guest_us > 5 * fast.guest_us
    workload = tmp_path / "w.yaml"
    workload.write_text(f"agents:\n  - {{kind: job, path: {trace}, format: hmsim, cores: 0}}\n")
    config = load_config("mascots16_4ch", GUESTS_CLOCK)
    stats = run(config.with_policy("split"), workload).stats
    assert stats["agent.0.makespan_us"] == pytest.approx(truth.guest_us, rel=0.1)


@pytest.mark.parametrize(
    ("delay", "driver", "message"),
    [
        ("2ms", "nd_pmem", "nd_pmem has none; take one of the drivers pmbd-*"),
        ("2", "pmbd-nt", "delay: "),
        ("1ns", "pmbd-nt", "none from 1us to 10s"),
        ("20s", "pmbd-nt", "none from 1us to 10s"),
    ],
)
def test_a_delay_that_cannot_be_is_refused(
    delay: str, driver: str, message: str, tmp_path: Path
) -> None:
    out = tmp_path / "t.hmsim.zst"
    with pytest.raises(CaptureError, match="delay") as error:
        capture_system("fio-direct-read", out, driver=driver, delay=delay)
    assert message in str(error.value)
    assert not out.exists()
