# SPDX-License-Identifier: BSD-3-Clause
"""Does a window of a capture open from a kept index as without one?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hmsim._core import Simulation
from hmsim.common.paths import data_directory
from hmsim.traces.file import TraceFile
from hmsim.traces.reader import TraceSource

CAPTURE = data_directory() / "workloads" / "captures" / "kmeans.hmsim.zst"
SYSTEM = [("nvdimm.precondition.fill", "0"), ("frontend.time_limit", "20us")]


def window(skip: int) -> list[dict[str, Any]]:
    job = [
        ("kind", "job"),
        ("cores", "0-1"),
        ("path", str(CAPTURE)),
        ("format", "hmsim"),
        ("skip", str(skip)),
        ("instructions", "2000000"),
    ]
    simulation = Simulation(SYSTEM, [job], 1, 0, 0, TraceSource([CAPTURE]), [])
    while not simulation.run(10_000):
        pass
    return simulation.statistics()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "hmsim" / "captures"


@pytest.mark.parametrize("skip", [1, 90_000_000, 300_000_000])
def test_a_window_is_the_same_with_an_index(
    skip: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = window(skip)
    kept = window(skip)
    assert made == kept
    monkeypatch.setattr(TraceFile, "_cause_index", lambda self: b"")
    assert window(skip) == kept
    assert folder.is_dir() == (skip > 1)  # nothing lies before the first block


def test_a_damaged_index_is_rebuilt(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = window(90_000_000)
    (kept,) = folder.iterdir()
    whole = kept.read_bytes()
    for damaged in (b"", whole[:-9], whole[:40] + b"\0" + whole[41:]):
        kept.write_bytes(damaged)
        assert window(90_000_000) == expected
        assert str(kept) in capsys.readouterr().err
        assert kept.read_bytes() == whole
