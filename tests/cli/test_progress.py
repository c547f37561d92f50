# SPDX-License-Identifier: BSD-3-Clause
"""Does long work report its progress if standard error is not a terminal?"""

from __future__ import annotations

import io
import sys
import threading
from pathlib import Path

import pytest
from hmsim.common import progress
from hmsim.common.progress import Bars, line, pause
from support import invoke


class Heard(io.StringIO):
    """File that is not a terminal and signals when something is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.flushed = threading.Event()

    def flush(self) -> None:
        self.flushed.set()


def test_a_line_names_the_newest_work_and_what_is_done_of_it() -> None:
    assert line({"sorting": (0.254, "")}) == "hmsim: sorting: 25%"
    assert line({"points": (0.5, "2/4, 0 failed")}) == "hmsim: points (2/4, 0 failed): 50%"
    assert line({"checkpoint of sort": (None, "")}) == "hmsim: checkpoint of sort"
    five = {str(number): (0.0, "") for number in range(5)}
    assert line(five) == "hmsim: 2 more; 2: 0%; 3: 0%; 4: 0%"


def test_lines_come_ever_further_apart() -> None:
    assert pause(0) == pause(50) == 5
    assert pause(3600) == 360
    elapsed, lines = 0.0, 0
    while elapsed < 36_000:
        elapsed += pause(elapsed)
        lines += 1
    assert lines < 100


def test_work_that_reports_once_is_told_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = Heard()
    monkeypatch.setattr(sys, "stderr", heard)
    monkeypatch.setattr(progress, "SILENCE", 0.0)
    monkeypatch.setattr(progress, "GROWTH", 0.0)
    with Bars(True) as bars:
        bars.report("checkpoint")
        assert heard.flushed.wait(60)
    assert heard.getvalue().startswith("hmsim: checkpoint\n")


def test_nothing_is_told_of_what_has_ended_or_was_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard = Heard()
    monkeypatch.setattr(sys, "stderr", heard)
    looks, ended = threading.Semaphore(0), threading.Event()

    def look(elapsed: float) -> float:
        looks.release()
        assert ended.wait(60)
        return 0.0

    monkeypatch.setattr(progress, "pause", look)
    with Bars(True) as bars:
        bars.report("short", 0.5)
        bars.report("short", 1)
        ended.set()
        for _ in range(3):  # after the third, all that two looks saw has been reported
            assert looks.acquire(timeout=60)
    with Bars(False) as silent:
        silent.report("unwanted", 0.5)
    assert heard.getvalue() == ""


def test_without_standard_error_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with Bars(True) as bars:
        bars.report("long", 0.5)


@pytest.mark.parametrize("command", ["report", "timeline"])
def test_commands_that_read_logs_say_what_they_do(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[str] = []
    monkeypatch.setattr(Bars, "report", lambda self, name, *others: reported.append(name))
    monkeypatch.chdir(tmp_path)
    assert invoke(command, "none").exit_code == 2
    assert reported == [{"report": "writing report.html", "timeline": "reading none"}[command]]
