# SPDX-License-Identifier: BSD-3-Clause
"""Do readings reach the points of an experiment, and do claims name groups that exist?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim.reproduce.figures import alternatives, figures
from hmsim.reproduce.figures.changes import BUNDLE, FIGURE, decides, of_settings
from hmsim.reproduce.figures.claims import BY_ID, CLAIMS
from hmsim.reproduce.figures.experiment import HMS, Case, Runs, in_modes, mix_points
from hmsim.reproduce.figures.readings import MIX_GROUPS, READINGS, others
from hmsim.reproduce.figures.records import Found, found_in, record
from hmsim.reproduce.figures.style import Made
from hmsim.reproduce.figures.verdicts import (
    DEFAULT,
    DEPENDS,
    NOT,
    REPRODUCED,
    UNREAD,
    Estimate,
    Finding,
    judge,
)
from hmsim.reproduce.figures.wrong_models import WRONG

GROUPS = {each.group for each in READINGS}


def test_readings_differ_and_each_group_has_a_default() -> None:
    names = [each.name for each in READINGS]
    assert len(names) == len(set(names)) and DEFAULT not in names
    for group in GROUPS:
        own = [each for each in READINGS if each.group == group]
        assert [bool(each.settings) for each in own].count(False) <= 1 < len(own)
        assert [each.default for each in own].count(True) == 1
    assert all(each.words and each.group for each in READINGS)
    assert all(not each.settings and not each.decided for each in READINGS if each.default)
    named = {group for claim in CLAIMS for group in claim.groups or ()}
    assert named | set(MIX_GROUPS) <= GROUPS


def test_claims_over_mixes_have_the_groups_of_mixes() -> None:
    of_mixes = [each for each in READINGS if each.group in MIX_GROUPS and not each.default]
    assert others(BY_ID["R2a"]) == of_mixes
    assert [each.group for each in others(BY_ID["R22"])] == ["hold_channel"]
    assert others(BY_ID["R1"]) == others(BY_ID["R2b"]) == others(BY_ID["R6"]) == []


def test_every_reading_is_a_system_under_every_bundle(tmp_path: Path) -> None:
    names = in_modes(("firm", "oracle", HMS, "paper_all", "split_fcfs"))
    points = mix_points(Runs(tmp_path, quick=True), [Case("sort")], names)
    systems = {each.config.policy: each for each in points if decides(each)}
    assert "oracle,drained" in systems and "oracle,mixed" not in systems
    for reading in READINGS:
        runs = Runs(tmp_path).under(of_settings(reading.settings))
        for policy, each in systems.items():
            own = f"{BUNDLE}{str(policy).partition(',')[0]}."
            wanted = {
                name.removeprefix(own): value
                for name, value in reading.settings.items()
                if name.startswith(own) or not name.startswith((BUNDLE, FIGURE))
            }
            assert wanted.items() <= runs.changed(each).config.resolved().items()


def found(name: str, **ours: float) -> Found:
    """Return a claim's findings by reading; the median program has the same number as the mean."""
    values = {key.replace("_", " "): Estimate.exact(value) for key, value in ours.items()}
    return Found(
        BY_ID[name], {key: Finding(name, each, True, each) for key, each in values.items()}
    )


def test_a_claim_is_judged_by_the_readings_that_were_run() -> None:
    kept = {"32_commands_outstanding": 60.0, "command_queues_in_the_controller": 70.0}
    whole = found("R3a", default=60.0, **kept)
    assert (whole.verdict(), whole.held()) == (REPRODUCED, "3 of 3")
    split = found("R3a", default=60.0, **{**kept, "32_commands_outstanding": 20.0})
    assert (split.verdict(), split.held()) == (DEPENDS, "2 of 3")
    none = found("R3a", **{name: 10.0 for name in ("default", *kept)})
    assert (none.verdict(), none.held(), none.default.median) == (NOT, "0 of 3", none.default.ours)
    only = found("R3a", default=60.0)
    assert (only.verdict(), only.held()) == (UNREAD, "default: reproduced")


def test_readings_skip_points_without_a_verdict(tmp_path: Path) -> None:
    points = mix_points(Runs(tmp_path, quick=True), [Case("sort")], in_modes((HMS, "hms")))
    runs = Runs(tmp_path).under(of_settings({"controller.structure": "two_level"}))
    changed = {each.config.policy: runs.changed(each) is not each for each in points}
    assert changed == {
        **{f"{HMS},drained": True, f"{HMS},mixed": False},
        **{"hms,drained": False, "hms,mixed": False},
    }


def test_records_keep_the_findings_of_every_reading() -> None:
    findings = found("R3a", default=60.0, hold=20.0).findings
    made = Made(None, lambda canvas: None, [findings[DEFAULT]])  # type: ignore[arg-type]
    saved = record("fig5", made, {"hold": [findings["hold"]]})
    assert found_in(saved) == {"R3a": Found(BY_ID["R3a"], findings)}


def test_a_figure_is_made_under_the_readings_of_its_claims(
    tmp_path: Path, by_formulas: None
) -> None:
    runs = Runs(tmp_path, quick=True)
    made = alternatives.readings("fig19", runs)
    assert {name: [each.claim for each in own.findings] for name, own in made.items()} == {
        "a page copy holds the flash bus during its transfers": ["R19a", "R19b", "R22"]
    }
    joined = alternatives.joined(figures()["fig19"].make(runs), made).data
    assert set(joined["reading"]) == {DEFAULT, *made}
    assert alternatives.readings("fig8d", runs) == {} and "fig8d" in figures()


@pytest.mark.slow
def test_fig_18_is_also_judged_by_the_ipc_of_programs(tmp_path: Path, by_formulas: None) -> None:
    runs = Runs(tmp_path, quick=True)
    by_ipc = alternatives.readings("fig18", runs)["Fig. 18 plots the IPC of the programs"].findings
    assert [each.ours.mean for each in by_ipc if each.ours] == pytest.approx([12, 15])
    assert {judge(each, BY_ID[each.claim]) for each in by_ipc} == {REPRODUCED}
    wrong = runs.under(WRONG["R18a"].changes)
    by_ipc = alternatives.readings("fig18", wrong)["Fig. 18 plots the IPC of the programs"].findings
    assert [each.ours.mean for each in by_ipc if each.ours] == pytest.approx([0, 0])
