# SPDX-License-Identifier: BSD-3-Clause
"""Does tools/release find Pythons, pack captures reproducibly, and say what it lacks?"""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tools import release

CAPTURES = release.ROOT / "workloads" / "captures"


def stub(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home of a machine without Pythons."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    return tmp_path


def test_supported_versions_begin_with_the_one_required() -> None:
    assert f'requires-python = ">={release.SUPPORTED[0]}"' in release.PROJECT
    numbers = [int(version.partition(".")[2]) for version in release.SUPPORTED]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_interpreters_come_from_the_path_then_from_pyenv(machine: Path) -> None:
    stub(machine / "bin" / "python3.9", "echo 3.9")
    stub(machine / "bin" / "python3.10", "exit 1")  # no headers, or a shim of pyenv
    stub(machine / "bin" / "python3.12", "echo 3.11")
    for version in ("3.9.18", "3.10.13", "3.13.0"):
        minor = version.rpartition(".")[0]
        stub(machine / "pyenv" / "versions" / version / "bin" / f"python{minor}", f"echo {minor}")
    assert release.interpreters() == {
        "3.9": f"{machine}/bin/python3.9",
        "3.10": f"{machine}/pyenv/versions/3.10.13/bin/python3.10",
        "3.13": f"{machine}/pyenv/versions/3.13.0/bin/python3.13",
    }


def test_two_pythons_are_needed(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stub(machine / "bin" / "python3.11", "echo 3.11")
    release.pythons()
    assert capsys.readouterr().out.startswith("skipped: needs two Pythons of 3.9 to ")


@pytest.mark.usefixtures("machine")
def test_wheels_need_a_python(tmp_path: Path) -> None:
    with pytest.raises(release.Failed, match=r"no Python of 3\.9 to "):
        release.wheels(tmp_path)


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
