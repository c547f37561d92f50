# SPDX-License-Identifier: BSD-3-Clause
"""Do README.md and docs/ say what the program does?"""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from hmsim.common.paths import shipped
from support import REPO, succeed, write

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")
MOVED = runpy.run_path(str(REPO / "docs" / "site_hooks.py"))["MOVED"]
README = (REPO / "README.md").read_text(encoding="utf-8")


def test_the_readme_begins_with_its_two_commands() -> None:
    blocks = FENCE.findall(README)
    assert [content for _, content in blocks[:2]] == ["./tools/demo\n", "./tools/test\n"]


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 900


def _values(row: str) -> list[str]:
    """Return the numbers of a row of the readme's table."""
    found = re.search(rf"^\| {re.escape(row)}[^|]*\|([^|]*)\|", README, re.MULTILINE)
    assert found, row
    return re.findall(r"\d[\d,]*\d|\d", found[1])


def _column(page: str, heading: str, column: int) -> list[int]:
    """Return the numbers of a column in the first table after a heading."""
    rest = (REPO / page).read_text(encoding="utf-8").split(f"\n{heading}\n")[1]
    table = re.findall(r"(?:^\|.*\n)+", rest, re.MULTILINE)[0].splitlines()[2:]
    cells = [row.split("|")[column + 1].split()[0].replace(",", "") for row in table]
    return [int(cell) for cell in cells]


def test_the_readmes_numbers_match_their_sources() -> None:
    speeds = [_column("docs/performance.md", "## Beside peers", n) for n in (1, 2, 3)]
    ranges = [f"{value:,}" for each in speeds for value in (min(each), max(each))]
    assert [value for value in _values("host instructions") if len(value) > 1] == ranges
    traces, commands, unlike = (
        _column("docs/trust.md", "### Commands, one by one", n) for n in (1, 2, 3)
    )
    assert not any(unlike)
    assert _values("DRAM commands") == [f"{sum(commands):,}", str(sum(traces))]
    claims = (REPO / "docs" / "results.md").read_text(encoding="utf-8")
    (counts,) = re.findall(r"^In (\d+) of (\d+) claims .*: (\d+) reproduced", claims, re.MULTILINE)
    assert _values("the paper's claims") == [*counts]
    trust = (REPO / "docs" / "trust.md").read_text(encoding="utf-8")
    assert f"all {sum(commands):,} commands" in trust
    assert f"as claimed in {counts[0]} of {counts[1]} claims" in trust
    assert _values("trace formats") == [str(len(list((REPO / "traces").glob("format_*.cc"))))]
    mutants = (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert _values("mutants killed") == [*re.findall(r"kill (\d+) of (\d+)", mutants)[0]]


def _compile(source: Path, *folders: Path) -> None:
    """Check the syntax and types of a file, whose includes lie in the folders."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not installed")
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only"]
    includes = [f"-I{folder}" for folder in folders]
    subprocess.run([compiler, *flags, *includes, str(source)], check=True)


def test_the_guides_policies_compile(tmp_path: Path) -> None:
    guide = (REPO / "docs" / "policy-guide.md").read_text(encoding="utf-8")
    examples = [content for language, content in FENCE.findall(guide) if language == "cpp"]
    assert len(examples) == 2
    for example in examples:
        _compile(write(tmp_path / "policy.cc", example), REPO)


def test_the_storage_device_of_its_page_compiles(tmp_path: Path) -> None:
    page = (REPO / "docs" / "writing-a-storage-device.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"`(storage/\w+\.\w+)`:\n\n```cpp\n(.*?)^```", page, re.M | re.S))
    assert len(files) == 3 == page.count("```cpp")
    (tmp_path / "storage").mkdir()
    sources = [write(tmp_path / name, content) for name, content in files.items()]
    for source in sources:
        if source.suffix == ".cc":
            _compile(source, tmp_path, REPO)


def test_links_have_targets() -> None:
    pages = [
        *(REPO / "README.md", REPO / "CONTRIBUTING.md", REPO / "workloads/demo/README.md"),
        *(REPO / "docs").rglob("*.md"),
    ]
    assert len(pages) >= 8
    for page in pages:
        for target, _ in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
            moved = MOVED.get(target.removesuffix(".md"), "")
            hint = f" (moved: {moved})" if moved else ""
            assert (page.parent / target).exists(), f"{page.name}: {target}{hint}"


def test_policies_that_the_readme_names_are_shipped() -> None:
    named = set(re.findall(r"--policy ([a-z0-9_]+)", README))
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


@pytest.mark.parametrize("command", ["", "run", "trace capture", "guest capture"])
def test_help_has_a_short_name(command: str) -> None:
    assert succeed(*command.split(), "-h") == succeed(*command.split(), "--help") != ""
