# SPDX-License-Identifier: BSD-3-Clause
"""Short runs of a block trace by sixteen threads, and checks that hold for each of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hmsim._core import Simulation
from hmsim.config.configuration import Config
from hmsim.config.settings import from_mapping
from hmsim.runs.runner import run
from hmsim.workloads.workload import Agent, Workload

THREADS = 16


def keys_of(path: str, trace_format: str) -> dict[str, str]:
    return {"kind": "block_trace", "path": path, "format": trace_format, "threads": str(THREADS)}


def statistics_of(config: Config, path: Path, trace_format: str) -> dict[str, Any]:
    """Return the statistics of a run."""
    agent = keys_of(str(path), trace_format)
    workload = Workload("blocks", (Agent(tuple(from_mapping(agent, "test")), "test", path),))
    return dict(run(config, workload).stats)


def assert_parts_add_up(stats: dict[str, Any]) -> None:
    """Parts of the storage's latencies add up to their means."""
    for way in ("read", "write"):
        prefix = f"storage.{way}."
        parts = [value for name, value in stats.items() if name.startswith(prefix)]
        assert sum(parts) == pytest.approx(stats[f"storage.{way}_latency_us.mean"], rel=1e-12)


def assert_may_be_cut(config: Config, path: Path, trace_format: str, cuts: Iterable[int]) -> None:
    """Check that a run saved after each number of steps, and loaded, ends like an unbroken run."""
    keys = [*keys_of("t", trace_format).items()]
    data = path.read_bytes()

    def simulation() -> Simulation:
        return Simulation(
            config.flat(), [keys], 1, 0, 0, lambda agent, offset: data[offset:], [len(data)]
        )

    def end(started: Simulation) -> list[Any]:
        while not started.run(1_000):
            pass
        return list(started.statistics())

    whole = end(simulation())
    for steps in cuts:
        first = simulation()
        first.run(steps)
        second = simulation()
        second.load(first.save(), "the checkpoint")
        assert end(second) == whole
