# SPDX-License-Identifier: BSD-3-Clause
"""Small storage of each kind, and another value of each parameter of storage."""

from __future__ import annotations

from typing import Any

from keys import keys

# Moneta with few contexts, tags and buffers, all of which sixteen threads use.
ARRAY: dict[str, Any] = {
    **keys("storage.path.", "contexts=6 max_request=64KiB"),
    "storage.array.tags": 12,
    **keys("storage.memory.", "row=4KiB start_gap=30"),
}
# The same system with each other kind, of 64 MiB.
PLAIN: dict[str, Any] = {"storage.path.driver": "none", "storage.capacity": "64MiB"}
FLASH: dict[str, Any] = {
    **PLAIN,
    "storage.kind": "flash",
    **keys("storage.flash.", "capacity=128MiB queue_depth=8 duplex=true pages=16"),
    "storage.flash.ftl.over_provisioning": 60,
    **keys("storage.flash.buffer.", "read_size=256KiB write_size=256KiB"),
}
# A flash device that collects all the time.
COLLECTING: dict[str, Any] = {
    "storage.flash.capacity": "80MiB",
    "storage.flash.ftl.over_provisioning": 20,
    "storage.flash.nand.pages_per_block": 16,
    "storage.flash.precondition.fill": 1,
    "storage.flash.precondition.overwrite": 2,
}
DISK: dict[str, Any] = {**PLAIN, "storage.kind": "disk"}
TABLE: dict[str, Any] = {**PLAIN, "storage.kind": "table"}
CACHE: dict[str, Any] = {**TABLE, "storage.cache.first": "1MiB", "storage.cache.second": "4MiB"}
STRIPE: dict[str, Any] = {**TABLE, "storage.stripe.members": 2}
WRITE_CACHE: dict[str, Any] = {**TABLE, "storage.write_cache.size": "64KiB"}
BASES = {
    **{"array": ARRAY, "flash": FLASH, "disk": DISK, "table": TABLE, "stripe": STRIPE},
    **{"cache": CACHE, "write_cache": WRITE_CACHE, "paging": {"storage.paging.memory": "256KiB"}},
}

# A page cache's second level as lines of an NVDIMM.
BUS = {"nvdimm.present": True, "nvdimm.kind": "pcm", "nvdimm.capacity": "1GiB"}
# Parts of a flash device's module. One key of each shows that its parameters have an effect.
INSIDE = {
    "buffer": ("lookup", "1us"),
    "ftl": ("over_provisioning", 80),
    "nand": ("program_time", "900us"),
    "gc": ("hold_channel", True),
    "precondition": ("fill", 0.5),
}
LAYERS = ("entry", "queue", "tag", "issue", "interrupt", "wake", "leave")
# A value that differs from that of each kind's system.
OTHER: dict[str, Any] = {
    **keys("storage.", "kind=none capacity=32MiB"),
    **keys(
        "storage.path.",
        "driver=moneta_base page_time=1us copy_in=1us copy_out=1us queue_hold=5us issue_hold=5us "
        "spin_up_to=16KiB contexts=3 max_request=8KiB",
    ),
    **keys("storage.path.file_system.", "time=5us read_hold=9us write_hold=9us"),
    **keys("storage.link.", "to_host=2us to_host_fixed=1us from_host=2us from_host_fixed=0us"),
    **keys(
        "storage.array.",
        "tags=2 queues=1 queue_of=submitter order=fifo buffers=1 shared_buffers=true buffer=4KiB "
        "stripe=4KiB ring_to=1us ring_from=1us end_time=1us",
    ),
    **keys(
        "storage.memory.",
        "controllers=8 capacity=4GiB queue=64KiB row=2KiB read_time=1us write_time=1us "
        "read_base=1us write_base=1us read_per_kib=1us write_per_kib=1us wake_up=1us "
        "start_gap=off selective_writes=true",
    ),
    "storage.power.dies": 8,
    "storage.table.read": "4KiB=50us, 64KiB=90us",
    "storage.table.write": "4KiB=50us, 64KiB=90us",
    **keys("storage.table.", "flush=70us channels=3"),
    **keys("storage.stripe.", "members=4 unit=16KiB bus=5us"),
    **keys(
        "storage.cache.",
        "first=2MiB second=8MiB replacement=lirs hit=3us line=60ns slow_down=10 mover=lines "
        "window=2 read_ahead=32 reserve=64KiB",
    ),
    **keys("storage.write_cache.", "size=128KiB hit=5us depth=1"),
    **keys(
        "storage.disk.",
        "rpm=15000 track=512KiB track_seek=1ms average_seek=4ms write_settle=2ms overhead=1ms "
        "interface=20us buffer=0B elevator=false",
    ),
    **keys("storage.flash.read_driver.", "request=9us kib=3us"),
    **keys("storage.flash.write_driver.", "request=9us kib=3us"),
    **keys(
        "storage.flash.",
        "queue_depth=2 pages=4 command=50us duplex=false to_host=9us from_host=9us "
        "capacity=160MiB unmapped_read=zero",
    ),
    **keys("storage.flash.firmware.", "time=50us occupied=50us lanes=2"),
    **keys("storage.paging.", "memory=512KiB replacement=lirs trap=9us swap=9us"),
    **keys("storage.paging.", "write_cluster=8 read_cluster=8"),
    **{f"storage.flash.{part}.{key}": value for part, (key, value) in INSIDE.items()},
    **{f"storage.path.{layer}_{way}": "7us" for layer in LAYERS for way in ("read", "write")},
}
