# SPDX-License-Identifier: BSD-3-Clause
"""Do pages name parameters, statistics and functions that there are, and answer users' questions?

questions.csv maps each of forty questions to the section that answers it.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

import hmsim
import pytest
from hmsim import _core

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
DOTTED = re.compile(r"(?<![\w./:-])[A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|\d+|\*))+(?![\w/(-])")
FILE = re.compile(
    r"\.(c|cc|cff|cpp|csv|fio|gz|h|hh|html|job|js|json|md|parquet|pdf|png|py|sha256|simpoints|so|svg"
    r"|toml|trace|trc|txt|yaml|zst)$",
    re.IGNORECASE,
)
# Names of other programs, of tests, and of what a page defines.
OTHERS = {
    *("gem5.fast", "gem5.opt", "controllers.N", "distributed.comm.tls", "libhmsim.so.2"),
    *("FastPaths.*", "Golden.*", "a.agent.0.rate", "b.agent.0.rate", "policies.shares.dram"),
    *("bound.CLASS.by", "contest.CLASS", "figure.fig18_metric", "simpoint.K", "nvdimm.device0"),
}


def prose(path: Path) -> str:
    return re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.M | re.S)


@cache
def known() -> str:
    """Return the names of parameters, statistics and keys of agents, one a line."""
    pages = [(DOCS / f"{page}.md").read_text("utf-8") for page in ("parameters", "statistics")]
    words = [word for page in pages for word in re.findall(r"`([\w.]+)`", page)]
    kinds = map(_core.Simulation.agent_parameters, _core.Simulation.agent_kinds())
    return "\n".join([*words, *(f"agent.N.{info['name']}" for kind in kinds for info in kind)])


def public(name: str) -> bool:
    """Return whether hmsim has the name, or a module of it, or a request's view."""
    first, *rest = name.removeprefix("hmsim.").split(".")
    views = {"request": _core.RequestView, **vars(_core)}
    found = views.get(first) or getattr(hmsim, first, None)
    for word in rest:
        found = getattr(found, word, None) or getattr(found, "__annotations__", {}).get(word)
    return found is not None or (ROOT / "python" / f"{name.replace('.', '/')}.py").is_file()


@cache
def exists(name: str) -> bool:
    """Return whether a name, with words for numbers and placeholders, is within a known one."""
    short = re.sub(r"\.(\*|mean|p\d+|measured)$", "", name)  # of a histogram, beside an axis
    parts = (r"\w+" if re.fullmatch(r"\d+|[A-Z]+", part) else part for part in short.split("."))
    within = re.compile(rf"^(?:\S+\.)?{'[.]'.join(parts)}(?:\.|$)", re.MULTILINE)
    named = FILE.search(name) or name in OTHERS or name.startswith("bundle.")
    return bool(named or within.search(known()) or public(name))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_on_a_page_exist(page: Path) -> None:
    quoted = re.findall(r"`([^`]+)`", prose(page))
    missing = {name for text in quoted for name in DOTTED.findall(text) if not exists(name)}
    assert not missing, f"neither a parameter, a statistic nor a name of hmsim: {sorted(missing)}"


def test_a_wrong_name_is_found() -> None:
    wrong = ("hbf.fill", "nvdimm.bufer.lookup", "dram.energy.activate_w", "hmsim.stats.mean")
    assert not [name for name in wrong if exists(name)]


def test_functions_on_pages_exist() -> None:
    """A file that declares the class has the function's word, or a file defines it outside."""
    quoted = (re.findall(r"`([A-Z]\w+)::(\w+)", prose(page)) for page in PAGES)
    named = {pair for pairs in quoted for pair in pairs}
    assert len(named) > 50
    for path in (path for top in ROOT.glob("[!.]*") for path in top.rglob("*")):
        if path.suffix in (".h", ".cc"):
            text = path.read_text("utf-8")
            types = set(re.findall(r"\b(?:class|struct) (?:alignas\(\d+\) )?(\w+)", text))
            named -= set(re.findall(r"\b([A-Z]\w+)::(\w+)", text))
            named -= {(one, word) for one, word in named if one in types and f"{word}" in text}
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
