# SPDX-License-Identifier: BSD-3-Clause
"""Does every parameter of the NVDIMM change some statistic, or cause the expected error?"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from hmsim import InputError, System
from hmsim._core import Simulation
from keys import keys
from shadow import LINE, PAGE, SMALL

pytestmark = pytest.mark.slow

BASE: dict[str, Any] = {
    **SMALL,
    "nvdimm.capacity": "4MiB",
    "nvdimm.nand.chips": 2,
    "nvdimm.ftl.wear_gap": "off",
    **keys("nvdimm.precondition.", "fill=0.5 overwrite=8"),
}
# Values that differ from BASE. Parameters in REFUSED must be rejected with the settings of COMPANY.
OTHER: dict[str, Any] = {
    **keys(
        "nvdimm.",
        "present=false attach=cxl access=block count=2 interleave=device interleave_size=8KiB "
        "capacity=8MiB unmapped_read=zero command_queue=1 ack_order=command kind=pcm",
    ),
    "nvdimm.devices": "1: nand.read_time=80us",
    **keys(
        "nvdimm.buffer.",
        "read_size=64KiB write_size=32KiB granularity=item item_reads=own lookup=80ns port=serial "
        "release=datain flush=writeback manager=preevict replacement=lirs",
    ),
    **keys(
        "nvdimm.ftl.",
        "over_provisioning=90 allocation=static order=WCDP gc_threshold=0.25 reserve_blocks=6 "
        "frontier=shared victim=fifo partial_writes=pad map=cached map_cache=1KiB map_entry=64B "
        "placement=hot_cold_frequency streams=3 "
        "map_replacement=lru_pages wear=random_block wear_gap=1 slc_size=dynamic",
    ),
    **keys(
        "nvdimm.nand.",
        "channels=4 chips=1 dies=2 planes=2 page_size=8KiB register_hits=true pages_per_block=4 "
        "interface=sdr mode=3 bus_rate=100MT/s preset=slc program_model=mlc read_time=40us "
        "fast_read_time=30us middle_read_time=40us program_time=600us fast_program_time=300us "
        "middle_program_time=600us erase_time=3ms variation=5 multi_plane=true cache=true "
        "plane_busy_time=2us cache_busy_time=40us suspend=both suspend_time=100us "
        "resume_time=50us suspend_limit=1 factory_bad=0.05 endurance=1 wear_failure=0.03 "
        "program_failure=0.005 read_retry=0.5 read_retry_limit=1 ecc_time=5us command_time=200ns "
        "transfer_spare=true spare=512 change_column_time=2us cell_bits=3 slc_blocks=1 "
        "slc_read_time=40us slc_program_time=300us independent_reads=true",
    ),
    **keys("nvdimm.firmware.", "time=30us occupied=20us lanes=2"),
    **keys(
        "nvdimm.nand.energy.",
        "vcc=1800 icc_read=20000 icc_program=20000 icc_erase=20000 icc_bus=20000 standby=20",
    ),
    **keys("nvdimm.gc.", "scheduler=proactive urgent_limit=0.5 hold_channel=false"),
    **keys(
        "nvdimm.precondition.",
        "fill=1 overwrite=2 pattern=zipf buffer=dirty dirty=0.5 resident=0.5",
    ),
    "nvdimm.precondition.load": "no such file",
    **keys("nvdimm.power.", "energy=1 draw=5000"),
    **keys(
        "nvdimm.media.",
        "read_time=80ns write_time=300ns read_energy=2 write_energy=10 command_time=10ns banks=8 "
        "interleave=256B line=256B line_buffer=3 write_queue=2",
    ),
    **keys("nvdimm.media.start_gap.", "psi=3 regions=4 randomised=false"),
}
SLC = {"nvdimm.nand.slc_blocks": 1}
LARGE = {"nvdimm.nand.page_size": "16KiB", "nvdimm.capacity": "16MiB"}
# Other settings that a parameter needs to act.
COMPANY: dict[str, dict[str, Any]] = {
    "nvdimm.precondition.dirty": {"nvdimm.precondition.buffer": "dirty"},
    "nvdimm.precondition.resident": {"nvdimm.precondition.buffer": "resident"},
    "nvdimm.interleave": {"nvdimm.count": 2},
    "nvdimm.interleave_size": {
        "nvdimm.count": 2,
        "nvdimm.interleave": "range",
        "nvdimm.interleave_size": "4KiB",
    },
    "nvdimm.devices": {"nvdimm.count": 2},
    "nvdimm.buffer.replacement": {"controller.outstanding": 32},
    "nvdimm.ack_order": {"nvdimm.buffer.read_size": "512KiB", "nvdimm.buffer.write_size": "512KiB"},
    "nvdimm.buffer.item_reads": {
        "nvdimm.buffer.granularity": "item",
        "nvdimm.buffer.write_size": "4KiB",
        "nvdimm.capacity": "8MiB",
        "nvdimm.ftl.over_provisioning": 150,
    },
    "nvdimm.gc.urgent_limit": {"nvdimm.gc.scheduler": "preemptive", "nvdimm.ftl.reserve_blocks": 8},
    "nvdimm.ftl.streams": {"nvdimm.ftl.placement": "hot_cold_frequency"},
    "nvdimm.ftl.wear": {"policies.random_block.period": 2},
    "nvdimm.ftl.map": {"nvdimm.ftl.map_entry": "256B", "nvdimm.ftl.map_cache": "1KiB"},
    "nvdimm.ftl.map_replacement": {"nvdimm.ftl.map": "cached", "nvdimm.ftl.map_cache": "1KiB"},
    "nvdimm.ftl.map_cache": {"nvdimm.ftl.map": "cached", "nvdimm.ftl.map_entry": "256B"},
    "nvdimm.ftl.map_entry": {"nvdimm.ftl.map": "cached", "nvdimm.ftl.map_cache": "1KiB"},
    "nvdimm.ftl.partial_writes": LARGE,
    "nvdimm.ftl.slc_size": SLC,
    "nvdimm.nand.cell_bits": SLC,
    "nvdimm.nand.slc_read_time": SLC,
    "nvdimm.nand.slc_program_time": SLC,
    "nvdimm.nand.independent_reads": {"nvdimm.nand.planes": 2, "nvdimm.nand.multi_plane": True},
    "nvdimm.nand.change_column_time": LARGE,
    "nvdimm.nand.register_hits": LARGE,
    "nvdimm.nand.spare": {"nvdimm.nand.transfer_spare": True},
    "nvdimm.nand.mode": {"nvdimm.nand.interface": "sdr"},
    "nvdimm.nand.fast_read_time": {"nvdimm.nand.program_model": "mlc"},
    "nvdimm.nand.middle_read_time": {"nvdimm.nand.program_model": "tlc"},
    "nvdimm.nand.fast_program_time": {"nvdimm.nand.program_model": "mlc"},
    "nvdimm.nand.middle_program_time": {"nvdimm.nand.program_model": "tlc"},
    "nvdimm.nand.multi_plane": {"nvdimm.nand.planes": 2},
    "nvdimm.nand.plane_busy_time": {"nvdimm.nand.planes": 2, "nvdimm.nand.multi_plane": True},
    "nvdimm.nand.cache_busy_time": {"nvdimm.nand.cache": True},
    "nvdimm.nand.suspend_time": {"nvdimm.nand.suspend": "both"},
    "nvdimm.nand.resume_time": {"nvdimm.nand.suspend": "both"},
    "nvdimm.nand.suspend_limit": {"nvdimm.nand.suspend": "both"},
    "nvdimm.firmware.occupied": {"nvdimm.firmware.time": "30us"},
    "nvdimm.firmware.lanes": {"nvdimm.firmware.time": "30us", "nvdimm.firmware.occupied": "30us"},
    "nvdimm.nand.endurance": {"nvdimm.nand.wear_failure": 0.03},
    "nvdimm.nand.wear_failure": {"nvdimm.nand.endurance": 1},
    "nvdimm.nand.read_retry": {"nvdimm.nand.endurance": 10},
    "nvdimm.nand.read_retry_limit": {"nvdimm.nand.read_retry": 0.5, "nvdimm.nand.endurance": 10},
}
# These need media other than flash, and writes enough to move gaps.
MEDIA: dict[str, Any] = {
    **keys("nvdimm.", "kind=pcm capacity=4MiB"),
    "nvdimm.media.banks": 16,
    **keys("nvdimm.media.start_gap.", "psi=1 regions=16"),
}
COMPANY |= {name: MEDIA for name in OTHER if name.startswith("nvdimm.media.")}
COMPANY["nvdimm.media.line"] = {**MEDIA, "nvdimm.media.interleave": "256B"}
COMPANY["nvdimm.media.line_buffer"] = {
    **COMPANY["nvdimm.media.line"],
    "nvdimm.media.line": "256B",
}
COMPANY["nvdimm.media.start_gap.randomised"] = {
    **MEDIA,
    "nvdimm.media.banks": 1,
    "nvdimm.media.start_gap.regions": 4096,
}
REFUSED = (
    "nvdimm.command_queue",
    "nvdimm.power.energy",
    "nvdimm.buffer.granularity",
    "nvdimm.precondition.load",
    "nvdimm.precondition.resident",  # there are no agents
)


@cache
def statistics(name: str = "", fill: float = 0.5, change: bool = True) -> dict[str, Any]:
    """Return the statistics after random requests, a power failure and more requests."""
    overrides = {**BASE, "nvdimm.precondition.fill": fill, **COMPANY.get(name, {})}
    if change and name:
        overrides[name] = OTHER[name]
    system = System("mascots16", overrides)
    nvdimm = 2 * 1024**3
    numbers = random.Random(1)

    def traffic(count: int) -> None:
        for _ in range(count):
            page = numbers.randrange(500 if numbers.random() < 0.3 else 40)
            address = nvdimm + page * PAGE + numbers.randrange(64) * LINE
            write = numbers.random() < 0.7
            size = PAGE - address % PAGE if overrides.get("nvdimm.access") == "block" else LINE
            while system.enqueue(address, size=size, write=write) is None:
                system.advance(system.now + 10**8)

    traffic(1500)
    while system.flush() is None:
        system.advance(system.now + 10**8)
    system.advance(system.now + 10**11)
    before = system.stats
    traffic(100)
    system.power_fail()
    power = system.stats
    return {**before, **{k: v for k, v in power.items() if k.startswith("nvdimm.power")}}


def names() -> list[str]:
    found = [entry["name"] for entry in Simulation.parameters()]
    return [name for name in found if name.startswith("nvdimm.")]


@pytest.mark.parametrize("name", names())
def test_every_parameter_acts(name: str) -> None:
    fill = 0.5 if name != "nvdimm.precondition.pattern" else 0.9
    if name in REFUSED:
        with pytest.raises(InputError):
            statistics(name)
        return
    if name == "nvdimm.present":
        with pytest.raises(InputError, match="outside"):
            statistics(name)
        return
    alike = statistics(name, fill, False) if name in COMPANY else statistics("", fill)
    assert statistics(name, fill) != alike
