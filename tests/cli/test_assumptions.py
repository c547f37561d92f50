# SPDX-License-Identifier: BSD-3-Clause
"""Do the rows of docs/assumptions.md name what exists, and does each departure have its reason?"""

from __future__ import annotations

import re
from pathlib import Path

from hmsim.config import settings
from hmsim.reproduce.figures.sensitivity import CHOICES
from support import REPO

PAGE = (REPO / "docs" / "assumptions.md").read_text(encoding="utf-8")
ROWS, DEPARTURES, *_ = re.split(r"^## Where (?:a default|the words)", PAGE, flags=re.M)
FILE = re.compile(r"\b(?:configs|policies)/[\w/]+\.\w+")


def rows(text: str) -> dict[str, list[str]]:
    """Return the cells of each row by its number."""
    lines = re.findall(r"^\| (A\d+) \|(.*)\|$", text, re.MULTILINE)
    assert len(lines) == len(dict(lines)), "a number twice"
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in lines}


def test_keys_and_files_of_rows_exist() -> None:
    """tests/house/test_page_names.py checks that keys exist."""
    for name, cells in rows(ROWS).items():
        files = FILE.findall(cells[3])
        assert files or "](" in cells[3] or "`" in cells[3], name
        assert all(Path(REPO, file).is_file() for file in files), name


def test_each_departure_has_a_value_and_a_reason() -> None:
    departing = {name for name, cells in rows(ROWS).items() if "**departs**" in cells[1]}
    reasons = re.findall(r"^\*\*(A\d+)\*\* \(by the words: .+\)\. \S", DEPARTURES, re.MULTILINE)
    assert sorted(reasons) == sorted(departing)


def test_rows_that_figures_name_are_on_the_page() -> None:
    named = {word for each in CHOICES for word in re.findall(r"\bA\d+\b", each.what)}
    assert named and named <= rows(ROWS).keys()


def test_values_that_are_kept_belong_to_rows() -> None:
    kept = REPO / "configs" / "mascots16_2026_11.yaml"
    stated = settings.flatten(kept, settings.read_mapping(kept))
    keys = {each.name for each in stated} - {"base", "description"}
    assert keys and all(f"`{key}`" in ROWS for key in keys)
