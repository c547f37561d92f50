# SPDX-License-Identifier: BSD-3-Clause
"""Do README.md and docs/ say what the program does?"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from hmsim.common.paths import shipped
from support import REPO, succeed, write

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """docs/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("generate", REPO / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_generated_is_up_to_date(generate: ModuleType) -> None:
    for path, content in generate.documents():
        assert path.read_text(encoding="utf-8") == content, "run docs/generate.py"


def test_the_readme_begins_with_its_two_commands() -> None:
    blocks = FENCE.findall((REPO / "README.md").read_text(encoding="utf-8"))
    assert [content for _, content in blocks[:2]] == ["./tools/demo\n", "./tools/test\n"]


def test_the_example_policy_compiles(tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not installed")
    blocks = FENCE.findall((REPO / "README.md").read_text(encoding="utf-8"))
    (example,) = [content for language, content in blocks if language == "cpp"]
    source = write(tmp_path / "reads_first.cc", example)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only"]
    subprocess.run([compiler, *flags, "-I", str(REPO), str(source)], check=True)


def test_links_lead_somewhere() -> None:
    pages = [
        *(REPO / "README.md", REPO / "CONTRIBUTING.md", REPO / "workloads/demo/README.md"),
        *(REPO / "docs").rglob("*.md"),
    ]
    assert len(pages) >= 8
    for page in pages:
        for target, _ in LINK.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_policies_that_the_readme_names_are_shipped() -> None:
    text = (REPO / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"--policy ([a-z0-9_]+)", text))
    assert named
    assert named <= set(shipped("configs/policies"))


def test_the_lock_file_has_every_package_by_digest() -> None:
    tomllib = pytest.importorskip("tomllib")  # of Python 3.11 on, as CI's
    project = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(each for extra in extras for each in extra)]
    lock = (REPO / "requirements-ci.txt").read_text().replace("\\\n", "")
    lines = [
        line.split() for line in lock.splitlines() if line and not line.strip().startswith("#")
    ]
    for name, *digests in lines:
        assert re.fullmatch(r"[\w.-]+==\S+", name) and digests, name
        assert all(re.fullmatch("--hash=sha256:[0-9a-f]{64}", digest) for digest in digests), name
    locked = {name.partition("==")[0] for name, *_ in lines}
    for requirement in wanted:
        found = re.match(r"[\w-]+", requirement)
        assert found and found[0].lower().replace("_", "-") in locked, requirement


@pytest.mark.parametrize("command", ["", "run", "trace capture", "guest build"])
def test_help_has_a_short_name(command: str) -> None:
    assert succeed(*command.split(), "-h") == succeed(*command.split(), "--help") != ""
