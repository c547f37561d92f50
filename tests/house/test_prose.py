# SPDX-License-Identifier: BSD-3-Clause
"""Does tools/prose.py find wording to avoid, with file and line, and nothing else?"""

from __future__ import annotations

import pytest

from tools import prose


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("Whoever reads it waits.", "start with the thing"),
        ("It waits. Of these, one ends.", "start with the thing"),
        ("The file tells its length.", "use reports"),
        ("The value is computed anew.", "use again"),
        ("It arrives one behind another.", "use after"),
        ("A name that is none is refused.", "use invalid"),
        ("It sleeps so long.", "use the given time"),
        ("word " * 21, "wrap at 100"),
    ],
)
def test_wording_to_avoid_is_found_in_pages_and_comments(line: str, advice: str) -> None:
    for name, mark in (("a.md", ""), ("a.cc", "// "), ("a.py", "# ")):
        (found,) = prose.complaints(name, f"\n{mark}{line}\n")
        assert found.startswith(f"{name}:2: ")
        assert advice in found


@pytest.mark.parametrize(
    "text",
    [
        "What does the checker find?",
        "Use `told` and [a page](what-is-none.md).",
        "```\nWhoever\n```",
        "| Of these | told |",
        "An array behind a link, used as long as it lasts.",
    ],
)
def test_questions_code_tables_and_plain_words_pass(text: str) -> None:
    assert list(prose.complaints("a.md", text)) == []


def test_code_is_not_prose() -> None:
    assert list(prose.complaints("a.cc", 'auto told = "Whoever";')) == []


@pytest.mark.parametrize(
    ("subject", "good"),
    [
        ("area: add a thing", True),
        ("Adds a thing", False),
        ("area, other: add a thing", False),
        ("area: " + "x" * 70, False),
    ],
)
def test_subjects_name_their_area(subject: str, good: bool) -> None:
    assert prose.subject_is_good(subject) == good
