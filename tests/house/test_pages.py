# SPDX-License-Identifier: BSD-3-Clause
"""Do pages name what there is, and answer users' questions (questions.csv)?"""

from __future__ import annotations

import csv
import pydoc
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hmsim import _core

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ALL = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
CODE = (".h", ".cc", ".hh", ".py")
NAMES = ("decisions", "glossary", "inside-the-channel", "performance")
PAGES = [ROOT / "docs" / f"{name}.md" for name in (*NAMES, "writing-a-storage-device")]
# Names of other programs. (The code to search omits this file, which holds names used only here.)
FOREIGN = {"callgrind_annotate", "march"}
DOTTED = re.compile(r"(?<![\w./:-])[A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|\d+|\*))+(?![\w/(-])")
FILE = re.compile(
    r"(?i)\.(c|cc|cff|cpp|csv|fio|gz|h|hh|html|job|js|json|md|parquet|pdf|png|py|sha256|simpoints|so"
    r"|svg|toml|trace|trc|txt|yaml|zst)$"
)
# Dotted names of other programs, of tests, and of what a page defines.
OTHERS = {
    *("gem5.fast", "gem5.opt", "controllers.N", "distributed.comm.tls", "libhmsim.so.3"),
    *("FastPaths.*", "Golden.*", "a.agent.0.rate", "b.agent.0.rate", "Completion.status"),
    *("bound.CLASS.by", "contest.CLASS", "figure.fig18_metric", "simpoint.K", "nvdimm.device0"),
    "policies.shares.dram",
}


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
def test_names_in_a_page_are_in_the_code(page: Path, known: set[str]) -> None:
    whole, text = page.read_text(encoding="utf-8"), prose(page)
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
    tables = re.findall(r"(?:^\|.*\n?)+", text, flags=re.M)
    heads = [[*table.splitlines(), ""] for table in tables]
    return [lines[0] for lines in heads if not re.fullmatch(r"\|[ :|-]+", lines[1])]


def test_rows_are_in_tables_with_a_head() -> None:
    assert stray_rows("| a |\n|---|\n| 1 |\n\n| 2 |\n") == ["| 2 |"]
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    stray = {page.name: found for page in pages if (found := stray_rows(prose(page)))}
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


def prose(path: Path) -> str:
    return re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.M | re.S)


@cache
def names() -> str:
    """Return the names of parameters, statistics and keys of agents, one a line."""
    pages = [(DOCS / f"{page}.md").read_text("utf-8") for page in ("parameters", "statistics")]
    words = [word for page in pages for word in re.findall(r"`([\w.]+)`", page)]
    kinds = map(_core.Simulation.agent_parameters, _core.Simulation.agent_kinds())
    return "\n".join([*words, *(f"agent.N.{info['name']}" for kind in kinds for info in kind)])


def public(name: str) -> bool:
    """Return whether hmsim has the name, or a module of it, or a request's view."""
    name = name.removeprefix("hmsim.").replace("request.", "RequestView.")
    return any(pydoc.locate(f"{place}.{name}") is not None for place in ("hmsim", "hmsim._core"))


@cache
def exists(name: str) -> bool:
    """Return whether a name, with words for numbers and placeholders, is within a known one."""
    short = re.sub(r"\.(\*|mean|p\d+|measured)$", "", name)  # of a histogram, beside an axis
    parts = (r"\w+" if re.fullmatch(r"\d+|[A-Z]+", part) else part for part in short.split("."))
    within = re.compile(rf"^(?:\S+\.)?{'[.]'.join(parts)}(?:\.|$)", re.MULTILINE)
    named = FILE.search(name) or name in OTHERS or name.startswith("bundle.")
    return bool(named or within.search(names()) or public(name))


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.stem)
def test_names_on_a_page_exist(page: Path) -> None:
    quoted = re.findall(r"`([^`]+)`", prose(page))
    missing = {name for text in quoted for name in DOTTED.findall(text) if not exists(name)}
    assert not missing, f"neither a parameter, a statistic nor a name of hmsim: {sorted(missing)}"


def test_a_wrong_name_is_found() -> None:
    wrong = ("hbf.fill", "nvdimm.bufer.lookup", "dram.energy.activate_w", "hmsim.stats.mean")
    assert not [name for name in wrong if exists(name)]


def test_functions_on_pages_exist() -> None:
    """A file that declares the class has the function's word, or a file defines it outside."""
    quoted = (re.findall(r"`([A-Z]\w+)::(\w+)", prose(page)) for page in ALL)
    named = {pair for pairs in quoted for pair in pairs}
    assert len(named) > 20
    for path in code_files():
        text = path.read_text("utf-8")
        types = set(re.findall(r"\b(?:class|struct) (?:alignas\(\d+\) )?(\w+)", text))
        named -= set(re.findall(r"\b([A-Z]\w+)::(\w+)", text))
        named -= {(one, word) for one, word in named if one in types and word in text}
    assert not named


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and MkDocs make them."""
    headings = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", prose(path)).lower()
    lines = re.findall(r"^#+ (.*)$", headings, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line).strip().replace(" ", "-") for line in lines}


def links(page: Path) -> set[Path]:
    found = re.findall(r"\]\(([^)#\s]+\.md)", prose(page))
    return {(page.parent / target).resolve() for target in found}


def test_each_question_has_an_answer_two_clicks_from_the_index() -> None:
    with Path(__file__).with_name("questions.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [int(row["number"]) for row in rows] == list(range(1, 41))
    first = links(DOCS / "index.md")
    near = first.union(*map(links, first))
    for row in rows:
        page, _, anchor = row["answer"].partition("#")
        path = (DOCS / page).resolve()
        assert path in near, f"{row['answer']} is more than two clicks from the index"
        assert anchor in anchors(path), f"{page} has no heading {anchor}"
