# SPDX-License-Identifier: BSD-3-Clause
"""Does every parameter of every policy change some statistic of a run that uses the policy?"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hmsim._core import policies
from hmsim.config.configuration import load_config
from hmsim.config.harmonic_table import read_table
from hmsim.config.settings import from_mapping
from hmsim.runs.runner import run
from hmsim.workloads.workload import Agent, Workload
from keys import keys

pytestmark = pytest.mark.slow

# Settings that select a policy, by its kind; {} stands for the policy's name.
CHOOSES: dict[str, dict[str, str]] = {
    "transaction_scheduler": {
        "controller.scheduler": "{}",
        "controller.nvdimm_scheduler": "{}",
        "controller.writes": "drained",
    },
    "bus_arbiter": {"controller.arbiter": "{}"},
    "page_policy": {"controller.page_policy": "{}"},
    "victim_selector": {"nvdimm.ftl.victim": "{}"},
    "page_placement": {"nvdimm.ftl.placement": "{}"},
    "wear_leveler": {"nvdimm.ftl.wear": "{}"},
    "map_replacement": {"nvdimm.ftl.map_replacement": "{}"},
    "gc_scheduler": {"nvdimm.gc.scheduler": "{}"},
    "buffer_manager": {"nvdimm.buffer.manager": "{}"},
    "buffer_replacement": {"nvdimm.buffer.replacement": "{}"},
    "host_limiter": {
        "host.limiter": "{}",
        "host.queue": "shared",
        "host.entries": "6",
        "nvdimm.attach": "cxl",
    },
    "refresh_pacer": {
        "hbf.refresh": "{}",
        "hbf.refresh_every": "100us",
        "hbf.ftl": "host",
        "hbf.accumulate": "1us",
        "hbf.banks": "1",
        "nvdimm.attach": "hbf",
        "nvdimm.nand.preset": "hbf_256",
        "nvdimm.nand.pages_per_block": "4",
        "dram.preset": "hbm3_6400_4h_2gb_x32",
        "controller.queues": "split",
        "controller.address_map": "row|bank|rank|column|group|channel",
    },
}
# Times that fit a run of about 200 us; other parameters keep their defaults.
BASE: dict[str, Any] = {
    "nvdimm.capacity": "8MiB",
    "nvdimm.ftl.over_provisioning": 60,
    **keys("nvdimm.nand.", "pages_per_block=8 program_time=20us read_time=5us erase_time=40us"),
    **keys("nvdimm.buffer.", "read_size=64KiB write_size=64KiB"),
    **keys("nvdimm.precondition.", "fill=1 overwrite=4"),
    "policies.tcm.quantum": "10us",
    "policies.atlas.quantum": "10us",
    "policies.firm.interval": "10us",
}
TABLE = read_table(Path(__file__).parents[2] / "configs" / "harmonic" / "quick.table")
# Values for parameters for which the value of other() has no effect in this workload.
OTHER: dict[str, Any] = {
    **keys("policies.atlas.", "history=0.1 threshold=1us"),
    **keys("policies.firm.", "batch_age=10ns write_mark=5"),
    "policies.background.soft_threshold": 50,
    "policies.erase_table.threshold": 1,
    "policies.harmonic.table": TABLE._replace(dram=TABLE.dram[::-1]).text(),
    **keys("policies.lirs.", "high_share=50 ghosts=1000"),
    **keys("policies.nvm_duet.", "write_high=8 write_low=2"),
    **keys("policies.pas.", "return_after=8 slack=0"),
    "policies.preevict.low_water": 50,
    "policies.prefetch_preevict.low_water": 50,
    **keys("policies.watermark.", "high=90 low=10"),
    **keys("policies.tcm.", "cluster_threshold=0.9 shuffle_threshold=1"),
}
# Enough pages at a time for evicted ones to return before their ghosts are forgotten.
UNLIMITED: dict[str, Any] = {"controller.outstanding": "queue", "nvdimm.gc.hold_channel": False}
PAS = keys("controller.", "scheduler=fr_fcfs queues=split arbiter=oldest_first writes=mixed")
# Other settings that a parameter needs to act.
WITH: dict[str, dict[str, Any]] = {
    "policies.harmonic.table": {"policies.harmonic.table": TABLE.text()},
    "policies.harmonic.dram_guard": {"policies.harmonic.guard": True},
    "policies.harmonic.nvdimm_guard": {"policies.harmonic.guard": True},
    "policies.nvm_duet.write_low": {"policies.nvm_duet.write_high": 16},
    "policies.lirs.ghosts": {"policies.lirs.high_share": 10, **UNLIMITED},
    "policies.pas.trigger": {**PAS, "policies.pas.return_after": 8},
    "policies.pas.return_after": PAS,
    "policies.pas.slack": PAS,
    "policies.par_bs.sources": {"controller.outstanding": 32},
    "policies.erase_table.set": {"policies.erase_table.threshold": 2},
    "policies.two_level_map.ahead": {"nvdimm.ftl.map": "cached", "nvdimm.ftl.map_cache": "1KiB"},
    "policies.token_regulator.period": {"policies.token_regulator.slow_budget": 2},
    "policies.watermark.low": {"nvdimm.buffer.write_size": "512KiB"},
}

# Policies whose parameters act only if whole pages are read and written.
PAGES_ONLY = tuple(
    f"policies.{name}." for name in ["background", "erase_table", "lirs", "pas", "proactive"]
)


def parameters() -> list[tuple[str, str, dict[str, Any]]]:
    """Return a policy's kind, its name and a parameter, for each parameter of each policy."""
    return [
        (policy["kind"], policy["name"], parameter)
        for policy in policies()
        for parameter in policy["parameters"]
    ]


def other(parameter: dict[str, Any]) -> Any:
    """Return a valid value that is not the default."""
    default = parameter["default"]
    if parameter["type"] == "choice":
        return next(v for v in parameter["range"].split(" | ") if v != default)
    if parameter["type"] == "boolean":
        return default != "true"
    if parameter["type"] == "time":
        return "3us" if default != "3us" else "1us"
    if parameter["type"] == "real":
        return float(default) / 4
    return 2 if default != "2" else 3


def agent(**values: Any) -> Agent:
    return Agent(tuple(from_mapping(values, "test")), "test", None)


def stream(core: int, target: str, **values: Any) -> Agent:
    """Return an unmeasured agent that sends requests in the background."""
    shared = {"kind": "synthetic", "measured": False, "read_ratio": 0.5, "requests": 1_000_000}
    return agent(**shared, core=core, target=target, **values)


def pages(**values: Any) -> Agent:
    """Return an agent that requests whole pages of the NVDIMM."""
    return agent(kind="pattern", target="nvdimm", requests=5_000, **values)


def workload(name: str, *agents: Agent) -> Workload:
    """Return a workload whose agents use random streams 0, 1, ... in order."""
    return Workload(name, tuple(each.with_stream(number) for number, each in enumerate(agents)))


WORKLOAD = workload(
    "mix",
    agent(kind="synthetic_core", core=0, rpki=60, wpki=30, instructions=150_000),
    agent(kind="synthetic_core", core=1, rpki=10, wpki=1, instructions=300_000),
    stream(0, "nvdimm", pattern="random", footprint="1MiB", outstanding=32),
    stream(2, "dram", pattern="sequential", footprint="1MiB", outstanding=16),
    stream(2, "nvdimm", pattern="sequential", footprint="1MiB", outstanding=4),
    stream(3, "dram", pattern="random", footprint="64MiB", outstanding=8),
)
PAGES = workload(
    "pages",
    pages(core=0, outstanding=64, write_ratio=0.5, write_randomness=0.7, read_randomness=0.7),
    pages(core=1, outstanding=32, write_ratio=0.7, write_randomness=1, read_randomness=1),
    stream(2, "dram", pattern="random", footprint="1MiB", outstanding=8),
)


@cache
def statistics(chosen: tuple[tuple[str, Any], ...], workload: Workload) -> dict[str, Any]:
    config = load_config("mascots16", {**BASE, **dict(chosen)}, where="test")
    return dict(run(config, workload, check=True).stats)


@pytest.mark.parametrize(
    ("kind", "policy", "parameter"),
    [pytest.param(*entry, id=entry[2]["name"]) for entry in parameters()],
)
def test_every_policy_parameter_acts(kind: str, policy: str, parameter: dict[str, Any]) -> None:
    name = parameter["name"]
    chosen = {key: value.format(policy) for key, value in CHOOSES[kind].items()}
    chosen.update(WITH.get(name, {}))
    changed = {**chosen, name: OTHER.get(name, other(parameter))}
    agents = PAGES if name.startswith(PAGES_ONLY) else WORKLOAD
    plain = statistics(tuple(chosen.items()), agents)
    assert statistics(tuple(changed.items()), agents) != plain
