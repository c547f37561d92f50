# SPDX-License-Identifier: BSD-3-Clause
"""Is a key of an agent, given as a parameter, refused with the place where it belongs?"""

from __future__ import annotations

from pathlib import Path

import pytest
from support import STREAM, invoke, write

PLACE = "keys of agents are set in the workload's file, or in a sweep as agent.N.KEY"


@pytest.mark.parametrize(
    "name", ["agent.1.arrival_rate", "agents.0.size", "agents.0", "agent.size", "agents"]
)
def test_keys_of_agents_are_no_parameters(name: str, tmp_path: Path) -> None:
    workload = write(tmp_path / "w.yaml", STREAM)
    refused = invoke("run", "quick", "--workload", workload, "--set", f"{name}=1")
    assert refused.exit_code == 2
    assert refused.stderr == f"hmsim: --set: {name}: unknown parameter; {PLACE}\n"
    file = write(tmp_path / "c.yaml", f"base: quick\n{name}: 1\n")
    refused = invoke("check", file)
    assert refused.exit_code == 2
    assert refused.stderr == f"hmsim: {file}:2: {name}: unknown parameter; {PLACE}\n"
