# SPDX-License-Identifier: BSD-3-Clause
"""Does a power failure spare accepted writes if the queue counts as safe?"""

from __future__ import annotations

from pathlib import Path

import pytest
from designs import KINDS
from hmsim import InputError, System
from messages import naming
from shadow import LINE, PAGE, SMALL


@pytest.mark.parametrize("kind", ["full", "cached", "pcm"])
@pytest.mark.parametrize("persistence", ["controller", "module"])
def test_a_power_failure_spares_the_queue_if_it_counts_as_safe(persistence: str, kind: str) -> None:
    keys = {**SMALL, "nvdimm.ftl.over_provisioning": 110, **KINDS[kind]}
    system = System("mascots16", {**keys, "frontend.node.persistence": persistence})
    right: dict[int, bytes] = {}
    for number in range(120):  # far more pages than the four frames, some of them twice
        address = 2 * 1024**3 + number % 90 * PAGE + number % 7 * LINE
        data = bytes([number + 1] * (LINE if number % 3 else 5))
        system.enqueue(address, size=len(data), write=True, data=data)
        right[address] = data + right.get(address, bytes(LINE))[len(data) :]
    system.advance("3ns")  # two cycles: the queue has accepted them, and none is done
    assert system.completions() == []
    for save_for, recover_for in [("900us", "2ms"), ("3ms", "1ms"), (None, None)]:
        system.power_fail(save_for)
        over = system.power_on(recover_for)
        for address, line in right.items():
            assert system.peek(address) == (line if persistence == "controller" else bytes(LINE))
    assert over
    assert system.stats["nvdimm.power.hold_up_us"] <= system.stats["nvdimm.power.worst_hold_up_us"]
    assert system.stats["nvdimm.power.spared_lines"] == (120 if persistence == "controller" else 0)


@pytest.mark.parametrize("channels", [1, 2, 4])
def test_a_commit_after_a_flush_survives_only_with_all_earlier_records(channels: int) -> None:
    """The records are on the first channel, the commit is on the last."""
    keys = {
        **SMALL,
        "nvdimm.ftl.over_provisioning": 110,
        "controller.channels": channels,
        "frontend.node.persistence": "module",
    }
    survived = set()
    for nanoseconds in range(0, 3000, 50):
        system = System("mascots16", keys)
        nvdimm = system.config.capacities()["dram"]
        records = [nvdimm + channels * (n // 8) * PAGE + n % 8 * LINE for n in range(24)]
        commit = nvdimm + (channels - 1) * PAGE + 32 * LINE
        for record in records:
            assert system.enqueue(record, write=True, data=bytes([1] * LINE)) is not None
        assert system.flush() is not None
        assert system.enqueue(commit, write=True, data=bytes([2] * LINE)) is not None
        if nanoseconds:
            system.advance(f"{nanoseconds}ns")
        system.power_fail()
        assert system.power_on()
        kept = [system.peek(record) != bytes(LINE) for record in records]
        committed = system.peek(commit) != bytes(LINE)
        assert all(kept) or not committed, f"at {nanoseconds} ns {kept.count(False)} are missing"
        survived.add((any(kept), committed))
    assert survived == {(False, False), (True, False), (True, True)}


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ({}, 128),
        ({"frontend.node.persistence": "module"}, 0),
        ({"controller.queue_depth": 40}, 40),
        ({"controller.structure": "two_level"}, 128 + 32 // 2),
        ({"controller.queues": "split", "controller.nvdimm_queue_depth": 10}, 10),
    ],
)
def test_the_worst_save_includes_a_full_queue(keys: dict[str, object], lines: int) -> None:
    if "controller.queues" in keys:
        keys = {**keys, "controller.arbiter": "oldest_first"}
    worst = System("mascots16", {**SMALL, **keys}).stats["nvdimm.power.worst_hold_up_us"]
    frames, luns = 4, 2
    pages = frames + lines  # programmed by both, and completed from one
    assert worst == -(-pages // luns) * 650 + pages * 50
    pcm = {**KINDS["pcm"], **keys}
    entries = int(System("pcm", pcm).config.resolved()["nvdimm.media.write_queue"])
    worst = System("pcm", pcm).stats["nvdimm.power.worst_hold_up_us"]
    assert worst == pytest.approx((entries + lines) * 0.215)


def test_energy_must_be_enough_for_the_queue() -> None:
    parts = ("nvdimm.power.energy:", "123 mJ", "132 dirty pages", "49500")
    with pytest.raises(InputError, match=naming(*parts)):
        System("mascots16", {**SMALL, "nvdimm.power.energy": 123})
    System("mascots16", {**SMALL, "nvdimm.power.energy": 124})


def test_a_failure_that_takes_too_much_energy_loses_requests_like_any_other(tmp_path: Path) -> None:
    keys = {**SMALL, "nvdimm.precondition.fill": 1, "nvdimm.power.energy": 124}
    system = System("mascots16", keys)
    for page in range(120):
        system.enqueue(2 * 1024**3 + page * PAGE, write=True, data=bytes(LINE))
    system.advance("3ns")
    with pytest.raises(InputError, match=naming("nvdimm.power.energy:", "124 mJ")):
        system.power_fail()  # collections take the rest
    assert system.power_on()
    system.save(tmp_path / "after.ckpt")
    loaded = System.load(tmp_path / "after.ckpt")
    assert loaded.enqueue(2 * 1024**3) is not None
    loaded.advance("1ms")
    assert len(loaded.completions()) == 1


def test_pages_of_one_lun_are_completed_one_after_the_other() -> None:
    keys = {"nvdimm.precondition.fill": 1, "frontend.node.persistence": "module"}
    system = System("mascots16", {**SMALL, **keys})
    for page in range(0, 8, 2):  # every second page is the first LUN's: four frames
        system.enqueue(2 * 1024**3 + page * PAGE, write=True, data=bytes(LINE))
    system.advance("1us")
    assert len(system.completions()) == 4
    system.power_fail()
    stats = system.stats
    assert stats["nvdimm.power.merged_pages"] == stats["nvdimm.power.flushed_pages"] == 4
    assert stats["nvdimm.power.hold_up_us"] == 2 * 650 + 4 * 50
    assert stats["nvdimm.power.worst_hold_up_us"] == 2 * 650 + 4 * 50
