# SPDX-License-Identifier: BSD-3-Clause
"""Does a replay foretell how long a program takes on a slower device than it was captured on?

Two captures differ in the guest: in one, requests end after a delay, in the other at once. The
second is replayed at the guest's clock (one nanosecond per instruction) on memory that takes only
that delay. Its makespan must be the time of the first.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from guests_clock import makespan_us
from hmsim.capture.emulation import CaptureError
from hmsim.capture.settings import SystemSettings
from hmsim.capture.system import capture_system
from messages import naming
from test_captured_causes import captured
from test_system_capture import needs_guest

DELAY = "2ms"


@needs_guest
@pytest.mark.parametrize("job", ["fio-direct-read", "fio-buffered-read"])
def test_a_replay_predicts_the_time_on_a_slow_device(job: str, tmp_path: Path) -> None:
    trace, slow = tmp_path / "fast.hmsim.zst", tmp_path / "slow.hmsim.zst"
    fast = captured(job, trace, icount=True, driver="pmbd-nt")
    truth = captured(job, slow, icount=True, driver="pmbd-nt", delay=DELAY)
    assert fast.guest_us is not None and truth.guest_us is not None
    assert truth.guest_us > 5 * fast.guest_us
    assert makespan_us(trace, DELAY, tmp_path) == pytest.approx(truth.guest_us, rel=0.1)


@pytest.mark.parametrize(
    ("delay", "driver", "values"),
    [
        ("2ms", "nd_pmem", ("nd_pmem", "pmbd-*")),
        ("2", "pmbd-nt", ("'2'",)),
        ("1ns", "pmbd-nt", ("'1ns'", "1us", "10s")),
        ("20s", "pmbd-nt", ("'20s'", "1us", "10s")),
    ],
)
def test_an_invalid_delay_is_rejected(
    delay: str, driver: str, values: tuple[str, ...], tmp_path: Path
) -> None:
    out = tmp_path / "t.hmsim.zst"
    with pytest.raises(CaptureError, match=naming("delay:", *values)):
        capture_system("fio-direct-read", out, SystemSettings(driver=driver, delay=delay))
    assert not out.exists()


def test_an_unknown_processor_is_rejected(tmp_path: Path) -> None:
    out = tmp_path / "t.hmsim.zst"
    with pytest.raises(CaptureError, match=naming("processor", "'gem'", "'gem5'?")):
        capture_system("fio-direct-read", out, SystemSettings(processor="gem"))
    assert not out.exists()
