# SPDX-License-Identifier: BSD-3-Clause
"""Do pages for contributors name what there is, and do links say where they lead?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = (".h", ".cc", ".hh", ".py")
NAMES = ("decisions", "glossary", "inside-the-channel", "performance")
PAGES = [ROOT / "docs" / f"{name}.md" for name in (*NAMES, "writing-a-storage-device")]
# Names of other programs. (The code to search omits this file, which holds names used only here.)
FOREIGN = {"callgrind_annotate", "march"}


def code_files() -> Iterator[Path]:
    """Yield the files of the code and its tests."""
    for folder in sorted(ROOT.iterdir()):
        if folder.is_dir() and folder.name != "build" and not folder.name.startswith("."):
            yield from (path for path in folder.rglob("*") if path.suffix in CODE)


@pytest.fixture(scope="module")
def known() -> set[str]:
    """Every word of the code, and the names of its files without their exit_on_errors."""
    words: set[str] = set()
    for path in code_files():
        if path != Path(__file__):
            words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
            words.update((path.stem, *path.relative_to(ROOT).parts))
    return words


def test_pages_that_the_code_names_exist() -> None:
    """A page that was moved is named by its new name: MOVED in docs/site_hooks.py."""
    named = re.compile(r"(?<![\w/])docs/([\w/-]+)\.md")
    gone = {
        f"{path.relative_to(ROOT)}: docs/{name}.md"
        for path in code_files()
        if path.name != "test_page_writers.py"  # which makes pages of its own
        for name in named.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / "docs" / f"{name}.md").is_file()
    }
    assert not gone, f"the code names pages that there are not: {sorted(gone)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_in_a_page_stand_in_the_code(page: Path, known: set[str]) -> None:
    whole = page.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```", "", whole, flags=re.M | re.S)
    own = re.findall(r"`[\w/.]+`:\n\n```cpp\n.*?^```", whole, flags=re.M | re.S)  # files
    named = {
        word
        for quoted in re.findall(r"`([^`]+)`", text)
        for word in re.findall(r"[A-Za-z]\w{3,}", quoted)
        if not word.endswith("_")
    }
    missing = sorted(named - known - FOREIGN - {*re.findall(r"\w+", "".join(own))})
    assert not missing, f"{page.name} names what there is not: {missing}"


def stray_rows(text: str) -> list[str]:
    """Return rows outside tables: a table has a line of dashes below its head."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    tables = re.findall(r"(?:^\|.*\n?)+", prose, flags=re.M)
    heads = [[*table.splitlines(), ""] for table in tables]
    return [lines[0] for lines in heads if not re.fullmatch(r"\|[ :|-]+", lines[1])]


def test_rows_of_tables_stand_in_tables() -> None:
    assert stray_rows("| a |\n|---|\n| 1 |\n\n| 2 |\n") == ["| 2 |"]
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    stray = {page.name: found for page in pages if (found := stray_rows(page.read_text("utf-8")))}
    assert not stray, f"rows without a table: {stray}"


def test_each_trace_format_names_its_source() -> None:
    """A file of the program that reads or writes it, a manual, a paper, or an archive's number."""
    source = re.compile(
        r"\.(?:cc|cpp|h|proto|py)\b|\(\d\)|\d{4}[;)]|IOTTA|trace-events|fio \d|docs/"
    )
    ours = {"csv", "hmsim"}
    for path in sorted((ROOT / "traces").glob("format_*.cc")):
        if path.stem.removeprefix("format_") not in ours:
            comment = path.read_text("utf-8").split("#include")[0].partition("\n")[2]
            assert source.search(comment), f"{path.name} does not say where its format is from"
