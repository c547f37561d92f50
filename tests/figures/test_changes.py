# SPDX-License-Identifier: BSD-3-Clause
"""Do changes reach the points that they concern, and no others?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim import InputError
from hmsim.config import write_modes
from hmsim.points.point import Point
from hmsim.reproduce.figures import experiment
from hmsim.reproduce.figures.buffers import SYSTEM, block_point
from hmsim.reproduce.figures.changes import BUNDLE, Change, of_settings
from hmsim.reproduce.figures.experiment import HMS, Case, in_modes, mix_points, synthetic_point

OUTSTANDING = "controller.outstanding"
GRANULARITY = "nvdimm.buffer.granularity"


def reads(**overrides: str) -> Point:
    """Return a point of reads; keys have two underscores for a dot."""
    keys = {"kind": "synthetic", "core": 0, "target": "nvdimm", "requests": 10}
    named = {name.replace("__", "."): value for name, value in overrides.items()}
    axes = {"random": 20}
    return synthetic_point("reads", [keys], axes, overrides=named, policy_="unified_fr_fcfs")


def test_a_reading_yields_to_an_experiment_and_a_wrong_model_does_not() -> None:
    found = [
        Change(((OUTSTANDING, "16"),), wins=wins).apply(point, {}).config.resolved()[OUTSTANDING]
        for wins in (False, True)
        for point in (reads(), reads(controller__outstanding="4"))
    ]
    assert found == ["16", "4", "16", "16"]


def test_readings_reach_block_io_unless_a_figure_sweeps_the_key() -> None:
    own = reads().config.resolved()[OUTSTANDING]
    change = Change(((OUTSTANDING, "16"),))
    for limit, before, after in ((SYSTEM, own, "16"), ("4", "4", "4")):
        point = block_point("sort", 4, "PAS", limit, 10, 1)
        assert point.config.resolved()[OUTSTANDING] == before
        assert change.apply(point, {}).config.resolved()[OUTSTANDING] == after


def test_a_change_concerns_the_points_with_its_labels() -> None:
    item = (GRANULARITY, "item")
    for where, changed in ({"random": 20}, True), ({"random": 40}, False), ({"load": "log"}, False):
        found = Change((item,), tuple(where.items())).apply(reads(), {})
        assert found.config.resolved()[GRANULARITY] == ("item" if changed else "page")


def test_a_bundle_is_changed_in_its_write_mode_and_keeps_its_label(tmp_path: Path) -> None:
    runs = experiment.Runs(tmp_path, quick=True)
    points = mix_points(runs, [Case("sort")], in_modes((HMS, "tcm"), write_modes.DRAINED))
    settings = {f"{BUNDLE}{HMS}.controller.scheduler": "fr_fcfs", OUTSTANDING: "16"}
    changed = [runs.under(of_settings(settings)).changed(each) for each in points]
    assert [each.labels() for each in changed] == [each.labels() for each in points]
    for before, after in zip(points, changed):
        old, new = before.config.resolved(), after.config.resolved()
        assert new[OUTSTANDING] == "16" and new["controller.writes"] == old["controller.writes"]
        swapped = str(before.config.policy).startswith(HMS)
        assert new["controller.scheduler"] == ("fr_fcfs" if swapped else "tcm")
        assert old["controller.scheduler"] == ("fcfs" if swapped else "tcm")
    firm = runs.under([Change(where=(("policy", HMS),), bundle="firm")]).changed(points[0])
    assert firm.config.resolved()["controller.scheduler"] == "firm"
    assert firm.config.policy == points[0].config.policy


def test_a_change_to_an_unknown_parameter_is_rejected() -> None:
    with pytest.raises(InputError, match=r"controller\.outstandin"):
        Change((("controller.outstandin", "16"),)).apply(reads(), {})
