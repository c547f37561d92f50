# SPDX-License-Identifier: BSD-3-Clause
"""Do pages for contributors name what there is?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = (".h", ".cc", ".hh", ".py")
PAGES = [
    *(ROOT / "docs" / name for name in ("inside-the-channel.md", "glossary.md", "performance.md")),
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
]
# Of other programs. (This file is left out of the code, as it names what others do not.)
FOREIGN = {"callgrind_annotate", "march"}


@pytest.fixture(scope="module")
def known() -> set[str]:
    """Every word of the code, and the names of its files without their endings."""
    words: set[str] = set()
    for folder in sorted(ROOT.iterdir()):
        if folder.is_dir() and folder.name != "build" and not folder.name.startswith("."):
            for path in folder.rglob("*"):
                if path.suffix in CODE and path != Path(__file__):
                    words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
                    words.update((path.stem, *path.relative_to(ROOT).parts))
    return words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_in_a_page_stand_in_the_code(page: Path, known: set[str]) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    named = {
        word
        for quoted in re.findall(r"`([^`]+)`", text)
        for word in re.findall(r"[A-Za-z]\w{3,}", quoted)
        if not word.endswith("_")
    }
    missing = sorted(named - known - FOREIGN)
    assert not missing, f"{page.name} names what there is not: {missing}"
