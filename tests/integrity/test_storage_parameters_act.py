# SPDX-License-Identifier: BSD-3-Clause
"""Does every parameter of storage change some statistic, or is it refused?"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from block_runs import assert_may_be_cut, assert_parts_add_up, statistics_of
from hmsim import InputError
from hmsim._core import Simulation
from hmsim.common.paths import shipped
from hmsim.config.configuration import load_config
from messages import naming

# Sixteen threads with requests of all sizes use all contexts, tags and buffers, of which there are
# few.
BASE: dict[str, Any] = {
    "storage.path.contexts": 6,
    "storage.path.max_request": "64KiB",
    "storage.array.tags": 12,
    "storage.memory.row": "4KiB",
    "storage.memory.start_gap": 30,
}
# A value that differs from moneta.yaml's.
OTHER: dict[str, Any] = {
    "storage.kind": "none",
    "storage.capacity": "1GiB",
    "storage.path.driver": "moneta_base",
    "storage.path.page_time": "1us",
    "storage.path.copy_in": "1us",
    "storage.path.copy_out": "1us",
    "storage.path.queue_hold": "5us",
    "storage.path.issue_hold": "5us",
    "storage.path.spin_up_to": "16KiB",
    "storage.path.contexts": 3,
    "storage.path.max_request": "8KiB",
    "storage.path.file_system.time": "5us",
    "storage.path.file_system.read_hold": "9us",
    "storage.path.file_system.write_hold": "9us",
    "storage.link.to_host": "2us",
    "storage.link.to_host_fixed": "1us",
    "storage.link.from_host": "2us",
    "storage.link.from_host_fixed": "0us",
    "storage.array.tags": 2,
    "storage.array.queues": 1,
    "storage.array.queue_of": "submitter",
    "storage.array.order": "fifo",
    "storage.array.buffers": 1,
    "storage.array.shared_buffers": True,
    "storage.array.buffer": "4KiB",
    "storage.array.stripe": "4KiB",
    "storage.array.ring_to": "1us",
    "storage.array.ring_from": "1us",
    "storage.array.end_time": "1us",
    "storage.memory.controllers": 8,
    "storage.memory.capacity": "4GiB",
    "storage.memory.queue": "64KiB",
    "storage.memory.row": "2KiB",
    "storage.memory.read_time": "1us",
    "storage.memory.write_time": "1us",
    "storage.memory.read_base": "1us",
    "storage.memory.write_base": "1us",
    "storage.memory.read_per_kib": "1us",
    "storage.memory.write_per_kib": "1us",
    "storage.memory.wake_up": "1us",
    "storage.memory.start_gap": "off",
    "storage.memory.selective_writes": True,
    "storage.power.dies": 8,
}
LAYERS = ("entry", "queue", "tag", "issue", "interrupt", "wake", "leave")
OTHER |= {f"storage.path.{layer}_{way}": "7us" for layer in LAYERS for way in ("read", "write")}
REFUSED = {"storage.memory.capacity": "storage.capacity"}  # too small for it


# Kinds and layers that test_storage_devices_act.py and test_paging_acts.py cover.
OF_JOBS = "storage.path.jobs"  # tests/cc/simulation/job_storage_test.cc
OF_FLUSHES = "storage.path.once"
OTHERS = ("cache", "disk", "flash", "paging", "stripe", "table", "write_cache")


def names() -> list[str]:
    found = [entry["name"] for entry in Simulation.parameters()]
    own = [name for name in found if name.startswith("storage.")]
    elsewhere = (OF_JOBS, OF_FLUSHES)
    return [name for name in own if name.split(".")[1] not in OTHERS and name not in elsewhere]


def other(name: str) -> Any:
    return 7 if name.startswith("storage.power.") and name not in OTHER else OTHER[name]


def trace() -> str:
    draw = random.Random(1)
    lines = []
    for _ in range(400):
        sectors = draw.choice((1, 8, 8, 16, 100, 400))
        lines.append(f"0 0 {draw.randrange(1 << 22)} {sectors} {draw.randrange(2)}\n")
    return "".join(lines)


@pytest.fixture(scope="module", autouse=True)
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("storage") / "requests.mqsim"
    path.write_text(trace(), encoding="utf-8")
    statistics.cache_clear()
    return path


@cache
def statistics(path: Path, name: str = "", value: Any = None) -> dict[str, Any]:
    """Return the statistics of a short run with another value of a parameter."""
    overrides = {**BASE, **({name: value} if name else {})}
    if name == "storage.kind":
        overrides["nvdimm.present"] = True
    config = load_config("storage/moneta", overrides, where="test")
    return statistics_of(config, path, "mqsim")


@pytest.mark.parametrize("name", names())
def test_every_parameter_acts(name: str, path: Path) -> None:
    if name in REFUSED:
        with pytest.raises(InputError, match=REFUSED[name]):
            statistics(path, name, other(name))
        return
    assert statistics(path, name, other(name)) != statistics(path), "changes no statistic"


def test_software_may_come_once_for_a_request_and_its_flushes(tmp_path: Path) -> None:
    path = tmp_path / "flushes.blkparse"
    path.write_text(
        "".join(f"8,0 0 {i} 0.000000000 1 Q FWFS {8 * i} + 8 [x]\n" for i in range(1, 40)),
        encoding="utf-8",
    )
    both = []
    for once in (False, True):
        config = load_config("storage/moneta", {**BASE, OF_FLUSHES: once}, where="test")
        both.append(statistics_of(config, path, "blkparse"))
    assert both[0]["storage.flushes"] == both[1]["storage.flushes"] == 2 * 39
    assert both[0]["storage.write.entry_us"] > 0
    assert both[1]["storage.write.entry_us"] == 0  # the flush before the data has it


def test_the_tables_name_known_parameters() -> None:
    assert {*OTHER, *BASE, *REFUSED} <= {*names()}


def test_parts_of_latencies_add_up(path: Path) -> None:
    assert_parts_add_up(statistics(path))


def test_little(path: Path) -> None:
    stats = statistics(path)
    time = stats["sim.ticks"] / 1e6
    waited = sum(
        stats[f"storage.{way}s"] * stats[f"storage.{way}_latency_us.mean"]
        for way in ("read", "write")
    )
    assert stats["storage.outstanding"] == pytest.approx(waited / time, rel=1e-12)


WRONG = {
    "storage.array.stripe": ("0B", "512B"),
    "storage.array.tags": (0, "65536"),
    "storage.path.contexts": (0, "4096"),
    "storage.array.buffer": ("16000B", "512B"),
    "storage.capacity": ("65GiB", "64GiB"),
    "storage.memory.queue": ("4KiB", "8KiB"),
    "storage.kind": ("aray", "array"),
    "storage.path.driver": ("moneta_spn", "moneta_spin"),
    "storage.path.issue_read": ("2s", "1s"),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_what_is_wrong_is_told_with_the_nearest_choice(name: str) -> None:
    value, message = WRONG[name]
    with pytest.raises(InputError, match=naming(f"test: {name}: ", message)) as caught:
        load_config("storage/moneta", {name: value}, where="test").check()
    assert "\n" not in str(caught.value).strip()


def test_no_capacity_is_an_error() -> None:
    with pytest.raises(InputError, match=r"storage\.capacity.*4KiB"):
        load_config("storage/moneta", {"storage.capacity": "0B"}, where="test").check()


@pytest.mark.parametrize("name", sorted(shipped("configs/storage")))
def test_shipped_configurations_are_in_order_and_have_names(name: str) -> None:
    config = load_config(f"storage/{name}")
    config.check()
    kind = config.resolved()["storage.kind"]
    kinds = {"ddr": "none", "fusion": "flash", "buffer_cache": "disk", "raid_disk": "disk"}
    kinds |= {"raid_ssd_sc10": "flash", "raid_ssd_moneta": "table", "mqsim_ssd": "flash"}
    assert kind == next((kinds[start] for start in kinds if name.startswith(start)), "array")


def test_a_name_that_is_none_is_told_the_nearest() -> None:
    with pytest.raises(InputError, match="'storage/moneta'"):
        load_config("storage/monetta")


def test_a_run_may_be_cut_anywhere(path: Path) -> None:
    config = load_config("storage/moneta", BASE, where="test")
    assert_may_be_cut(config, path, "mqsim", (1, 50, 333, 1_111))
