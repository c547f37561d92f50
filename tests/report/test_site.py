# SPDX-License-Identifier: BSD-3-Clause
"""Is every page in the site, and does every command in the pages exist?"""

from __future__ import annotations

import importlib.util
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml
from hmsim.cli.application import app
from typer.core import TyperGroup

REPO = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCS = REPO / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def _leaves(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    else:
        for value in part.values() if isinstance(part, dict) else part:
            yield from _leaves(value)


def _moved() -> dict[str, str]:
    """Return the pages that were moved, with their new places."""
    hooks = runpy.run_path(str(DOCS / "site_hooks.py"))
    moved: dict[str, str] = hooks["MOVED"]
    return moved


def test_moved_pages_are_gone_and_their_successors_are_there() -> None:
    moved = _moved()
    assert {"controls", "flash", "mutants", "reproduction"} <= moved.keys()
    for old, new in moved.items():
        assert not (DOCS / f"{old}.md").exists(), old
        assert (DOCS / f"{new.partition('#')[0]}.md").is_file(), f"{old}: {new}"


def test_the_navigation_names_every_page_once() -> None:
    site = yaml.safe_load((REPO / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(_leaves(site["nav"])) == sorted(
        page.relative_to(DOCS).as_posix() for page in PAGES
    )


def _commands(text: str) -> Iterator[list[str]]:
    for block in FENCE.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            words = line.split(" # ")[0].strip()
            words = words.removeprefix("$ ").removeprefix(".venv/bin/")
            if words.startswith("hmsim ") and not set("[|<…") & set(words) and "..." not in words:
                yield shlex.split(words)[1:]


@pytest.mark.parametrize("page", [REPO / "README.md", *PAGES], ids=lambda page: page.name)
def test_commands_in_pages_exist(page: Path) -> None:
    for words in _commands(page.read_text(encoding="utf-8")):
        command: Any = typer.main.get_command(app)
        rest = list(words)
        while isinstance(command, TyperGroup):
            assert rest and rest[0] in command.commands, f"{page.name}: hmsim {' '.join(words)}"
            command = command.get_command(typer.Context(command), rest.pop(0))
        known = {option for parameter in command.params for option in parameter.opts}
        own = rest[: rest.index("--")] if "--" in rest else rest  # then a program and its arguments
        used = {word.split("=")[0] for word in own if word.startswith("--")}
        assert used <= known | {"--help"}, f"{page.name}: hmsim {' '.join(words)}"


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_with_notebooks_that_run(tmp_path: Path) -> None:
    for module in ("material", "mkdocstrings", "nbconvert", "ipykernel", "matplotlib"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed (the extras 'docs', 'figures', 'notebooks')")
    # Not --quiet: what is not logged is not counted as a warning.
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir"]
    done = subprocess.run(
        [*build, str(tmp_path / "site")],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    assert (site / "timeline.html").is_file()
    for old in _moved():
        (target,) = re.findall(r"url=([^\"]+)", (site / f"{old}.html").read_text())
        name, _, anchor = target.partition("#")
        assert not anchor or f'id="{anchor}"' in (site / name).read_text(), f"{old}: {target}"
    assert 'id="hmsim.System.power_fail' in (site / "python.html").read_text()
    notebooks = sorted((REPO / "analysis" / "notebooks").glob("*.ipynb"))
    assert len(notebooks) == 12
    for path in notebooks:
        shown = (site / "notebooks" / f"{path.stem}.html").read_text(encoding="utf-8")
        pictures = re.findall(r'src="(\w+/\w+\.svg)"', shown)
        assert pictures and all((site / "notebooks" / each).is_file() for each in pictures), path
