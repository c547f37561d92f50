# SPDX-License-Identifier: BSD-3-Clause
"""Does the record of a run in gem5 become a run directory like any other?"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import hmsim
import pytest
import yaml
from hmsim.config.settings import nested
from messages import naming
from support import fail, parsed, succeed, write


@pytest.fixture
def run(tmp_path: Path, workload: Path) -> Path:
    """A run directory that hmsim made."""
    directory = tmp_path / "run"
    succeed("run", "quick", "--policy", "split", "--workload", workload, "--out", directory)
    return directory


@pytest.fixture
def record(run: Path) -> dict[str, Any]:
    """The record that another simulator would write of the same run."""
    config = hmsim.load_config("quick").with_policy("split")
    stats = json.loads((run / "stats.json").read_text())
    return {
        "simulator": {"gem5": "24.0.0.1"},
        "config": "quick",
        "policy": "split",
        "parameters": config.resolved(),
        "workload": {"name": "mix", "agents": [{"kind": "gem5_core", "core": "0"}]},
        "seed": 1,
        "host": {"seconds": 2.5},
        "statistics": dict(_flat("", stats)),
    }


def _flat(prefix: str, values: dict[str, Any]) -> list[tuple[str, float]]:
    found = []
    for name, value in values.items():
        if isinstance(value, dict):
            found += _flat(f"{prefix}{name}.", value)
        else:
            found.append((prefix + name, value))
    return found


def test_an_imported_directory_loads_like_any_run(
    tmp_path: Path, run: Path, record: dict[str, Any]
) -> None:
    file = write(tmp_path / "record.json", json.dumps(record))
    printed = succeed("import", file, "--out", tmp_path / "gem5")
    assert "mix on quick under split, seed 1" in printed
    assert "2.5 s" in printed
    made = tmp_path / "gem5"
    assert sorted(path.name for path in made.iterdir()) == ["config.yaml", "run.json", "stats.json"]
    for name in ("config.yaml", "stats.json"):
        assert (made / name).read_bytes() == (run / name).read_bytes()
    origin = json.loads((made / "run.json").read_text())
    other = json.loads((run / "run.json").read_text())
    assert list(origin) == list(other)
    assert origin["versions"] == {**other["versions"], "gem5": "24.0.0.1"}
    assert origin["workload"] == record["workload"]
    assert origin["host"] == {"seconds": 2.5}
    assert [origin[key] for key in ("config", "policy", "seed")] == ["quick", "split", 1]
    printed = parsed("import", file)
    names = ("workload", "config", "policy", "seed")
    assert [printed.pop(name) for name in names] == ["mix", "quick", "split", 1]
    stats = json.loads((run / "stats.json").read_text())
    verdict = {"bound", "contest"}
    assert {name: v for name, v in nested(printed.items()).items() if name not in verdict} == stats


def test_parameters_that_the_controller_lacks_may_be_omitted(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    record["parameters"] = {
        name: text
        for name, text in record["parameters"].items()
        if not name.startswith("frontend.")
    }
    file = write(tmp_path / "record.json", json.dumps(record))
    succeed("import", file, "--out", tmp_path / "gem5")
    written = yaml.safe_load((tmp_path / "gem5" / "config.yaml").read_text())
    assert written["controller"]["queues"] == "split"


def test_statistics_that_another_simulator_lacks_may_be_omitted(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    record["statistics"] = {"sim.ticks": 1e9}
    file = write(tmp_path / "record.json", json.dumps(record))
    assert "1 ms simulated" in succeed("import", file)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"seed": "one"}, ("seed:", "whole number")),
        ({"policy": 3}, ("policy:", "text")),
        ({"parameters": {"controller.queuez": "split"}}, ("'controller.queues'?",)),
        ({"statistics": {"a": 1}}, ("statistics.sim.ticks:", "missing")),
        ({"statistics": {"sim.ticks": 10**400}}, ("statistics.sim.ticks:", "number")),
        ({"statistics": {"sim.ticks": 1, "a": 1, "a.b": 2}}, ("statistics: a.b:", "'a'")),
        ({"statistics": {"sim.ticks": math.inf}}, ("Infinity",)),
        ({"statistics": {"sim.ticks": True}}, ("statistics.sim.ticks:", "number")),
        ({"workload": {"name": "x"}}, ("workload.agents:", "missing")),
        ({"host": {}}, ("host.seconds:", "missing")),
        ({"more": 1}, ("simulator, config",)),
    ],
)
def test_errors_of_a_record_are_reported(
    tmp_path: Path, record: dict[str, Any], change: dict[str, Any], parts: tuple[str, ...]
) -> None:
    file = write(tmp_path / "record.json", json.dumps({**record, **change}))
    assert naming(f"{file}:", *parts).search(fail("import", file, "--out", tmp_path / "gem5"))
    assert not (tmp_path / "gem5").exists()


@pytest.mark.parametrize("content", ["", "[1]", "[" * 100000, '{"seed": 1', "\ud7ff", b"\xff\xfe"])
def test_other_files_than_records_are_rejected(tmp_path: Path, content: str | bytes) -> None:
    file = write(tmp_path / "record.json", content)
    assert naming(f"{file}:").search(fail("import", file))
