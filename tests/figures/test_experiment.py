# SPDX-License-Identifier: BSD-3-Clause
"""Are the windows in which mixes run representative of the captures that contain them?"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hmsim.clones.profile_file import load
from hmsim.common.paths import shipped
from hmsim.reproduce.figures import experiment
from hmsim.reproduce.figures.experiment import (
    BASELINES,
    BESIDE,
    VERDICT,
    Case,
    Runs,
    in_modes,
    mix_points,
    mixes,
    windows,
)
from hmsim.reproduce.figures.gains import MIX, gains, in_mode
from hmsim.reproduce.figures.regimes import REGIMES
from hmsim.reproduce.figures.sensitivity import CHOICES
from hmsim.workloads.mixes import PROGRAMS, WINDOW

LENGTH = 2_000_000


def crowded(monkeypatch: pytest.MonkeyPatch, counts: list[int]) -> None:
    """Give every program the number ``counts[i]`` of NVDIMM lines in its capture's window i."""
    monkeypatch.setattr(experiment, "lines", lambda program, length: tuple(counts))


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


def test_lines_are_counted_in_the_window_where_they_are_asked_for() -> None:
    counts = experiment.lines("wordcount", LENGTH)
    profile = load(shipped("workloads/profiles")["wordcount"])
    assert len(counts) == profile.instructions // LENGTH
    assert sum(counts) == pytest.approx(profile.streams["nvdimm_fills"].accesses, rel=0.01)
    halves = experiment.lines("wordcount", LENGTH // 2)
    pairs = [sum(halves[2 * n : 2 * n + 2]) for n in range(len(counts))]
    assert pairs == list(counts)


def test_a_mix_is_three_windows_of_a_job_with_its_partner(tmp_path: Path) -> None:
    found = mixes(Runs(tmp_path), Case("kmeans", job=(("tasks", 2),)), 1)
    assert sum(share for _, share in found) == pytest.approx(1)
    assert len(found) == 3
    begins = set()
    for each, _ in found:
        partner, job = each.agents
        assert (partner.kind, job.kind) == ("llc_trace", "job")
        assert (partner.measured, job.measured) == (False, True)
        keys = dict(job.flat())
        assert (keys["instructions"], keys["tasks"]) == (str(WINDOW), "2")
        begins.add(int(keys["skip"]))
    assert begins == {window.begin for window in windows("kmeans", 1, WINDOW)}
    alone = mixes(Runs(tmp_path), Case("kmeans", partner=""), 1)
    assert [agent.kind for agent in alone[0][0].agents] == ["job"]


def test_every_program_has_the_state_of_its_input() -> None:
    assert set(REGIMES) == set(PROGRAMS)
    new, aged = (Case("dfsioe_w").overrides(config) for config in ("mascots16", "quick"))
    assert new["nvdimm.precondition.buffer"] == aged["nvdimm.precondition.buffer"] == "dirty"
    assert "nvdimm.precondition.fill" in new and "nvdimm.precondition.fill" not in aged
    other = Case("sort", regime="none", machine="table3").overrides("mascots16")
    assert other["nvdimm.precondition.buffer"] == "none"
    assert other["frontend.node.machine"] == "table3"


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


def test_gains_compare_schemes_of_one_mode() -> None:
    mix = ("sort", "mcf", "table3", "none", 1)
    ipc = {"hms,drained": 3.0, "hms,mixed": 6.0, "tcm,drained": 2.0, "tcm,mixed": 5.0, "firm": 1.0}
    rows = [
        {**dict(zip(MIX, mix)), "policy": name, "core.0.ipc": value, "agent.1.ipc": value}
        for name, value in ipc.items()
    ]
    for mode, wanted in {"drained": (50, 200, 125), "mixed": (20, 500, 260)}.items():
        own = in_mode(pd.DataFrame(rows), mode)
        assert set(own["policy"]) == {"hms", "tcm", "firm"} and set(own["writes"]) == {mode}
        found = gains(own, "hms", ("tcm", "firm"))
        found = found[found["core"] == "both"].set_index("over")["gain"]
        assert [found[over] for over in ("tcm", "firm", "mean")] == pytest.approx(wanted)
