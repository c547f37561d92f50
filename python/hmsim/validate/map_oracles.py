# SPDX-License-Identifier: BSD-3-Clause
"""Known results for a cached map (DFTL): its hit ratio, and no cost if the whole map is cached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hmsim.config.configuration import load_config
from hmsim.config.settings import from_mapping
from hmsim.running.runner import run
from hmsim.running.workload import Agent, Workload
from hmsim.validate.flash_oracles import Oracle

PAGE = 4096
PAGES = 65536 * 100 // 115  # logical ones of quick.yaml
BUFFERED = 256  # pages of its read part
OWN = ("nvdimm.ftl.map.", "nvdimm.power.worst_")  # completing a page takes the entry's read too


def _statistics(requests: int, read_ratio: float, **keys: Any) -> dict[str, Any]:
    """Return the statistics of a run over single lines of random pages, one at a time."""
    overrides = {f"nvdimm.ftl.{key}": value for key, value in keys.items()}
    values = {
        "kind": "synthetic",
        "target": "nvdimm",
        "pattern": "random",
        "footprint": f"{PAGES * PAGE}B",
        "read_ratio": read_ratio,
        "outstanding": 8,
        "requests": requests,
    }
    agent = Agent(tuple(from_mapping(values, "validate")), "validate", None)
    config = load_config("quick", overrides, where="validate")
    return dict(run(config, Workload("pages", (agent,)), check=True).stats)


def cached_map() -> Iterator[Oracle]:
    """Yield the hit ratio of uniform reads, and the cost of a map that is cached completely."""
    entries = 14_000
    stats = _statistics(20_000, 1, map="cached", map_cache=f"{8 * entries}B")
    expected = (entries - BUFFERED) / (PAGES - BUFFERED)
    got = stats["nvdimm.ftl.map.hit_ratio"]
    source = "cached entries / logical pages, but for pages in the buffer"
    yield Oracle("cached map: hits of uniform reads", expected, got, "", 0.01, source)
    full = _statistics(5_000, 0.5)
    whole = _statistics(5_000, 0.5, map="cached", map_cache=f"{8 * PAGES}B")
    unlike = [path for path in full if full[path] != whole.get(path) and not path.startswith(OWN)]
    yield Oracle(
        "cached map: statistics unlike, all cached", 0, len(unlike), "", 0, "no entry leaves"
    )
