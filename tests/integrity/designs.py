# SPDX-License-Identifier: BSD-3-Clause
"""NVDIMMs into which random runs put data: kinds, number per channel, bad blocks."""

from __future__ import annotations

from typing import Any

KINDS: dict[str, dict[str, Any]] = {
    "full": {},
    "cached": {
        "nvdimm.ftl.map": "cached",
        "nvdimm.ftl.map_entry": "256B",
        "nvdimm.ftl.map_cache": "512B",
    },
    "pcm": {
        "nvdimm.kind": "pcm",
        "nvdimm.capacity": "1MiB",
        "nvdimm.media.banks": 4,
        "nvdimm.media.write_queue": 6,
        "nvdimm.media.start_gap.psi": 2,
        "nvdimm.media.start_gap.regions": 16,
    },
}
# NVDIMMs of a channel. For unlike NVDIMMs, the first and the last pages are used.
POPULATIONS: dict[str, dict[str, Any]] = {
    "one": {},
    "two": {"nvdimm.count": 2},
    "behind a port": {
        "nvdimm.attach": "cxl",
        "cxl.credits": 5,
        "host.queue": "shared",
        "host.entries": 12,
        "host.limiter": "service_limit",
    },
    "three": {"nvdimm.count": 3, "nvdimm.interleave": "device"},
    "unlike": {
        "nvdimm.count": 2,
        "nvdimm.interleave": "device",
        "nvdimm.devices": "1: kind=pcm, capacity=1MiB, media.banks=4, media.write_queue=6",
    },
    "unlike, PCM first": {
        "nvdimm.kind": "pcm",
        "nvdimm.count": 2,
        "nvdimm.interleave": "device",
        "nvdimm.devices": "1: kind=flash",
    },
}
BAD: dict[str, dict[str, Any]] = {
    "factory": {"nvdimm.nand.factory_bad": 0.05},
    "grown": {
        "nvdimm.nand.program_failure": 0.001,
        "nvdimm.nand.endurance": 5,
        "nvdimm.nand.wear_failure": 0.02,
        "nvdimm.buffer.release": "program",
    },
}
