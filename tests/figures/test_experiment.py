# SPDX-License-Identifier: BSD-3-Clause
"""Do the windows that mixes are run in stand for the captures that they are drawn from?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim.figures import experiment
from hmsim.figures.experiment import Case, Runs, Window, mixes, windows

LENGTH = 8_000_000


def requests(times: list[int]) -> tuple[tuple[int, str], ...]:
    return tuple((time, f"0 {8 * i} 8 1\n") for i, time in enumerate(times))


def crowded(monkeypatch: pytest.MonkeyPatch, counts: list[int]) -> None:
    """Let every program have so many requests in each tenth of its capture."""
    times = [i * LENGTH + n for i, count in enumerate(counts) for n in range(count)]
    monkeypatch.setattr(experiment, "arrivals", lambda profile, number: requests(times))
    monkeypatch.setattr(experiment, "captured", lambda profile: len(counts) * LENGTH)


def test_windows_are_drawn_from_the_idle_and_both_halves_of_the_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crowded(monkeypatch, [0, 5, 0, 9, 1, 0, 2, 7, 0, 0])  # busy, by requests: 4, 6 and 1, 7, 3
    groups = ([0, 2, 5, 8, 9], [4, 6], [1, 7, 3])
    drawn = [windows("sort", seed, LENGTH) for seed in range(40)]
    for found in drawn:
        assert [window.share for window in found] == pytest.approx([0.5, 0.2, 0.3])
        assert [window.length for window in found] == [LENGTH] * 3
    for place, group in enumerate(groups):
        assert {found[place].begin // LENGTH for found in drawn} == set(group)


def test_a_capture_without_requests_is_one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    crowded(monkeypatch, [0] * 10)
    (only,) = windows("sort", 1, LENGTH)
    assert only.share == 1


def test_a_window_has_its_requests_and_marks_at_both_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        experiment, "arrivals", lambda profile, number: requests([5, 10, 11, 19, 20, 25])
    )
    file = experiment.window_file(Runs(tmp_path), "sort", 1, Window(10, 10))
    assert [line.split() for line in file.read_text(encoding="ascii").splitlines()] == [
        ["0", "0", str(experiment.OUTSIDE), "8", "1"],
        ["0", "0", "8", "8", "1"],
        ["1", "0", "16", "8", "1"],
        ["9", "0", "24", "8", "1"],
        ["10", "0", str(experiment.OUTSIDE), "8", "1"],
    ]


@pytest.mark.parametrize("timed", [True, False])
def test_shares_of_a_mix_add_up(timed: bool, tmp_path: Path) -> None:
    found = mixes(Runs(tmp_path, quick=True), Case("sort", timed=timed), 1)
    assert len(found) == (3 if timed else 1)
    assert sum(share for _, share in found) == pytest.approx(1)
