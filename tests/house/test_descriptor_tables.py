# SPDX-License-Identifier: BSD-3-Clause
"""Is every plug-in found by the name of its file, and no file by accident?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hmsim import _core
from hmsim._core import Simulation, trace_formats

from tools.descriptor_tables import AGENTS, DRAM_STANDARDS, FORMATS, POLICIES, STORAGE, Table

ROOT = Path(__file__).resolve().parents[2]
TABLES = (POLICIES, FORMATS, AGENTS, DRAM_STANDARDS, STORAGE)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.word)
def test_every_descriptor_is_in_the_file_of_its_name(table: Table) -> None:
    pattern = re.compile(rf"^(?:extern )?const \w+ k{table.word}_(\w+)\b(?!;)", re.M)
    defined = {
        name: path.stem
        for top in {folder.split("/")[0] for folder in table.folders}
        for path in (ROOT / top).rglob("*.cc")
        for name in pattern.findall(path.read_text(encoding="utf-8"))
    }
    assert defined == {name: f"{table.prefix}{name}" for name in table.names(ROOT)}


def test_tables_reach_python() -> None:
    assert [piece["name"] for piece in _core.policies()] == POLICIES.names(ROOT)
    assert [each.name for each in trace_formats()] == FORMATS.names(ROOT)
    assert Simulation.agent_kinds() == AGENTS.names(ROOT)
