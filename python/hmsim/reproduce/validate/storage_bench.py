# SPDX-License-Identifier: BSD-3-Clause
"""Threads in a closed loop over block storage, for closed forms and claims."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmsim.config.configuration import load_config
from hmsim.config.settings import from_mapping
from hmsim.runs.runner import run
from hmsim.workloads.workload import Agent, Workload

KIB = 1024
SECTOR = 512
MOST_REQUESTS = 4_000  # of a trace, which is read again and again


@dataclass(frozen=True)
class Load:
    """Load of ``threads`` threads, each with one request of ``size`` bytes at a random place.

    ``reads`` is the share of requests that read; the others write.
    """

    size: int
    reads: float = 1
    threads: int = 16
    footprint: int = 1 << 33

    def trace(self, seed: int, requests: int) -> str:
        """Return the requests in the format mqsim."""
        draw = random.Random(seed)
        sectors = self.size // SECTOR
        places = self.footprint // self.size
        return "".join(
            f"0 0 {draw.randrange(places) * sectors} {sectors} {int(draw.random() < self.reads)}\n"
            for _ in range(requests)
        )


def lone(config: str, size: int, reads: float, overrides: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Return the statistics of 50 requests, sent one after another."""
    return _run(config, [Load(size, reads, 1)], overrides, 50, {}, None)


def steady(
    config: str, loads: Sequence[Load], overrides: Mapping[str, Any] = {}, time: int = 20
) -> dict[str, Any]:
    """Return the statistics of a run of ``time`` milliseconds; the first fifth is warm-up."""
    limit = {**overrides, "frontend.time_limit": f"{time}ms"}
    return _run(config, loads, limit, MOST_REQUESTS, {"loop": 1_000_000}, f"{time // 5}ms")


def _run(
    config: str,
    loads: Sequence[Load],
    overrides: Mapping[str, Any],
    requests: int,
    keys: Mapping[str, Any],
    warmup: str | None,
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        agents = []
        for number, load in enumerate(loads):
            path = Path(folder, f"{number}.mqsim")
            path.write_text(load.trace(number + 1, requests), encoding="ascii")
            values = {
                "kind": "block_trace",
                "core": number,
                "path": str(path),
                "format": "mqsim",
                "threads": load.threads,
                "device_stride": "4KiB",
                **keys,
            }
            agents.append(Agent(tuple(from_mapping(values, "validate")), "validate", path))
        loaded = load_config(config, overrides, where="validate")
        return dict(run(loaded, Workload("requests", tuple(agents)), warmup=warmup).stats)
