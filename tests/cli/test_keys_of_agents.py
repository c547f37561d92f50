# SPDX-License-Identifier: BSD-3-Clause
"""Is a key of an agent, given as a parameter, refused with the place where it belongs?"""

from __future__ import annotations

from pathlib import Path

import pytest
from support import fail, write

PLACE = "keys of agents are set in the workload's file, or in a sweep as agent.N.KEY"


@pytest.mark.parametrize(
    "name", ["agent.1.arrival_rate", "agents.0.size", "agents.0", "agent.size", "agents"]
)
def test_keys_of_agents_are_not_parameters(name: str, tmp_path: Path, workload: Path) -> None:
    refused = fail("run", "quick", "--workload", workload, "--set", f"{name}=1")
    assert refused == f"hmsim: --set: {name}: unknown parameter; {PLACE}\n"
    file = write(tmp_path / "c.yaml", f"base: quick\n{name}: 1\n")
    assert fail("check", file) == f"hmsim: {file}:2: {name}: unknown parameter; {PLACE}\n"
