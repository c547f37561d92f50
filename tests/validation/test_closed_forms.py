# SPDX-License-Identifier: BSD-3-Clause
"""Does the simulator agree with every closed form?"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hmsim.cli.application import app
from hmsim.running import artifact
from hmsim.validate import dram_comparison
from hmsim.validate.checks import CHECKS, validate
from hmsim.validate.row import Row

SLOW = ["ftl"]


@pytest.mark.parametrize(
    "group",
    [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in CHECKS],
)
def test_a_group_of_checks_passes(group: str) -> None:
    rows = validate(group)
    assert rows
    assert [row.complaint() for row in rows if not row.passes(accept_listed=True)] == []
    if group != "dram" or not dram_comparison.available():
        expected = [row["name"] for row in expectations() if row["group"] == group]
        assert [row.name for row in rows] == expected, "analysis/artifact/expected is out of date"


def expectations() -> list[dict[str, Any]]:
    kept = artifact.folder() / "expected" / "closed_forms.json"
    rows: list[dict[str, Any]] = json.loads(kept.read_text(encoding="utf-8"))["output"]
    return rows


@pytest.mark.slow
def test_all_is_every_group() -> None:
    command = [sys.executable, "-m", "hmsim.cli", "validate", "all", "--accept-listed", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    rows = json.loads(done.stdout)
    assert {row["group"] for row in rows} == set(CHECKS)
    assert all(row["ok"] for row in rows if not row["missed"])
    assert done.returncode == 0


OUTSIDE = "hmsim: flash: a rate: 2 GB/s lies outside of 0.5 to 1.5 GB/s"
LISTED = "; listed as missed: nobody tells why"


@pytest.mark.parametrize(
    ("got", "unjudged", "missed", "accept", "status", "word", "complaint"),
    [
        (1, "", "", False, 0, "ok", ""),
        (2, "", "", False, 1, "FAIL", OUTSIDE),
        (2, "", "", True, 1, "FAIL", OUTSIDE),
        (2, "calibrated", "", False, 0, "calibrated, missed", ""),
        (2, "", "nobody tells why", False, 1, "FAIL", OUTSIDE + LISTED),
        (2, "", "nobody tells why", True, 0, "missed", ""),
        (1, "", "nobody tells why", False, 0, "ok", ""),
        (
            *(1, "", "nobody tells why", True, 1, "FAIL: no longer missed"),
            f"hmsim: flash: a rate: 1 GB/s is within 0.5 to 1.5 GB/s{LISTED}",
        ),
    ],
)
def test_a_row_that_fails_fails_the_command(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    got: float,
    unjudged: str,
    missed: str,
    accept: bool,
    status: int,
    word: str,
    complaint: str,
) -> None:
    row = Row("flash", "a rate", 1.0, got, "GB/s", 0.5, "nowhere", unjudged, missed)
    monkeypatch.setitem(CHECKS, "flash", (lambda: iter([row]),))
    with pytest.raises(SystemExit) as end:
        app(["validate", "flash", *(["--accept-listed"] if accept else [])])
    assert end.value.code == status
    told = capsys.readouterr()
    assert told.out.splitlines()[-1].endswith(f"GB/s  {word}")
    assert told.err.strip() == complaint
