# SPDX-License-Identifier: BSD-3-Clause
"""Does a wheel contain what a user needs, and no stray files?"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 12_500_000  # bytes of a wheel


def test_the_citation_names_the_version() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text()


@pytest.mark.slow
def test_a_wheel_has_the_files_that_commands_read(tmp_path: Path) -> None:
    options = ("--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", str(tmp_path))
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True)
    (built,) = tmp_path.glob("hmsim-*-linux_*.whl")
    with zipfile.ZipFile(built) as archive:
        names = set(archive.namelist())
    package = {name.removeprefix("hmsim/") for name in names if name.startswith("hmsim/")}
    assert package >= {
        *("_policy/libhmsim_policy.a", "_capture/hmsim_capture.so", "_core.pyi", "py.typed"),
        *("_library/hmsim.h", "_library/hmsim-config.cmake", "_library/libhmsim.so.3"),
        *("data/CITATION.cff", "data/README.md", "data/docs/policy-guide.md"),
        *("data/core/parameters.h", "data/policies/policy.h", "data/policies/scheduler/firm.cc"),
        *("data/configs/quick.yaml", "data/workloads/sorting.yaml"),
    }
    # The captures that shipped workloads name, and no others.
    captures = {Path(name).name for name in package if name.startswith("data/workloads/captures/")}
    assert captures == {"README.md", "sort.hmsim.zst", "sort_writes.hmsim.zst"}
    assert built.stat().st_size <= LARGEST
    folder = ROOT / "python/hmsim"
    tracked = subprocess.run(["git", "ls-files"], cwd=folder, capture_output=True, check=True)
    assert {*tracked.stdout.decode().split()} <= package
    assert sum(name.startswith("_core.") and name.endswith(".so") for name in package) == 1
    left = [name for name in package if "__pycache__" in name or "/." in name]
    assert not left
    assert not [name for name in package if name.startswith("data/core/") and name[-2:] != ".h"]
