# SPDX-License-Identifier: BSD-3-Clause
"""Does every parameter of paging change some statistic?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hmsim import load_config, run
from hmsim._core import Simulation

WORKLOAD = """\
agents:
  - {kind: synthetic_core, core: 0, rpki: 20, wpki: 10, footprint: 1MiB, instructions: 60000,
     paged: true}
  - {kind: synthetic_core, core: 1, rpki: 20, wpki: 10, footprint: 1MiB, instructions: 60000,
     paged: true}
"""
OTHER: dict[str, Any] = {
    "storage.paging.memory": "512KiB",
    "storage.paging.replacement": "lirs",
    "storage.paging.trap": "9us",
    "storage.paging.swap": "9us",
    "storage.paging.write_cluster": 8,
    "storage.paging.read_cluster": 8,
}


def names() -> list[str]:
    found = [entry["name"] for entry in Simulation.parameters()]
    return [name for name in found if name.startswith("storage.paging.")]


def statistics(folder: Path, changes: dict[str, Any], workload: str = WORKLOAD) -> dict[str, Any]:
    path = folder / "w.yaml"
    path.write_text(workload, encoding="utf-8")
    config = load_config("storage/moneta", {"storage.paging.memory": "256KiB", **changes})
    return dict(run(config, path).stats)


@pytest.mark.parametrize("name", names())
def test_every_parameter_acts(name: str, tmp_path: Path) -> None:
    assert statistics(tmp_path, {name: OTHER[name]}) != statistics(tmp_path, {})


def test_only_what_is_paged_waits(tmp_path: Path) -> None:
    free = statistics(tmp_path, {}, WORKLOAD.replace("true", "false", 1))
    assert "core.0.page_faults" not in free and free["core.1.page_faults"] > 100
    assert free["core.0.ipc"] > 20 * statistics(tmp_path, {})["core.0.ipc"]
