# SPDX-License-Identifier: BSD-3-Clause
"""Does every parameter of disks, flash devices, tables, stripes and page caches change something?

Kind array and the software path have test_storage_parameters_act.py; what is inside a flash
device's module is the NVDIMM's, test_parameters_act.py. Parameters of the policies inside, and of
those of a page cache, act here as in the NVDIMM.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from block_runs import assert_may_be_cut, assert_parts_add_up, statistics_of
from hmsim import InputError
from hmsim._core import Simulation, policies
from hmsim.config.configuration import load_config
from messages import naming

# The same system with each kind, of 64 MiB.
PLAIN: dict[str, Any] = {"storage.path.driver": "none", "storage.capacity": "64MiB"}
FLASH: dict[str, Any] = {
    **PLAIN,
    "storage.kind": "flash",
    "storage.flash.capacity": "128MiB",
    "storage.flash.ftl.over_provisioning": 60,
    "storage.flash.buffer.read_size": "256KiB",
    "storage.flash.buffer.write_size": "256KiB",
    "storage.flash.queue_depth": 8,
    "storage.flash.duplex": True,
    "storage.flash.pages": 16,
}
DISK: dict[str, Any] = {**PLAIN, "storage.kind": "disk"}
TABLE: dict[str, Any] = {**PLAIN, "storage.kind": "table"}
CACHE: dict[str, Any] = {**TABLE, "storage.cache.first": "1MiB", "storage.cache.second": "4MiB"}
STRIPE: dict[str, Any] = {**TABLE, "storage.stripe.members": 2}
WRITE_CACHE: dict[str, Any] = {**TABLE, "storage.write_cache.size": "64KiB"}
BASES = {
    **{"flash": FLASH, "disk": DISK, "table": TABLE, "stripe": STRIPE, "cache": CACHE},
    "write_cache": WRITE_CACHE,
}

OTHER: dict[str, Any] = {
    "storage.table.read": "4KiB=50us, 64KiB=90us",
    "storage.table.write": "4KiB=50us, 64KiB=90us",
    "storage.table.flush": "70us",
    "storage.table.channels": 3,
    "storage.stripe.members": 4,
    "storage.stripe.unit": "16KiB",
    "storage.stripe.bus": "5us",
    "storage.cache.first": "2MiB",
    "storage.cache.second": "8MiB",
    "storage.cache.replacement": "lirs",
    "storage.cache.hit": "3us",
    "storage.cache.line": "60ns",
    "storage.cache.slow_down": 10,
    "storage.cache.mover": "lines",
    "storage.cache.window": 2,
    "storage.cache.read_ahead": 32,
    "storage.cache.reserve": "64KiB",
    "storage.write_cache.size": "128KiB",
    "storage.write_cache.hit": "5us",
    "storage.write_cache.depth": 1,
    "storage.disk.rpm": 15000,
    "storage.disk.track": "512KiB",
    "storage.disk.track_seek": "1ms",
    "storage.disk.average_seek": "4ms",
    "storage.disk.write_settle": "2ms",
    "storage.disk.overhead": "1ms",
    "storage.disk.interface": "20us",
    "storage.disk.buffer": "0B",
    "storage.disk.elevator": False,
    "storage.flash.read_driver.request": "9us",
    "storage.flash.read_driver.kib": "3us",
    "storage.flash.write_driver.request": "9us",
    "storage.flash.write_driver.kib": "3us",
    "storage.flash.queue_depth": 2,
    "storage.flash.pages": 4,
    "storage.flash.command": "50us",
    "storage.flash.firmware.time": "50us",
    "storage.flash.firmware.occupied": "50us",
    "storage.flash.firmware.lanes": 2,
    "storage.flash.duplex": False,
    "storage.flash.to_host": "9us",
    "storage.flash.from_host": "9us",
    "storage.flash.capacity": "160MiB",
    "storage.flash.unmapped_read": "zero",
}
# Parts of the module. One key of each shows that its parameters have an effect.
INSIDE = {
    "buffer": ("lookup", "1us"),
    "ftl": ("over_provisioning", 80),
    "nand": ("program_time", "900us"),
    "gc": ("hold_channel", True),
    "precondition": ("fill", 0.5),
}
OTHER |= {f"storage.flash.{part}.{key}": value for part, (key, value) in INSIDE.items()}
# These matter when blocks have to be collected.
FULL = {"storage.flash.precondition.fill": 1, "storage.flash.precondition.overwrite": 1}
ALONE = {
    f"storage.flash.{name}": FULL
    for name in ("capacity", "ftl.over_provisioning", "gc.hold_channel")
}
ALONE |= {
    "storage.flash.firmware.occupied": {"storage.flash.firmware.time": "50us"},
    "storage.flash.firmware.lanes": {
        "storage.flash.firmware.time": "50us",
        "storage.flash.firmware.occupied": "50us",
    },
}
# The second level is lines of an NVDIMM.
BUS = {"nvdimm.present": True, "nvdimm.kind": "pcm", "nvdimm.capacity": "1GiB"}
ALONE |= {
    "storage.cache.mover": BUS,
    "storage.cache.window": {**BUS, "storage.cache.mover": "lines"},
}


def names() -> list[str]:
    found = [entry["name"] for entry in Simulation.parameters()]
    own = [name for name in found if name.startswith("storage.") and name.split(".")[1] in BASES]
    return [name for name in own if name in OTHER or name.split(".")[2] not in INSIDE]


def trace() -> str:
    """Return an I/O log of fio: mostly near places, streams, and some syncs."""
    draw = random.Random(1)
    lines = ["fio version 2 iolog", "/x add", "/x open"]
    at = 0
    for number in range(1200):
        size = 512 * draw.choice((1, 8, 8, 16, 100))
        near = draw.randrange(1 + draw.randrange(1 + draw.randrange(120_000)))
        at = 512 * near if draw.random() < 0.6 else at + size
        lines.append(f"/x {draw.choice(('read', 'write'))} {at} {size}")
        if number % 200 == 199:
            lines.append("/x sync")
    return "\n".join([*lines, "/x close", ""])


@pytest.fixture(scope="module", autouse=True)
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("devices") / "requests.fio"
    path.write_text(trace(), encoding="utf-8")
    statistics.cache_clear()
    return path


@cache
def statistics(path: Path, kind: str, name: str = "", value: Any = None) -> dict[str, Any]:
    """Return the statistics of a short run on a kind, with another value of a parameter."""
    overrides = {**BASES[kind], **ALONE.get(name, {}), **({name: value} if value else {})}
    if value is False:
        overrides[name] = False
    config = load_config("storage/moneta", overrides, where="test")
    return statistics_of(config, path, "fio")


@pytest.mark.parametrize("name", names())
def test_every_parameter_acts(name: str, path: Path) -> None:
    kind = name.split(".")[1]
    before = statistics(path, kind, name if name in ALONE else "")
    assert statistics(path, kind, name, OTHER[name]) != before, "changes no statistic"


def test_the_table_names_known_parameters() -> None:
    assert {*OTHER} == {*names()}


@pytest.mark.parametrize("kind", BASES)
def test_parts_of_latencies_add_up(kind: str, path: Path) -> None:
    assert_parts_add_up(statistics(path, kind))


# Settings that make a flash device, or a page cache, use a policy of a kind.
CHOOSES = {
    "victim_selector": ("storage.flash.ftl.victim",),
    "gc_scheduler": ("storage.flash.gc.scheduler",),
    "buffer_manager": ("storage.flash.buffer.manager",),
    "buffer_replacement": ("storage.flash.buffer.replacement", "storage.cache.replacement"),
}
# A flash device that collects all the time.
COLLECTING: dict[str, Any] = {
    "storage.flash.capacity": "80MiB",
    "storage.flash.ftl.over_provisioning": 20,
    "storage.flash.nand.pages_per_block": 16,
    "storage.flash.precondition.fill": 1,
    "storage.flash.precondition.overwrite": 2,
}
POLICIES: dict[str, Any] = {
    "policies.background.soft_threshold": 20,
    "policies.d_choices.d": 2,
    "policies.lirs.high_share": 50,
    "policies.lirs.ghosts": 10,
    "policies.preemptive.unplaced": True,
    "policies.preevict.low_water": 50,
    "policies.prefetch_preevict.low_water": 50,
    "policies.watermark.high": 90,
    "policies.watermark.low": 10,
    "policies.proactive.estimate": "parallel",
    "policies.proactive.lun": "shared",
    "policies.proactive.stages": "1",
}
# Other settings that some of them need to act.
POLICIES_ALONE: dict[str, dict[str, Any]] = {
    "policies.background.soft_threshold": {
        "storage.flash.ftl.gc_threshold": 0.02,
        "storage.flash.precondition.fill": 0.9,
        "storage.flash.precondition.overwrite": 0,
    },
    "policies.lirs.ghosts": {"policies.lirs.high_share": 10},
}


def policy_parameters() -> list[tuple[str, str, str]]:
    """Return the parameter that chooses a policy, the policy, and one of its parameters."""
    return [
        (chooser, policy["name"], parameter["name"])
        for policy in policies()
        for chooser in CHOOSES.get(policy["kind"], ())
        for parameter in policy["parameters"]
    ]


@pytest.mark.parametrize(("chooser", "policy", "name"), policy_parameters())
def test_every_policy_parameter_acts(chooser: str, policy: str, name: str, path: Path) -> None:
    kind = chooser.split(".")[1]
    chosen = {**BASES[kind], **(COLLECTING if kind == "flash" else {}), chooser: policy}
    chosen |= POLICIES_ALONE.get(name, {})
    before, after = (
        statistics_of(load_config("storage/moneta", overrides, where="test"), path, "fio")
        for overrides in (chosen, {**chosen, name: POLICIES[name]})
    )
    assert before != after, "changes no statistic"


WRONG = {
    ("table", "storage.table.read"): ("4KiB:5us", "512B=80us"),
    ("table", "storage.table.flush"): ("0s", "1ns"),
    ("stripe", "storage.stripe.unit"): ("1000B", "1KiB"),
    ("stripe", "storage.capacity"): ("65540KiB", " 64MiB"),
    ("disk", "storage.disk.track_seek"): ("20ms", "a revolution"),
    ("flash", "storage.flash.capacity"): ("100001KiB", "storage.flash.nand"),
    ("flash", "storage.capacity"): ("1GiB", "storage.flash.capacity"),
    ("flash", "storage.flash.precondition.load"): ("a_file", "NVDIMM"),
    ("flash", "storage.flash.precondition.resident"): (0.5, "NVDIMM"),
    ("flash", "storage.flash.buffer.granularity"): ("item", "'page'"),
    ("flash", "storage.flash.policies.d_choices.d"): (3, "'policies.d_choices.d'?"),
    ("cache", "storage.cache.first"): ("5000B", "4KiB"),
    ("cache", "storage.cache.replacement"): ("lur", "lru"),
    ("cache", "storage.cache.read_ahead"): (129, "128 pages"),
    ("cache", "storage.cache.reserve"): ("1MiB", "512KiB"),
    ("write_cache", "storage.write_cache.size"): ("5000B", "4KiB"),
    ("write_cache", "storage.write_cache.hit"): ("0s", "1ns"),
}


@pytest.mark.parametrize(("kind", "name"), sorted(WRONG))
def test_what_is_wrong_is_told_with_the_nearest_choice(kind: str, name: str) -> None:
    value, message = WRONG[kind, name]
    with pytest.raises(InputError, match=naming(f"test: {name}: ", message)):
        load_config("storage/moneta", {**BASES[kind], name: value}, where="test").check()


@pytest.mark.parametrize("kind", BASES)
def test_a_run_may_be_cut_anywhere(kind: str, path: Path) -> None:
    config = load_config("storage/moneta", BASES[kind], where="test")
    assert_may_be_cut(config, path, "fio", (1, 333, 2_111))
