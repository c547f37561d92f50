# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the tests of pictures and pages: runs, and the command line in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
import runs

sys.path.append(str(Path(__file__).resolve().parents[1] / "cli"))

from support import own_cache, succeed  # noqa: F401


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three runs: one with every log, one with another policy, one without logs."""
    folder = tmp_path_factory.mktemp("three")
    everything = {"frontend.series_interval": "2us"}
    runs.make(folder / "all", everything, request_log=True, command_log=True)
    runs.make(folder / "split", {"controller.queues": "split"}, policy="split", request_log=True)
    runs.make(folder / "bare", policy="unified_fcfs")
    return [folder / "all", folder / "split", folder / "bare"]


@pytest.fixture
def opened(three: list[Path], tmp_path: Path) -> Iterator[browser.Page]:
    """Return the report of the three runs, `page.html`, in a browser."""
    if browser.BROWSER is None:
        pytest.skip("chromium is not installed")
    out = tmp_path / "page.html"
    succeed("report", *three, "--out", out)
    with browser.Page(out.as_uri(), tmp_path / "profile") as page:
        yield page
