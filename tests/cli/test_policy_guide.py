# SPDX-License-Identifier: BSD-3-Clause
"""Does docs/policy-guide.md work, typed in unchanged?"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import REPO

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w./]+)`:")  # ends the paragraph before a block that is a file's content
VARIANT = "gcc-release"
TOOLS = {
    "hmsim": f"{sys.executable} -m hmsim",
    "scons": f"{sys.executable} -m SCons",
    "python": sys.executable,
}


def copied(folder: Path) -> Path:
    """Return a copy of the repository, with its build."""
    built = REPO / "build" / VARIANT
    if not (built / "libhmsim.a").is_file() or importlib.util.find_spec("SCons") is None:
        pytest.skip("nothing was built with SCons here")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a Git repository")
    for name in listed.stdout.splitlines():
        if (REPO / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPO / name, folder / name)
    leave = shutil.ignore_patterns("tests", "benchmarks", "hmsim_tests")
    shutil.copytree(built, folder / "build" / VARIANT, ignore=leave)
    for name in (REPO / "build").glob(".sconsign*"):
        shutil.copy2(name, folder / "build")
    return folder


@pytest.mark.slow
def test_the_blocks_of_the_guide_run_as_shown(tmp_path: Path) -> None:
    repository = copied(tmp_path / "hmsim")
    guide = (REPO / "docs" / "policy-guide.md").read_text(encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(repository / "python"), "COLUMNS": "100"}
    printed = []
    for block in BLOCK.finditer(guide):
        language, content = block.groups()
        named = FILE.findall(guide[: block.start()].rsplit("\n\n", 2)[-2])
        if language == "text":
            assert [line.rstrip() for line in printed[-1].splitlines()] == content.splitlines()
            continue
        if language == "toml":  # a part of a package's file
            continue
        if language != "sh":
            (repository / named[-1]).write_text(content, encoding="utf-8")
            continue
        content = re.sub(r"\.venv/bin/(\w+)", lambda tool: TOOLS[tool[1]], content)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", content],
            cwd=repository,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{content}\n{done.stdout}\n{done.stderr}"
        printed.append(done.stdout)
    assert len(printed) == 4
    _, compiled, compared, python = printed
    assert "policies.shares.dram = 2 contests" in compiled
    assert "no violation" in compared
    assert len(re.findall(r"^ *split +shares +unified_fr_fcfs$", compared, re.MULTILINE)) == 1
    row = re.compile(r"^(\w+) +([\d.]+) +([\d.]+) +([\d.]+)$", re.MULTILINE)
    speedups = row.findall(python)
    assert [found[0] for found in speedups] == [
        *("split", "shares_2", "shares_5", "unified_fr_fcfs")
    ]
    first = re.search(r"agent 0, speedup +1 ± 0 +([\d.]+)", compared)  # a mean of seeds
    assert first is not None
    assert float(speedups[1][1]) == pytest.approx(float(first[1]), rel=0.01)
    # One's first policy should be seen in its first table.
    core = [float(row[1]) for row in speedups]
    assert core[0] == 1 and core[1] > 1.1 and core[2] > 1.1 * core[1]
