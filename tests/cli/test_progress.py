# SPDX-License-Identifier: BSD-3-Clause
"""Does long work report its progress if standard error is not a terminal?"""

from __future__ import annotations

import io
import sys
import threading

import hmsim
import pytest
from hmsim.common import progress
from hmsim.common.progress import Bars
from hmsim.points.workers import Processes
from support import succeed

SHORT = {"frontend.time_limit": "1us"}


class Heard(io.StringIO):
    """File that is not a terminal and signals when something is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.flushed = threading.Event()

    def flush(self) -> None:
        self.flushed.set()


def test_single_reports_appear_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = Heard()
    monkeypatch.setattr(sys, "stderr", heard)
    monkeypatch.setattr(progress, "SILENCE", 0.0)
    monkeypatch.setattr(progress, "GROWTH", 0.0)
    with Bars(True) as bars:
        bars.report("checkpoint")
        assert heard.flushed.wait(60)
    assert heard.getvalue().startswith("hmsim: checkpoint\n")


def test_work_continues_without_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with Bars(True) as bars:
        bars.report("long", 0.5)


def level_of_a_worker() -> int:
    with Processes(2) as place:
        place.submit([(hmsim.point("quick", "demo", overrides=SHORT), "key")], 10.0).result()
        assert place._executor is not None
        return place._executor.submit(progress.LOGGER.getEffectiveLevel).result()


@pytest.mark.parametrize(
    ("option", "heard"), [("-q", ()), ("", ("warned",)), ("-v", ("warned", "informed"))]
)
def test_options_choose_the_messages(
    option: str,
    heard: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress.LOGGER, "level", progress.LOGGER.level)
    assert "@software{hmsim," in succeed("cite", *filter(None, [option]))
    assert level_of_a_worker() == progress.LOGGER.level
    progress.warn("warned")
    progress.inform("informed")
    with Bars(True) as bars:
        bars.report("long", 0.5)
        assert (bars._thread is None) == (option == "-q")
    printed = [line for line in capsys.readouterr().err.splitlines() if "ed" in line]
    assert printed == [f"hmsim: {each}" for each in heard]
