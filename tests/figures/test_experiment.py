# SPDX-License-Identifier: BSD-3-Clause
"""Do the windows that mixes are run in stand for the captures that they are drawn from?"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hmsim.figures import experiment
from hmsim.figures.experiment import (
    BASELINES,
    BESIDE,
    VERDICT,
    Case,
    Runs,
    Window,
    in_modes,
    mix_points,
    mixes,
    windows,
)
from hmsim.figures.gains import MIX, gains, in_mode
from hmsim.figures.sensitivity import CHOICES

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


def test_comparisons_are_run_in_both_write_modes(tmp_path: Path) -> None:
    open_ones = [name for name in BASELINES if name not in ("firm", "nvm_duet")]
    assert set(in_modes(BASELINES)) == {
        *("firm", "nvm_duet"),
        *(f"{name},{mode}" for name in open_ones for mode in (VERDICT, BESIDE)),
    }
    points = mix_points(
        *(Runs(tmp_path, quick=True), [Case("sort")], in_modes(("split_fcfs", "firm")))
    )
    writes = {
        str(each.config.policy): each.config.resolved()["controller.writes"] for each in points
    }
    assert writes == {
        **{"split_fcfs,drained": "drained", "split_fcfs,mixed": "mixed", "firm": "drained"}
    }
    usual, other = CHOICES[0], next(each for each in CHOICES if each.other_writes)
    swapped = {"drained": "mixed", "mixed": "drained"}
    for name in usual.policies():
        bundle, comma, mode = name.partition(",")
        assert f"{bundle}{comma}{swapped.get(mode, '')}" in other.policies()


def test_gains_are_over_schemes_of_the_same_mode() -> None:
    mix = ("sort", "mcf", "offline", "timed", 1)
    ipc = {"hms,drained": 3.0, "hms,mixed": 6.0, "tcm,drained": 2.0, "tcm,mixed": 5.0, "firm": 1.0}
    rows = [
        {**dict(zip(MIX, mix)), "policy": name, "core.0.ipc": value, "core.1.ipc": value}
        for name, value in ipc.items()
    ]
    for mode, wanted in {"drained": (50, 200, 125), "mixed": (20, 500, 260)}.items():
        own = in_mode(pd.DataFrame(rows), mode)
        assert set(own["policy"]) == {"hms", "tcm", "firm"} and set(own["writes"]) == {mode}
        found = gains(own, "hms", ("tcm", "firm"))
        found = found[found["core"] == "both"].set_index("over")["gain"]
        assert [found[over] for over in ("tcm", "firm", "mean")] == pytest.approx(wanted)
