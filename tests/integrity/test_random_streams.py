# SPDX-License-Identifier: BSD-3-Clause
"""Does an agent behave the same with or without others, and at any place in the list?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import agent_values
import hmsim
import pytest
from agent_company import ON_NVDIMM
from hmsim import InputError
from hmsim._core import Simulation
from hmsim.config.configuration import Config, load_config
from hmsim.config.settings import from_mapping
from hmsim.workloads.workload import Agent, Workload
from small_traces import write_traces

CONFIG = {
    "nvdimm.capacity": "64MiB",
    "nvdimm.ftl.over_provisioning": 60,
    "nvdimm.buffer.read_size": "64KiB",
    "nvdimm.buffer.write_size": "64KiB",
    "frontend.translation": "modulo",  # first touch takes frames in the order of all agents
}
# Changed keys of an agent of each kind. Kinds that can draw random numbers do.
CHANGES: dict[str, dict[str, Any]] = {
    "llc_trace": {"dependence": 0.5},
    "block_trace": {"replay": "inferred", "old_response": "100us", "think_spread": 0.5},
    "io_pattern": {"flush_every": 0},
    "memory_trace": {},
    "synthetic": {"requests": 500},
    "synthetic_core": {"wpki": 10, "instructions": 20_000},
    "pattern": {**ON_NVDIMM, "requests": 500, "write_ratio": 0.5, "write_randomness": 0.5},
    "job": {"cores": "8-9"},
    "llm_decode": {"layers_simulated": "all", "layers": 1, "batch": 1, "steps": 1},
}
AGENTS = {kind: {**agent_values.AGENTS[kind], **keys} for kind, keys in CHANGES.items()}
AGENTS["cpu_trace"] = {"path": "program", "format": "champsim"}
KINDS = [*AGENTS]
DRAWS = ("io_pattern", "synthetic", "synthetic_core", "pattern", "llm_decode")  # what it does


@pytest.fixture(autouse=True)
def _traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_traces(1)


def agent(kind: str, **keys: Any) -> Agent:
    values = {"kind": kind, **AGENTS[kind], **keys}
    path = Path(values["path"]) if "path" in values else None
    return Agent(tuple(from_mapping(values, "test")), "test", path)


def machine() -> Config:
    return load_config("mascots16", CONFIG, where="test").with_policy("oracle")


def records(agents: Sequence[Agent], index: int, cores: range, count: int = 0) -> list[Any]:
    """Return the first ``count`` records of the agent at this place, in no order.

    They are its block requests if it has any, otherwise the memory requests of its cores.
    """
    result = hmsim.run(machine(), Workload("test", tuple(agents)), seed=3, request_log=True)
    io, memory = result.io_requests, result.requests
    assert io is not None and memory is not None
    own = io[io["agent"] == index].sort_values(["submitted_ps", "done_ps"], kind="stable")
    if len(own):
        found = list(zip(own["kind"], own["offset"], own["bytes"]))
    else:
        own = memory[memory["source"].between(cores[0], cores[-1])].sort_values("id")
        found = list(zip(own["class"], own["write"], own["address"]))
    return sorted(map(str, found[: count or None]))


def core_of(kind: str, place: int = 0) -> range:
    return range(8, 10) if kind == "job" else range(place, place + 1)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_performs_the_same_records_alone_and_together(kind: str, place: int) -> None:
    others = [
        agent("synthetic", core=20, interval="1us", measured=False),
        agent("io_pattern", core=21, measured=False),
    ]
    mine = agent(kind) if kind == "job" else agent(kind, core=5)
    cores = core_of(kind, 5)
    alone = records([mine], 0, cores)
    together = [*others[:place], mine, *others[place:]]
    assert len(alone) > 5
    assert records(together, place, cores, len(alone)) == alone


@pytest.mark.parametrize("kind", DRAWS)
def test_equal_agents_draw_different_numbers_and_keep_them_in_solo_runs(kind: str) -> None:
    # Both use core 5: block requests name the agent, other requests only the core.
    twins = Workload("test", (agent(kind, core=5), agent(kind, core=5)))
    first, second = (twins.alone(index).agents for index in (0, 1))
    assert first[0].flat() == twins.agents[0].flat()
    assert ("random_stream", "own") not in second[0].flat()
    assert records(first, 0, core_of(kind, 5)) != records(second, 0, core_of(kind, 5))
    if kind == "io_pattern":
        alone = records(second, 0, core_of(kind, 5))
        assert records(twins.agents, 1, core_of(kind, 5), len(alone)) == alone


def test_copies_draw_different_numbers_that_their_cores_fix() -> None:
    copies = [agent("synthetic_core", core=number) for number in range(3)]
    streams = Simulation.random_streams([each.flat() for each in copies])
    assert len({*streams}) == 3
    assert Simulation.random_streams([copies[2].flat()]) == [streams[2]]


def test_a_named_random_stream_is_used(tmp_path: Path) -> None:
    named = [agent("synthetic", core=number, random_stream=9) for number in (0, 1)]
    assert records([named[0]], 0, range(1)) == records([named[1]], 0, range(1, 2))
    with pytest.raises(InputError, match=r"random_stream: .*outside"):
        records([agent("synthetic", random_stream=-2)], 0, range(1))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("order", [1, -1])
def test_with_one_agent_a_class_the_oracle_slows_no_agent_down(seed: int, order: int) -> None:
    agents = (
        agent("synthetic_core", core=0, rpki=5, wpki=1, footprint="64MiB", instructions=1_000_000),
        agent("io_pattern", core=3, threads=4, requests=500, size="4KiB"),
    )
    table = hmsim.compare(
        load_config("mascots16", CONFIG, where="test"),
        ["oracle"],
        [Workload("test", agents[::order])],
        seed=seed,
    )
    slowdowns = [table[f"agent.{number}.slowdown"][0] for number in (0, 1)]
    # Refreshes are at other times: tRFC of tREFI, 260 ns of 7.8 us.
    assert slowdowns == pytest.approx([1, 1], abs=0.034)
    assert table["weighted_speedup"][0] <= 2 * 1.034
