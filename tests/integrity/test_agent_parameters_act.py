# SPDX-License-Identifier: BSD-3-Clause
"""Does every key of every agent, and every parameter of the frontend, change some statistic?"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from agent_company import COMPANY, CONCERNS, INERT, REFUSED
from agent_values import AGENTS, BASE, NEIGHBOUR, OTHER
from hmsim import InputError
from hmsim._core import Simulation
from hmsim.config.configuration import load_config
from hmsim.config.settings import from_mapping
from hmsim.runs.runner import run
from hmsim.workloads.workload import Agent, Workload
from small_traces import write_traces

pytestmark = pytest.mark.slow


def agent(values: dict[str, Any]) -> Agent:
    path = Path(values["path"]) if "path" in values else None
    return Agent(tuple(from_mapping(values, "test")), "test", path)


@cache
def statistics(name: str, change: bool) -> dict[str, Any]:
    """Return a short run's statistics; with ``change``, the parameter has its other value."""
    owner, _, key = name.partition(".")
    kind = CONCERNS.get(key.split(".")[0], "llc_trace") if owner == "frontend" else owner
    values = {**AGENTS[kind], "kind": kind, **COMPANY.get(name, {})}
    if change and owner != "frontend":
        values[key] = OTHER.get(name, OTHER.get(key))
    own = {"kind", *(entry["name"] for entry in Simulation.agent_parameters(kind))}
    overrides = {key: values.pop(key) for key in [*values] if key not in own}
    if change and owner == "frontend":
        overrides[name] = OTHER[name]
    config = load_config("mascots16", {**BASE, **overrides}, where="test")
    workload = Workload("test", (agent(values), agent(NEIGHBOUR)))
    return dict(run(config, workload, check=True).stats)


def names() -> list[str]:
    found = [entry["name"] for entry in Simulation.parameters()]
    keys = [
        f"{kind}.{entry['name']}"
        for kind in Simulation.agent_kinds()
        for entry in Simulation.agent_parameters(kind)
    ]
    return [name for name in found if name.startswith("frontend.")] + keys


@pytest.mark.parametrize("name", names())
def test_every_parameter_acts(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_traces(1)
    write_traces(2, "other ")
    if name in REFUSED:
        with pytest.raises(InputError):
            statistics(name, True)
        return
    acts = statistics(name, True) != statistics(name, False)
    assert acts == (name not in INERT), INERT.get(name, "changes no statistic")


def test_the_tables_name_known_parameters() -> None:
    known = {*names()}
    assert {*COMPANY, *REFUSED, *INERT} <= known
    assert {*OTHER} <= known | {name.partition(".")[2] for name in known}
