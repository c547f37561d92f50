# SPDX-License-Identifier: BSD-3-Clause
"""Does tools/release find Pythons, pack captures reproducibly, and say what it lacks?"""

from __future__ import annotations

import tarfile
from pathlib import Path

from tools import release

CAPTURES = release.ROOT / "workloads" / "captures"


def test_supported_versions_begin_with_the_one_required() -> None:
    assert f'requires-python = ">={release.SUPPORTED[0]}"' in release.PROJECT
    numbers = [int(version.partition(".")[2]) for version in release.SUPPORTED]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_archives_of_equal_captures_are_equal(tmp_path: Path) -> None:
    archives = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        release.workloads(folder)
        (archive,) = folder.iterdir()
        archives.append(archive.read_bytes())
    assert archives[0] == archives[1]
    with tarfile.open(archive) as file:
        names = file.getnames()
    (top,) = {name.partition("/")[0] for name in names}
    assert archive.name == f"{top}.tar"
    for capture in CAPTURES.glob("*.zst"):
        assert f"{top}/captures/{capture.name}" in names
