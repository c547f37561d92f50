# SPDX-License-Identifier: BSD-3-Clause
"""Does ``hmsim figure`` write what it promises, and refuse what it cannot do?"""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pandas as pd
import pytest
from hmsim.reproduce.figures.wrong_models import WRONG, WrongModel
from messages import naming
from support import fail, invoke

pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    ("wrong", "hint"), [("fig15", "fig15a, fig15c, fig15d, fig15e?"), ("tabel1", "'table1'?")]
)
def test_a_wrong_name_is_rejected_with_a_hint(wrong: str, hint: str, tmp_path: Path) -> None:
    error = fail("figure", wrong, "--out", tmp_path / "out")
    assert naming(f"{wrong}:", hint).search(error), error
    assert not (tmp_path / "out").exists()


def test_one_figure_from_end_to_end(tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "page.md"
    command = ("figure", "table1", "--quick", "--jobs", 1, "--out", out, "--json")
    code, text, error = invoke(*command, "--report", page)
    assert code == 0, error
    assert [row["claim"] for row in json.loads(text)] == ["R1"]
    assert {path.name for path in out.iterdir()} == {
        *(f"table1.{kind}" for kind in ("svg", "png", "csv", "json")),
        "claims.csv",
    }
    first = (out / "table1.svg").read_bytes()
    assert len(first) < 100_000
    assert ElementTree.fromstring(first).tag.endswith("svg")
    rows = pd.read_csv(out / "table1.csv").set_index("device")
    # A flash read of 50 us, 4096 bytes at 200 MB/s, and 64 lines.
    assert rows.at["NVDIMM (hmsim)", "read_us"] == pytest.approx(71, rel=0.05)
    assert rows.at["SATA SSD", "read_us"] == 800
    assert "\nR1,Table I," in (out / "claims.csv").read_text()
    assert "| R1 |" in page.read_text() and "| R10 |" in page.read_text()
    assert "not run" in page.read_text() and "out/table1.svg" in page.read_text()
    assert "\nRandom 4 KB blocks, one at a time" in page.read_text()
    # A second run uses the kept results and draws the same picture.
    assert invoke(*command)[0] == 0
    assert (out / "table1.svg").read_bytes() == first


def test_readings_are_judged_kept_and_shown(tmp_path: Path, by_formulas: None) -> None:
    out, page = tmp_path / "out", tmp_path / "page.md"
    command = ("figure", "fig8c", "--quick", "--out", out, "--report", page, "--json")
    (alone,) = json.loads(invoke(*command).stdout)
    assert (alone["readings"], alone["verdict"]) == ("default: reproduced", "readings not run")
    code, text, error = invoke(*command, "--readings")
    assert code == 0, error
    (row,) = json.loads(text)
    assert (row["readings"], row["verdict"]) == ("3 of 3", "reproduced")
    kept = json.loads((out / "fig8c.json").read_text())
    assert [*kept["readings"]] == [
        "32 commands outstanding",
        "command queues in the controller",
    ]
    assert "1 reproduced, 0 not reproduced" in page.read_text()
    with (out / "claims.csv").open(encoding="utf-8", newline="") as lines:
        (r7,) = (line for line in csv.DictReader(lines) if line["claim"] == "R7")
    assert [r7[name] for name in ("default", *kept["readings"])] == ["22.2 %"] * 3


def test_a_wrong_model_fails_its_claim(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ("figure", "table1", "--quick", "--jobs", 1, "--out", out, "--wrong-models", "--json")
    code, text, error = invoke(*command)
    assert code == 0, error
    (row,) = json.loads(text)
    assert (row["claim"], row["verdict with it"]) == ("R1", "not reproduced")
    assert row["with it"] == "25.9 us"  # flash reads of 5 us in place of 50
    assert (row["hmsim"], row["verdict"]) == ("70.1 us", "not reproduced")
    assert not out.exists()


def test_a_verdict_that_misses_a_wrong_model_fails_the_command(
    by_formulas: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    harmless = WrongModel("nothing is wrong", ())
    monkeypatch.setitem(WRONG, "R1", harmless)
    code, text, error = invoke("figure", "fig8d", "table1", "--quick", "--wrong-models")
    assert code == 1 and "nothing is wrong" in text
    assert naming("R1:", "nothing is wrong").search(error), error
