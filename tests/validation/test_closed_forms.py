# SPDX-License-Identifier: BSD-3-Clause
"""Does the simulator agree with every closed form?"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hmsim.cli import app
from hmsim.validate.checks import CHECKS, Row, validate

SLOW = ["ftl"]


@pytest.mark.parametrize(
    "group",
    [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in CHECKS],
)
def test_a_group_of_checks_passes(group: str) -> None:
    rows = validate(group)
    assert rows
    assert [row.as_dict() for row in rows if not row.ok] == []


@pytest.mark.slow
def test_all_is_every_group() -> None:
    command = [sys.executable, "-m", "hmsim.cli", "validate", "all", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    rows = json.loads(done.stdout)
    assert {row["group"] for row in rows} == set(CHECKS)
    assert all(row["ok"] for row in rows)
    assert done.returncode == 0


def test_a_row_that_fails_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Row("dram", "wrong", 1.0, 2.0, "", 0.5, "nowhere")
    monkeypatch.setitem(CHECKS, "dram", (lambda: iter([row]),))
    with pytest.raises(SystemExit, match="1"):
        app(["validate", "dram"])
    assert "FAIL" in capsys.readouterr().out
