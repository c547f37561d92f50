# SPDX-License-Identifier: BSD-3-Clause
"""Is a workload given as a dict the same as its YAML file, with the same checks and errors?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hmsim
import pytest
import yaml
from hmsim import InputError
from hmsim.workloads.workload import load_workload
from messages import naming
from support import REPO, write

FILES = sorted(
    path
    for path in (REPO / "workloads").rglob("*.yaml")
    if "profiles" not in path.parts and "agents:" in path.read_text(encoding="utf-8")
)
SMALL = {"kind": "io_pattern", "size": ["4KiB/3", "8KiB"], "requests": 40, "measured": True}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_dict_has_the_agents_of_its_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    given = load_workload(yaml.safe_load(path.read_text(encoding="utf-8")))
    filed = load_workload(path)
    assert [agent.kind for agent in given.agents] == [agent.kind for agent in filed.agents]
    for one, other in zip(given.agents, filed.agents):
        assert _without_path(one.flat()) == _without_path(other.flat())
        assert (one.trace is None) == (other.trace is None)
        assert one.trace is None or one.trace.resolve() == other.trace.resolve()


def _without_path(keys: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [pair for pair in keys if pair[0] != "path"]


def test_a_dict_and_its_file_run_the_same(tmp_path: Path) -> None:
    workload = {"description": "two", "agents": [SMALL, {**SMALL, "core": 1, "read_share": 0.5}]}
    path = write(tmp_path / "two.yaml", yaml.safe_dump(workload))
    stats = hmsim.run("pcm", workload).stats
    assert stats == hmsim.run("pcm", path).stats
    assert hmsim.point("pcm", workload).key == hmsim.point("pcm", path).key


def test_copies_and_windows_work_in_a_dict() -> None:
    trace = str(REPO / "workloads" / "blocks" / "external_sort.blkparse.zst")
    agent = {
        **{"kind": "block_trace", "format": "blkparse", "path": Path(trace), "copies": 2},
        "windows": [{"skip": 2, "requests": 9}, {"skip": 30, "requests": 5}],
    }
    one, two = load_workload({"agents": [agent]}).agents
    assert dict(one.flat())["windows"] == "skip=2, requests=9; skip=30, requests=5"
    assert [dict(each.flat())["copy_number"] for each in (one, two)] == ["0", "1"]


LOOP: dict[str, Any] = {}
LOOP["again"] = LOOP
WRONG: list[tuple[Any, tuple[str, ...]]] = [
    ({"agents": [SMALL, {**SMALL, "dpth": 3}]}, ("workload: agents[1].dpth:", "'depth'?")),
    ({"agents": [{**SMALL, "read_share": 1.5}]}, ("workload: agents[0].read_share:", "1.5")),
    ({"agents": [{**SMALL, "footprint": "1TiB"}]}, ("workload: agents[0].footprint:", "1TiB")),
    ({"agents": [{**SMALL, "size": None}]}, ("workload: agents[0].size:", "no value")),
    ({"agents": [{**SMALL, "size": object()}]}, ("workload: agents[0].size:", "object")),
    ({"agents": [{**SMALL, "size": "\ud800"}]}, ("workload: agents[0].size:", "UTF-8")),
    ({"agents": [{"path": "nowhere"}]}, ("workload: agents[0].path:", "nowhere")),
    ({"agents": [{"core": 0}]}, ("workload: agents[0].kind:", "required")),
    ({"agents": [{"a": {"b": 1}, "a.b": 2}]}, ("workload: agents[0].a.b:", "already")),
    ({"agents": [7]}, ("workload: agents[0]:", "single value")),
    ({"agents": []}, ("workload: agents:", "at least one")),
    ({"agent": [SMALL]}, ("workload: agent:", "'agents'?")),
    ({}, ("workload: agents:", "required")),
    ({"agents": [LOOP]}, ("workload: agents[0].again", "16 levels")),
]


@pytest.mark.parametrize("given, parts", WRONG)
def test_an_error_names_the_place_in_the_dict(given: Any, parts: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=naming(*parts)) as error:
        hmsim.run("quick", given)
    assert len(str(error.value).splitlines()) == 1
