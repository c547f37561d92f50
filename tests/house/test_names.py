# SPDX-License-Identifier: BSD-3-Clause
"""Does everything that users have written still work: names, words, imports?

names.txt lists it, a section for each kind. Names may be added at any time. Removing or changing a
name breaks files and scripts of users: remove its line only together with an entry in CHANGELOG.md.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer
from hmsim import _core
from hmsim._core import Simulation
from hmsim.cli.application import app
from hmsim.common.paths import shipped
from hmsim.traces.records import FORMATS
from hmsim.workloads.mixes import every
from typer.core import TyperGroup

HERE = Path(__file__).resolve().parent
STATISTIC = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)


def read_names() -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    for line in (HERE / "names.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            names = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            names.append(line)
    return sections


def commands() -> Iterator[str]:
    """Yield every command, and after it each of its options."""
    waiting = [("", typer.main.get_command(app))]
    while waiting:
        name, command = waiting.pop()
        if isinstance(command, TyperGroup):
            context = typer.Context(command)
            for word in command.list_commands(context):
                child = command.get_command(context, word)
                assert child is not None
                waiting.append((f"{name} {word}".strip(), child))
        yield name
        for parameter in command.params:
            yield from (f"{name} {word}".strip() for word in parameter.opts if word[0] == "-")


def parameters() -> Iterator[str]:
    yield from (info["name"] for info in Simulation.parameters())
    for kind in Simulation.agent_kinds():
        for info in Simulation.agent_parameters(kind):
            yield f"agents.{kind}.{info['name']}"


def statistics() -> Iterator[str]:
    """Yield the names on the reference page, which another test keeps up to date."""
    page = HERE.parents[1] / "docs" / "statistics.md"
    yield from STATISTIC.findall(page.read_text(encoding="utf-8"))


def policies() -> Iterator[str]:
    yield from (f"{piece['kind']} {piece['name']}" for piece in _core.policies())


def files() -> Iterator[str]:
    for folder in (
        "configs",
        "configs/policies",
        "configs/sweeps",
        "configs/fits",
        "configs/clusters",
    ):
        yield from (f"{folder}/{name}" for name in shipped(folder))
    yield from (f"workloads/{name}" for name in shipped("workloads"))
    yield from (mix.name for mix in every())


def imports() -> Iterator[str]:
    for name in read_names()["imports"]:
        module, _, leaf = name.rpartition(".")
        if not module or hasattr(importlib.import_module(module), leaf):
            importlib.import_module(module or leaf)
            yield name


KINDS: dict[str, Callable[[], Iterator[str]]] = {
    "commands": commands,
    "parameters": parameters,
    "statistics": statistics,
    "policies": policies,
    "formats": lambda: iter(FORMATS),
    "files": files,
    "imports": imports,
}


def test_every_kind_is_listed() -> None:
    assert set(read_names()) == set(KINDS)
    assert all(read_names().values())


@pytest.mark.parametrize("kind", KINDS)
def test_no_listed_name_is_removed(kind: str) -> None:
    gone = set(read_names()[kind]) - set(KINDS[kind]())
    assert not gone, f"{kind} that users have written, and that are gone: {sorted(gone)}"
