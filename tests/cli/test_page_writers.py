# SPDX-License-Identifier: BSD-3-Clause
"""Does tools/pages find what is out of date in the generated pages, and renew it?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pages as writers
import pytest
from hmsim import InputError
from messages import naming
from pages import __main__ as command
from support import REPO, write

PRINTED = ("demonstration", "guide")  # pages that hold what a command prints


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run tools/pages with this interpreter."""
    script = (REPO / "tools" / "pages").read_text(encoding="utf-8")
    assert 'exec "$python" -m pages "$@"' in script
    path = [str(REPO / "analysis"), str(REPO), str(REPO / "python")]
    return subprocess.run(
        [sys.executable, "-m", "pages", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("names", [(), PRINTED], ids=["quick", "printed"])
def test_generated_pages_are_up_to_date(names: tuple[str, ...]) -> None:
    done = run("--check", *names)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr  # which may hold progress


def test_a_page_that_is_out_of_date_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    kept = write(root / "kept.md", "same\n")
    changed = write(root / "changed.md", "old\n")
    found = [(kept, "same\n"), (changed, "new\n"), (root / "new.md", "first\n")]
    monkeypatch.setattr(writers.Writer, "documents", lambda _, data: iter(found))
    monkeypatch.setattr(command, "ROOT", tmp_path)
    assert command.main(["--check", "guide"]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert naming("docs/changed.md:", "tools/pages guide").search(first), first
    assert naming("docs/new.md:", "tools/pages guide").search(second), second
    assert command.main(["guide"]) == 0
    assert changed.read_text() == "new\n" and (root / "new.md").read_text() == "first\n"
    assert command.main(["--check", "guide"]) == 0


def test_unknown_and_failing_writers_are_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--check", "parametrs"]) == 2
    assert naming("parametrs:", "'parameters'").search(capsys.readouterr().err)

    def fails(_: writers.Writer, data: Path) -> writers.Documents:
        raise InputError("no DRAMsim3")

    monkeypatch.setattr(writers.Writer, "documents", fails)
    assert command.main(["validation"]) == 2
    assert capsys.readouterr().err == "tools/pages: validation: no DRAMsim3\n"


def test_a_writer_keeps_the_text_around_its_part(tmp_path: Path) -> None:
    mark = "<!-- tools/pages costs writes all that follows. -->\n"
    end = "<!-- The part of tools/pages costs ends. -->\n"
    page = write(tmp_path / "page.md", f"head\n{mark}old\n\n{end}tail\n")
    assert writers.below(page, "costs", "new\n") == (page, f"head\n{mark}new\n\n{end}tail\n")
    open_ended = write(tmp_path / "open.md", f"head\n{mark}old\n")
    assert writers.below(open_ended, "costs", "new\n")[1] == f"head\n{mark}new\n"
