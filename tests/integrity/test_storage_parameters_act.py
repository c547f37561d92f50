# SPDX-License-Identifier: BSD-3-Clause
"""Does every parameter of storage and paging change some statistic, or is it refused?

What is inside a flash device's module is the NVDIMM's, test_parameters_act.py. Parameters of the
policies inside, and of those of a page cache, act here as in the NVDIMM.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hmsim import Config, InputError, load_config, run
from hmsim._core import Simulation, policies
from hmsim.common.paths import shipped
from messages import naming
from storage_values import BASES, BUS, COLLECTING, INSIDE, OTHER
from test_policy_parameters import OTHER as POLICIES
from test_policy_parameters import other

SYSTEM = "storage/moneta"
PAGED = {"kind": "synthetic_core", "rpki": 20, "wpki": 10, "footprint": "1MiB", "paged": True}
PAGERS = [{**PAGED, "core": core, "instructions": 60_000} for core in (0, 1)]
# These matter when blocks have to be collected.
FULL = {"storage.flash.precondition.fill": 1, "storage.flash.precondition.overwrite": 1}
# Other settings that a parameter needs to act.
COMPANY: dict[str, dict[str, Any]] = {
    "storage.kind": {"nvdimm.present": True},
    **{
        f"storage.flash.{name}": FULL
        for name in ("capacity", "ftl.over_provisioning", "gc.hold_channel")
    },
    "storage.flash.firmware.occupied": {"storage.flash.firmware.time": "50us"},
    "storage.flash.firmware.lanes": {
        "storage.flash.firmware.time": "50us",
        "storage.flash.firmware.occupied": "50us",
    },
    "storage.cache.mover": BUS,  # the second level is lines of an NVDIMM
    "storage.cache.window": {**BUS, "storage.cache.mover": "lines"},
}
REFUSED = {"storage.memory.capacity": "storage.capacity"}  # too small for it
# tests/cc/simulation/job_storage_test.cc; a test below.
ELSEWHERE = ("storage.path.jobs", "storage.path.once")


def names() -> list[str]:
    """Return the parameters, of a flash device's module only one a part."""
    found = [entry["name"] for entry in Simulation.parameters()]
    inside = tuple(f"storage.flash.{part}." for part in INSIDE)
    return [
        name
        for name in found
        if name.startswith("storage.")
        and name not in ELSEWHERE
        and (name in OTHER or not name.startswith(inside))
    ]


def kind_of(name: str) -> str:
    part = name.split(".")[1]
    return part if part in BASES else "array"


def requests() -> str:
    """Return an I/O log of fio: mostly near places, streams, and some syncs."""
    draw = random.Random(1)
    lines = ["fio version 2 iolog", "/x add", "/x open"]
    at = 0
    for number in range(1200):
        size = 512 * draw.choice((1, 8, 8, 16, 100, 400 if number % 8 == 0 else 8))
        near = draw.randrange(1 + draw.randrange(1 + draw.randrange(120_000)))
        at = 512 * near if draw.random() < 0.6 else at + size
        lines.append(f"/x {draw.choice(('read', 'write'))} {at} {size}")
        if number % 200 == 199:
            lines.append("/x sync")
    return "\n".join([*lines, "/x close", ""])


@pytest.fixture(scope="module", autouse=True)
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("storage") / "requests.fio"
    path.write_text(requests(), encoding="utf-8")
    statistics.cache_clear()
    return path


def blocks(path: Path, trace_format: str = "fio") -> dict[str, str]:
    return {"kind": "block_trace", "path": str(path), "format": trace_format, "threads": "16"}


def system(kind: str, **settings: Any) -> Config:
    return load_config(SYSTEM, {**BASES[kind], **settings}, where="test")


@cache
def statistics(path: Path, kind: str, changes: tuple[tuple[str, Any], ...] = ()) -> dict[str, Any]:
    """Return the statistics of a short run on a kind of storage."""
    agents = PAGERS if kind == "paging" else [blocks(path)]
    return dict(run(system(kind, **dict(changes)), {"agents": agents}).stats)


@pytest.mark.parametrize("name", names())
def test_every_parameter_acts(name: str, path: Path) -> None:
    company = tuple(COMPANY.get(name, {}).items())
    changed = (*company, (name, OTHER.get(name, 7)))  # watts and nanojoules: 7
    if name in REFUSED:
        with pytest.raises(InputError, match=REFUSED[name]):
            statistics(path, kind_of(name), changed)
        return
    before = statistics(path, kind_of(name), company)
    assert statistics(path, kind_of(name), changed) != before, "changes no statistic"


def test_the_tables_name_known_parameters() -> None:
    assert {*OTHER, *COMPANY, *REFUSED} <= {*names()}
    assert all(name.startswith("storage.power.") for name in {*names()} - {*OTHER})


@pytest.mark.parametrize("kind", [kind for kind in BASES if kind != "paging"])
def test_parts_of_latencies_add_up(kind: str, path: Path) -> None:
    stats = statistics(path, kind)
    for way in ("read", "write"):
        prefix = f"storage.{way}."
        parts = [value for name, value in stats.items() if name.startswith(prefix)]
        assert sum(parts) == pytest.approx(stats[f"storage.{way}_latency_us.mean"], rel=1e-12)


def test_outstanding_is_rate_times_latency() -> None:
    agent = {"kind": "io_pattern", "threads": 16, "size": "4KiB, 200KiB", "requests": 400}
    stats = run(system("array"), {"agents": [{**agent, "read_share": 0.5}]}).stats
    waited = sum(
        stats[f"storage.{way}s"] * stats[f"storage.{way}_latency_us.mean"]
        for way in ("read", "write")
    )
    outstanding = waited / (stats["sim.ticks"] / 1e6)
    assert stats["storage.outstanding"] == pytest.approx(outstanding, rel=1e-12)


def test_software_time_may_count_once_for_a_request_and_its_flushes(tmp_path: Path) -> None:
    path = tmp_path / "flushes.blkparse"
    path.write_text(
        "".join(f"8,0 0 {i} 0.000000000 1 Q FWFS {8 * i} + 8 [x]\n" for i in range(1, 40)),
        encoding="utf-8",
    )
    agents = {"agents": [blocks(path, "blkparse")]}
    both = [
        run(system("array", **{"storage.path.once": once}), agents).stats for once in (False, True)
    ]
    assert both[0]["storage.flushes"] == both[1]["storage.flushes"] == 2 * 39
    assert both[0]["storage.write.entry_us"] > 0
    assert both[1]["storage.write.entry_us"] == 0  # the flush before the data has it


def test_only_paged_agents_wait(path: Path) -> None:
    agents = [{**PAGERS[0], "paged": False}, PAGERS[1]]
    free = run(system("paging"), {"agents": agents}).stats
    assert "core.0.page_faults" not in free and free["core.1.page_faults"] > 100
    assert free["core.0.ipc"] > 20 * statistics(path, "paging")["core.0.ipc"]


# Settings that make a flash device, or a page cache, use a policy of a kind.
CHOOSES = {
    "victim_selector": ("storage.flash.ftl.victim",),
    "page_placement": ("storage.flash.ftl.placement",),
    "wear_leveler": ("storage.flash.ftl.wear",),
    "map_replacement": ("storage.flash.ftl.map_replacement",),
    "gc_scheduler": ("storage.flash.gc.scheduler",),
    "buffer_manager": ("storage.flash.buffer.manager",),
    "buffer_replacement": ("storage.flash.buffer.replacement", "storage.cache.replacement"),
}
# Values, and other settings, that differ from those for an NVDIMM.
OWN_POLICIES = {"policies.background.soft_threshold": 20, "policies.lirs.ghosts": 10}
POLICIES_ALONE: dict[str, dict[str, Any]] = {
    "policies.background.soft_threshold": {
        "storage.flash.ftl.gc_threshold": 0.02,
        "storage.flash.precondition.fill": 0.9,
        "storage.flash.precondition.overwrite": 0,
    },
    "policies.lirs.ghosts": {"policies.lirs.high_share": 10},
    "policies.erase_table.set": {"policies.erase_table.threshold": 1},
    "policies.two_level_map.ahead": {
        "storage.flash.ftl.map": "cached",
        "storage.flash.ftl.map_cache": "2KiB",
    },
}


@pytest.mark.parametrize(
    ("chooser", "policy", "parameter"),
    [
        pytest.param(chooser, policy["name"], parameter, id=f"{chooser}-{parameter['name']}")
        for policy in policies()
        for chooser in CHOOSES.get(policy["kind"], ())
        for parameter in policy["parameters"]
    ],
)
def test_every_policy_parameter_acts(
    chooser: str, policy: str, parameter: dict[str, Any], path: Path
) -> None:
    name, kind = parameter["name"], kind_of(chooser)
    chosen = {**(COLLECTING if kind == "flash" else {}), chooser: policy}
    chosen |= POLICIES_ALONE.get(name, {})
    value = OWN_POLICIES.get(name, POLICIES.get(name, other(parameter)))
    before = statistics(path, kind, tuple(chosen.items()))
    assert statistics(path, kind, (*chosen.items(), (name, value))) != before


WRONG = {
    ("array", "storage.array.stripe"): ("0B", "512B"),
    ("array", "storage.array.tags"): (0, "65536"),
    ("array", "storage.path.contexts"): (0, "4096"),
    ("array", "storage.array.buffer"): ("16000B", "512B"),
    ("array", "storage.capacity"): ("65GiB", "64GiB"),
    ("array", "storage.memory.queue"): ("4KiB", "8KiB"),
    ("array", "storage.kind"): ("aray", "array"),
    ("array", "storage.path.driver"): ("moneta_spn", "moneta_spin"),
    ("array", "storage.path.issue_read"): ("2s", "1s"),
    ("table", "storage.capacity"): ("0B", "4KiB"),
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
def test_errors_name_the_nearest_choice(kind: str, name: str) -> None:
    value, message = WRONG[kind, name]
    with pytest.raises(InputError, match=naming(f"test: {name}: ", message)) as caught:
        system(kind, **{name: value})
    assert "\n" not in str(caught.value).strip() or kind != "array"


@pytest.mark.parametrize("name", sorted(shipped("configs/storage")))
def test_shipped_configurations_are_valid_and_named_by_kind(name: str) -> None:
    config = load_config(f"storage/{name}")
    config.check()
    kind = config.resolved()["storage.kind"]
    kinds = {"ddr": "none", "fusion": "flash", "buffer_cache": "disk", "raid_disk": "disk"}
    kinds |= {"raid_ssd_sc10": "flash", "raid_ssd_moneta": "table", "mqsim_ssd": "flash"}
    kinds |= {"tlc": "flash", "qlc": "flash"}
    assert kind == next((kinds[start] for start in kinds if name.startswith(start)), "array")


def test_an_unknown_configuration_names_the_nearest() -> None:
    with pytest.raises(InputError, match="'storage/moneta'"):
        load_config("storage/monetta")


@pytest.mark.parametrize("kind", [kind for kind in BASES if kind != "paging"])
def test_a_run_may_be_cut_anywhere(kind: str, path: Path) -> None:
    agent = [*{**blocks(path), "path": "t"}.items()]
    data = path.read_bytes()

    def simulation() -> Simulation:
        content = lambda agent, offset: data[offset:]  # noqa: E731
        return Simulation(system(kind).flat(), [agent], 1, 0, 0, content, [len(data)])

    def end(started: Simulation) -> list[Any]:
        while not started.run(1_000):
            pass
        return list(started.statistics())

    whole = end(simulation())
    for steps in (1, 50, 333, 2_111):
        first, second = simulation(), simulation()
        first.run(steps)
        second.load(first.save(), "the checkpoint")
        assert end(second) == whole
