# SPDX-License-Identifier: BSD-3-Clause
"""Is the table in docs/storage-claims.md what its script makes of hmsim validate's rows?"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pages import storage_verdicts as script
from support import REPO

BEGIN = "<!-- tools/pages storage-claims writes all that follows. -->\n"
END = "<!-- The part of tools/pages storage-claims ends. -->\n"
VERDICTS = ("met", "missed", "calibrated", "not judged: an estimate")


def row(got: float, source: str = "S22: 3", unjudged: str = "", missed: str = "") -> dict[str, Any]:
    reported = f"{source}; {missed}" if missed else source
    return {
        **{"name": "a rate", "expected": 3.0, "tolerance": 1.0, "got": got, "unit": "GB/s"},
        **{"source": reported, "unjudged": unjudged, "missed": missed},
    }


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (row(2.00049), "| S22 | a rate | 3 GB/s | 2 to 4 | 2 GB/s | met |"),
        (row(1.9), "| S22 | a rate | 3 GB/s | 2 to 4 | 1.9 GB/s | missed |"),
        (row(4.1, missed="why"), "| S22 | a rate | 3 GB/s | 2 to 4 | 4.1 GB/s | missed |"),
        (row(3, unjudged="calibrated"), "| S22 | a rate | 3 GB/s | 2 to 4 | 3 GB/s | calibrated |"),
        (
            row(9876.54, "S23h: half", "estimate"),
            "| S23h | a rate | half | 2 to 4 | 9,877 GB/s | not judged: an estimate, outside |",
        ),
        (
            {**row(3), "band": "at least 2, direction only"},
            "| S22 | a rate | 3 GB/s | at least 2, direction only | 3 GB/s | met |",
        ),
        (row(3, "a data sheet"), "|  | a rate | a data sheet | 2 to 4 | 3 GB/s | met |"),
    ],
)
def test_a_claim_is_a_line(given: dict[str, Any], line: str) -> None:
    assert script.table([given]).splitlines()[-1] == line


def test_claims_are_counted_in_order_and_closed_forms_left_out() -> None:
    rows = [row(3, "S30: 3"), row(5, "S16: 3"), row(3, "S13: a form"), row(9, "S17: 3", "estimate")]
    lines = script.table(rows).splitlines()
    assert lines[0].startswith("2 of 3 claims judge, and 1 of those are met. 1 are ")
    assert "; 1 of these" in lines[0]
    assert [line[2:5] for line in lines[4:]] == ["S16", "S17", "S30"]


def test_only_what_is_between_the_marks_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}old\n{END}behind\n", encoding="utf-8")
    monkeypatch.setattr(script, "PAGE", page)
    monkeypatch.setattr(script, "validate", lambda _: [SimpleNamespace(as_dict=lambda: row(3))])
    ((path, text),) = script.page(tmp_path)
    assert path == page
    assert text.startswith("before\n") and text.endswith("behind\n")
    assert "old" not in text and text.count("S22") == 1


def within(band: str, value: float) -> bool:
    """Whether a value is in a band as the page states it."""
    words = band.removesuffix(", direction only").replace(",", "")
    if words.startswith("at least "):
        return value >= float(words.removeprefix("at least "))
    if words.startswith("at most "):
        return value <= float(words.removeprefix("at most "))
    low, high = map(float, words.split(" to "))
    return low <= value <= high


def test_verdicts_of_the_page_follow_from_its_numbers() -> None:
    text = (REPO / "docs" / "storage-claims.md").read_text(encoding="utf-8")
    block = text.partition(BEGIN)[2].partition(END)[0].strip()
    lines = [line.strip("| ").split(" | ") for line in block.splitlines()[4:]]
    judged = [line[-1] for line in lines if line[-1] in ("met", "missed")]
    count = (
        f"{len(judged)} of {len(lines)} claims judge, and {judged.count('met')} of those are met"
    )
    assert block.startswith(count)
    for *_, band, here, verdict in lines:
        inside = within(band, float(here.split()[0].replace(",", "")))
        word = verdict.removesuffix(", outside")
        assert word in VERDICTS
        assert inside == (word == verdict and word != "missed"), here
