# SPDX-License-Identifier: BSD-3-Clause
"""Do the shipped configurations collect garbage, and do they report what that requires?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hmsim import Result, load_config, run

SCHEDULERS = ["reactive", "reactive_copyback", "background", "preemptive", "proactive"]
COPY = 50 + 650 + 2 * (20.48 + 0.3)  # us, of a page over the channel
COPYBACK = 50 + 650 + 2 * 0.3
ERASE = 2000.3


def collect(tmp_path: Path, config: str, **overrides: Any) -> Result:
    """Run a few thousand random one-line writes and reads."""
    workload = tmp_path / "writes.yaml"
    workload.write_text(
        "agents:\n"
        "  - {kind: synthetic, core: 0, target: nvdimm, pattern: random, read_ratio: 0.3,\n"
        "     footprint: 200MiB, outstanding: 32, requests: 4000}\n"
    )
    return run(load_config(config, overrides=overrides), workload=str(workload), seed=1)


def test_requests_blocked_by_collections_are_not_flash_commands_in_queues(tmp_path: Path) -> None:
    """Whole pages are written without page reads, and write-backs wait before they have a LUN."""
    workload = tmp_path / "pages.yaml"
    workload.write_text(
        "agents:\n"
        "  - {kind: synthetic, target: nvdimm, pattern: sequential, read_ratio: 0,\n"
        "     footprint: 32MiB, outstanding: 64, requests: 60000}\n"
    )
    full = {"nvdimm.precondition.fill": 1, "nvdimm.precondition.overwrite": 2}
    for held in (False, True):
        config = load_config("quick", overrides=full | {"nvdimm.gc.hold_channel": held})
        stats = run(config, workload=str(workload), seed=1).stats
        assert stats["nvdimm.gc.count"] > 0
        assert stats["nvdimm.latency.write.gc_blocked_ns.mean"] > 0
        assert stats["nvdimm.gc.blocked_us"] == 0


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_quick_collects_garbage(tmp_path: Path, scheduler: str) -> None:
    # Copies of two collections on one channel overlap, so each takes as long as it does alone.
    apart = {"nvdimm.gc.scheduler": scheduler, "nvdimm.gc.hold_channel": False}
    apart["nvdimm.buffer.manager"] = "on_demand"
    stats = collect(tmp_path, "quick", **apart).stats
    assert stats["nvdimm.gc.count"] >= 8
    valid = stats["nvdimm.gc.valid_pages.mean"]
    assert 64 < valid < 127  # of 128, at 15 % over-provisioning (95 in a large module)
    assert stats["nvdimm.gc.valid_pages.p99"] <= 128
    assert stats["nvdimm.ftl.waf"] > 1
    least = valid * (COPYBACK if scheduler == "reactive_copyback" else COPY) + ERASE
    duration = stats["nvdimm.gc.duration_us.mean"]
    assert duration > 0.9 * least  # collections under way at the end count as victims only
    if scheduler.startswith("reactive"):
        assert duration < 1.1 * least
        assert stats["nvdimm.gc.deferred"] == 0
    else:
        assert stats["nvdimm.gc.deferred"] > 0
    assert stats["nvdimm.gc.ack_us.max"] >= stats["nvdimm.gc.ack_us.mean"] > 0


def test_mascots16_collects_garbage_once_it_is_full(tmp_path: Path) -> None:
    """The user chooses its precondition: filled, with 5 % written again, it is at its threshold."""
    stats = collect(
        tmp_path,
        "mascots16",
        **{
            "nvdimm.capacity": "4GiB",
            "nvdimm.precondition.fill": 1,
            "nvdimm.precondition.overwrite": 0.05,
            "nvdimm.buffer.write_size": "1MiB",
            "nvdimm.buffer.read_size": "1MiB",
        },
    ).stats
    assert stats["nvdimm.gc.count"] >= 8
    assert stats["nvdimm.gc.duration_us.p99"] > ERASE
    assert stats["nvdimm.gc.valid_pages.mean"] > 0
