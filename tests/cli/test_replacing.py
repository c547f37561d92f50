# SPDX-License-Identifier: BSD-3-Clause
"""Does --force leave a whole directory, old or new, whenever the command is killed?"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hmsim import InputError
from hmsim.common import directories
from hmsim.common.directories import MARKER, check_output, new_directory, remove_dead
from messages import naming

OLD = {MARKER: "old", "part/stats": "old", "log": "old"}
NEW = {MARKER: "new", "part/stats": "new", "more": "new"}
KILLED = 9  # the child's exit status
STEPS = ("open", "os.", "shutil.", "fcntl.")  # audit events that precede a file system call


def fill(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def content(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def killed_before(step: int, work: Callable[[], None]) -> bool:
    """Do the work in a child that dies before its file system call of this number, from 0.

    Returns false if the work ended before that.
    """
    child = os.fork()
    if child == 0:
        left = step

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            if event.startswith(STEPS):
                if left == 0:
                    os._exit(KILLED)
                left -= 1

        try:
            sys.addaudithook(count)
            work()
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, KILLED)
    return status == KILLED


def no_exchange(first: Path, second: Path) -> None:
    raise OSError(errno.EINVAL, "no exchange here")


@pytest.fixture(params=["exchange", "two renames"])
def exchanges(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the file system exchanges two directories in one step."""
    if request.param == "two renames":
        monkeypatch.setattr(directories, "_exchange", no_exchange)
    return bool(request.param == "exchange")


def replace(target: Path) -> None:
    with new_directory(target, force=True) as fresh:
        fill(fresh, NEW)


def test_a_command_killed_at_any_step_leaves_the_old_or_the_new_directory(
    tmp_path: Path, exchanges: bool
) -> None:
    found = set()
    for step in range(200):
        place = tmp_path / str(step)
        target = place / "out"
        fill(target, OLD)
        killed = killed_before(step, partial(replace, target))
        missing = not target.exists()
        assert missing or content(target) in (OLD, NEW), step
        with pytest.raises(InputError, match=naming("out:", "--force")):
            check_output(target, force=False)  # as the next command does
        assert content(target) in (OLD, NEW), step
        assert [path.name for path in place.iterdir()] == ["out"], step
        found.add((missing, content(target)["more" if "more" in content(target) else "log"]))
        if not killed:
            break
    assert not killed and content(target) == NEW and step > 20
    gap = set() if exchanges else {(True, "old")}  # between the two renames
    assert found == {(False, "old"), (False, "new"), *gap}


def test_tidying_killed_at_any_step_loses_nothing(tmp_path: Path) -> None:
    between = {directories.LOCK: "", "fresh/log": "new"}  # what dies between the two renames
    between |= {f"{directories.OLD}/out/{name}": text for name, text in OLD.items()}
    for step in range(100):
        place = tmp_path / str(step)
        fill(place / f"{directories.SCRATCH}x", between)
        killed = killed_before(step, partial(remove_dead, place))
        remove_dead(place)
        assert [path.name for path in place.iterdir()] == ["out"], step
        assert content(place / "out") == OLD, step
        if not killed:
            break
    assert not killed and step > 5


def test_a_replacement_that_fails_leaves_the_old_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rename(self: Path, target: Path) -> None:
        if self.name == "fresh":
            raise OSError(errno.ENOSPC, "No space left on device")
        os.rename(self, target)

    monkeypatch.setattr(directories, "_exchange", no_exchange)
    monkeypatch.setattr(Path, "rename", rename)
    target = tmp_path / "out"
    fill(target, OLD)
    with pytest.raises(InputError, match=naming("out:", "No space left")):
        replace(target)
    assert content(target) == OLD and list(tmp_path.iterdir()) == [target]


def test_a_directory_is_restored_only_if_its_path_is_free(tmp_path: Path) -> None:
    scratch = tmp_path / f"{directories.SCRATCH}x"
    fill(scratch, {directories.LOCK: "", f"{directories.OLD}/out/{MARKER}": "old"})
    fill(tmp_path / "out", NEW)
    remove_dead(tmp_path)
    assert content(tmp_path) == {f"out/{name}": text for name, text in NEW.items()}


def test_file_system_errors_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(first: Path, second: Path) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(directories, "_exchange", refuse)
    fill(tmp_path / "out", OLD)
    with pytest.raises(InputError, match=naming("out:", "Permission denied")):
        replace(tmp_path / "out")
    assert content(tmp_path / "out") == OLD


@pytest.mark.parametrize(
    ("force", "marked", "wanted"),
    [
        (False, True, "appeared during the run; --force"),
        (True, False, "files of other programs"),
        (True, True, None),
    ],
)
def test_a_directory_that_appears_during_the_run_is_kept(
    tmp_path: Path, force: bool, marked: bool, wanted: str | None
) -> None:
    target = tmp_path / "run"

    def run() -> None:
        with new_directory(target, force) as fresh:
            fill(fresh, NEW)
            target.mkdir()
            (target / (directories.MARKER if marked else "foreign")).write_text("other")

    if wanted is None:
        run()
        assert content(target) == NEW
        return
    with pytest.raises(InputError, match=wanted):
        run()
    assert [file.read_text() for file in target.iterdir()] == ["other"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_a_file_that_appears_during_the_run_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "run"
    with pytest.raises(InputError, match="not a directory"), new_directory(target) as fresh:
        fill(fresh, NEW)
        target.write_text("other")
    assert target.read_text() == "other"
    target.unlink()
    with pytest.raises(InputError, match="appeared"), directories.new_file(target) as fresh:
        fresh.write_text("own")
        target.write_text("other")
    assert target.read_text() == "other"
    with directories.new_file(target, force=True) as fresh:
        fresh.write_text("own")
    assert target.read_text() == "own"
