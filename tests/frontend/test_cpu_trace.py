# SPDX-License-Identifier: BSD-3-Clause
"""ChampSim's traces from file to statistics: compression, counts, errors."""

from __future__ import annotations

import gzip
import lzma
import struct
from pathlib import Path
from typing import Any

import pytest
from hmsim import InputError
from hmsim._core import Simulation
from hmsim.config.configuration import load_config
from hmsim.runs.runner import run
from hmsim.traces.reader import TraceSource
from hmsim.workloads.workload import Workload, load_workload
from messages import naming

LINES = 300  # that the program loads, each after the one before


def record(load: int = 0, store: int = 0, written: int = 0, read: int = 0) -> bytes:
    return struct.pack("<Q8B6Q", 64, 0, 0, written, 0, read, 0, 0, 0, store, 0, load, 0, 0, 0)


def chain() -> bytes:
    """Return loads of consecutive lines, each of which needs the register of the load before."""
    return b"".join(record(64 * (i + 1), 0, 1, 1) for i in range(LINES))


def outcome(path: Path, content: bytes, keys: str = "") -> dict[str, Any]:
    path.write_bytes(content)
    workload = path.with_suffix(".yaml")
    workload.write_text(
        f"agents:\n  - {{kind: cpu_trace, core: 1, path: {path.name}, format: champsim{keys}}}\n"
    )
    result = run("quick", workload, policy="unified_fr_fcfs", check=True)
    return {k: v for k, v in result.stats.items() if k.startswith(("core", "dram", "agent", "sim"))}


def test_compression_makes_no_difference(tmp_path: Path) -> None:
    plain = outcome(tmp_path / "plain", chain())
    assert plain["core.1.instructions"] == LINES
    assert plain["core.1.l1.misses"] == plain["core.1.l3.misses"] == LINES
    assert plain["dram.reads"] == LINES
    for name, pack in {"a.xz": lzma.compress, "a.gz": gzip.compress}.items():
        assert outcome(tmp_path / name, pack(chain())) == plain


def test_data_that_fit_the_caches_stay_cached(tmp_path: Path) -> None:
    twice = outcome(tmp_path / "twice", chain() + chain())
    assert twice["core.1.l1.hits"] == twice["core.1.l1.misses"] == LINES
    assert twice["dram.reads"] == LINES
    small = outcome(tmp_path / "small", chain() + chain(), ", l1: {size: 4KiB}")
    assert small["core.1.l1.misses"] == 2 * LINES
    assert small["core.1.l2.hits"] == LINES


def test_a_chain_takes_the_sum_of_its_latencies(tmp_path: Path) -> None:
    """The caches take 35 cycles at 2 GHz; the controller reports the rest."""
    stats = outcome(tmp_path / "chain", chain())
    latency = 35 * 500 + stats["dram.read_latency_ns.mean"] * 1000
    # The core goes on at its own next clock slot.
    assert LINES * latency <= stats["sim.ticks"] <= LINES * (latency + 125)


def test_prefetching_shortens_a_stream(tmp_path: Path) -> None:
    without = outcome(tmp_path / "without", chain())
    ahead = outcome(tmp_path / "ahead", chain(), ", prefetcher: stride")
    assert ahead["core.1.l2.prefetches_useful"] > LINES / 2
    assert ahead["dram.reads"] == without["dram.reads"]
    assert ahead["sim.ticks"] < without["sim.ticks"] / 2


def test_a_cache_without_a_power_of_two_of_sets_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=naming("bad.yaml:2: l2.size:", "power of two")):
        outcome(tmp_path / "bad", chain(), ", l2: {size: 768KiB}")


SHARED = {"frontend.cache.l3.sharing": "shared", "controller.scheduler": "fr_fcfs"}


def pair(folder: Path, keys: str = "") -> Workload:
    """Return two cores that run the same trace twice over, the second one with more keys."""
    (folder / "chain").write_bytes(chain() + chain())
    agent = "{kind: cpu_trace, path: chain, format: champsim, l1: {size: 4KiB}, l2: {size: 8KiB}"
    (folder / "pair.yaml").write_text(
        f"agents:\n  - {agent}, core: 0}}\n  - {agent}, core: 1{keys}}}\n"
    )
    return load_workload(folder / "pair.yaml")


def test_cores_share_an_l3_and_its_lines_if_configured(tmp_path: Path) -> None:
    config = load_config("quick", SHARED)
    apart = run(config, pair(tmp_path), check=True).stats
    assert apart["dram.reads"] == 2 * LINES
    for core in (0, 1):
        assert apart[f"core.{core}.l3.misses"] == LINES
        assert apart[f"core.{core}.l3.merges"] == apart[f"core.{core}.l3.displaced"] == 0
    alike = run(config, pair(tmp_path, ", address_space: 0"), check=True).stats
    assert alike["dram.reads"] == LINES
    assert alike["core.0.l3.misses"] + alike["core.1.l3.misses"] == LINES
    assert alike["core.0.l3.merges"] + alike["core.1.l3.merges"] == LINES
    # The cache holds a fifth of the lines of both cores, so every line is displaced before its next
    # use. (A core that has finished starts over until the other has finished.)
    small = load_config("quick", {**SHARED, "frontend.cache.l3.size": "8KiB"})
    crowded = run(small, pair(tmp_path), check=True).stats
    assert crowded["core.0.l3.misses"] >= 2 * LINES
    assert crowded["core.0.l3.displaced"] > 0
    own = run(small, pair(tmp_path, ", l3: {sharing: private, size: 32KiB}"), check=True).stats
    assert own["core.1.l3.misses"] == LINES
    assert "core.1.l3.displaced" not in own


def test_one_core_runs_as_with_a_private_l3(tmp_path: Path) -> None:
    own = outcome(tmp_path / "own", chain() + chain(), ", l1: {size: 4KiB}, l2: {size: 8KiB}")
    keys = ", l1: {size: 4KiB}, l2: {size: 8KiB}, l3: {sharing: shared}"
    shared = outcome(tmp_path / "shared", chain() + chain(), keys)
    assert shared.pop("core.1.l3.merges") == shared.pop("core.1.l3.displaced") == 0
    assert shared == own


def test_a_simulation_with_a_shared_l3_continues_from_a_checkpoint(tmp_path: Path) -> None:
    config = load_config("quick", {**SHARED, "frontend.cache.l3.size": "8KiB"})
    workload = pair(tmp_path, ", address_space: 0")

    def made() -> Simulation:
        traces = TraceSource([agent.trace for agent in workload.agents])
        agents = [agent.flat() for agent in workload.agents]
        return Simulation(config.flat(), agents, 1, 0, 0, traces, [0, 0])

    whole, first, second = made(), made(), made()
    assert whole.run(1 << 60)
    assert not first.run(1500)
    second.load(first.save(), "a checkpoint")
    assert second.run(1 << 60)
    assert second.statistics() == whole.statistics()
