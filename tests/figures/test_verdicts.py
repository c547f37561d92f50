# SPDX-License-Identifier: BSD-3-Clause
"""Are means, intervals, gains and verdicts right for made-up numbers?"""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest
from hmsim.reproduce.figures.claims import Claim
from hmsim.reproduce.figures.gains import (
    SHARE,
    average,
    by_program,
    chosen,
    difference,
    gains,
    middle,
    whole,
)
from hmsim.reproduce.figures.table2 import ratio
from hmsim.reproduce.figures.verdicts import (
    CONSTRUCTED,
    DEFAULT,
    DEPENDS,
    NOT,
    REPRODUCED,
    UNREAD,
    Estimate,
    Finding,
    estimate,
    judge,
    median,
    overall,
)


def claim(**keys: Any) -> Claim:
    """Return a claim of a gain of 9 %, except for the given attributes."""
    usual = {"paper": 9.0, "unit": "%", "band": (0.0, 25.0), "figure": "table2", "how": ""}
    return Claim("R1", "", "", **{**usual, **keys})


def judged(
    ours: Estimate | None, trend: bool = True, program: float | None = None, **keys: Any
) -> str:
    """Return the verdict on a mean, `ours`, and the median program's number, `program`."""
    typical = None if program is None else Estimate.exact(program)
    return judge(Finding("R1", ours, trend, typical), claim(**keys))


@pytest.mark.parametrize(
    ("value", "trend", "band", "verdict"),
    [
        (10.0, True, (5.0, 15.0), REPRODUCED),
        (5.0, True, (5.0, 15.0), REPRODUCED),
        (16.0, True, (5.0, 15.0), NOT),
        (4.9, True, (5.0, 15.0), NOT),
        (10.0, False, (5.0, 15.0), NOT),
        (math.nan, True, (5.0, 15.0), NOT),
        (math.inf, True, (5.0, math.inf), NOT),
        (10.0, True, None, REPRODUCED),
        (0.0, True, None, NOT),
    ],
)
def test_a_number_is_reproduced_within_its_band(
    value: float, trend: bool, band: tuple[float, float] | None, verdict: str
) -> None:
    assert judged(Estimate.exact(value), trend, band=band) == verdict


def test_an_interval_beyond_the_band_is_not_reproduced() -> None:
    assert judged(Estimate(10, 3, 14), band=(5.0, 15.0)) == NOT
    assert judged(Estimate(10, 3, 14), band=(3.0, 15.0)) == REPRODUCED


def test_a_band_that_holds_no_effect_needs_an_interval_that_does_not() -> None:
    assert judged(Estimate(8, 3, 18)) == REPRODUCED
    assert judged(Estimate(8, 0.4, 18)) == NOT  # the paper rounds to whole per cents
    falls = {"paper": -9.0, "band": (-25.0, 0.0)}
    assert judged(Estimate(-8, -18, -3), **falls) == REPRODUCED
    assert judged(Estimate(-8, -18, -0.4), **falls) == NOT
    assert judged(Estimate(1.2, 1.1, 1.3), unit="times", band=(0.5, 2.0)) == REPRODUCED
    assert judged(Estimate(1.2, 0.9, 1.3), unit="times", band=(0.5, 2.0)) == NOT
    same = {"paper": 0.0, "band": (-2.0, 2.0), "no_change": True}
    assert judged(Estimate(0, -1, 1), **same) == REPRODUCED
    assert judged(Estimate(0, -1, 3), **same) == NOT


def test_claims_about_programs_need_the_median_program() -> None:
    ours = Estimate(8, 3, 18)
    assert judged(ours, program=2.0, programs=True) == REPRODUCED
    assert judged(ours, program=0.0, programs=True) == NOT
    assert judged(ours, program=-1.0, programs=True) == NOT
    assert judged(ours, program=-1.0) == REPRODUCED
    assert judged(ours, programs=True) == NOT
    assert judged(Estimate.exact(40), programs=True) == NOT  # whatever the median is


def test_a_form_that_cannot_fail_does_not_count() -> None:
    checked = {"constructed": "always so", "unit": "bytes"}
    assert judged(None, band=None, **checked) == CONSTRUCTED
    assert judged(None, trend=False, band=None, **checked) == NOT
    assert judged(Estimate.exact(3096), band=(3096.0, 3096.0), **checked) == CONSTRUCTED
    assert judged(Estimate.exact(3097), band=(3096.0, 3096.0), **checked) == NOT


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ((REPRODUCED, REPRODUCED, REPRODUCED), REPRODUCED),
        ((NOT, NOT, NOT), NOT),
        ((REPRODUCED, NOT, REPRODUCED), DEPENDS),
        ((NOT, NOT, REPRODUCED), DEPENDS),
        ((REPRODUCED, NOT), DEPENDS),  # whatever the third is
        ((REPRODUCED, REPRODUCED), UNREAD),
        ((NOT,), UNREAD),
        ((CONSTRUCTED,), CONSTRUCTED),
    ],
)
def test_a_claim_is_reproduced_only_under_each_reading(
    verdicts: tuple[str, ...], whole: str
) -> None:
    names = (DEFAULT, "one", "two")
    assert overall(dict(zip(names, verdicts)), names[1:]) == whole


def test_a_ratio_counts_only_between_gains() -> None:
    def rows(partner: float, program: float) -> pd.DataFrame:
        values = [
            (core, seed, name, gain)
            for core, gain in (("partner", partner), ("program", program), ("both", 1.0))
            for seed in (1, 2)
            for name in ("sort", "bayes")
        ]
        return pd.DataFrame(values, columns=["core", "seed", "program", "gain"])

    assert ratio(rows(40, 10)) == Estimate.exact(4)
    assert ratio(rows(40, 10), "median") == Estimate.exact(4)
    for partner, program in ((40, -10), (-40, 10), (-40, -10), (40, 0), (40, 0.4)):
        assert math.isnan(ratio(rows(partner, program)).mean)
    mixed = rows(40, 10)
    mixed.loc[(mixed["core"] == "program") & (mixed["seed"] == 2), "gain"] = -1.0
    assert math.isnan(ratio(mixed).mean)


def test_the_median_is_that_of_programs() -> None:
    found = median({"a": [0.0, 2.0], "b": [3.0, 3.0], "c": [90.0, 110.0]})
    assert found == Estimate(3, 3, 3)
    assert estimate({"a": [1.0], "b": [3.0], "c": [100.0]}).mean > 30
    rows = pd.DataFrame([("a", 0.0), ("b", 3.0), ("c", 100.0)], columns=["program", "gain"])
    assert middle(rows) == Estimate.exact(3)


def test_differences_are_of_the_same_program_and_seed() -> None:
    more, less = (
        pd.DataFrame([("a", 1, x), ("b", 1, y)], columns=["program", "seed", "gain"])
        for x, y in ((5.0, 1.0), (2.0, 3.0))
    )
    assert list(difference(more, less)["gain"]) == [3.0, -2.0]


def test_means_are_of_programs_first() -> None:
    found = estimate({"a": [1.0, 3.0], "b": [10.0]})
    assert found.mean == pytest.approx(6)
    assert found.low == pytest.approx(5.5) and found.high == pytest.approx(6.5)
    assert estimate({"a": [4.0]}) == Estimate(4, 4, 4)
    assert math.isnan(estimate({}).mean)


def test_intervals_cover_the_mean_and_repeat() -> None:
    values = {"a": [float(n) for n in range(30)]}
    found = estimate(values)
    assert found.mean == pytest.approx(14.5)
    assert found.low < found.mean < found.high
    # The standard error of the mean is 8.66 / sqrt(30) = 1.58.
    assert found.high - found.low == pytest.approx(2 * 1.96 * 1.58, rel=0.1)
    assert estimate(values) == found


def results() -> pd.DataFrame:
    rows = [
        *(
            ("sort", 1, "old", 1.0, 2.0),
            ("sort", 1, "older", 0.5, 1.0),
            ("sort", 1, "new", 2.0, 3.0),
        ),
        *(("bayes", 1, "old", 1.0, 1.0), ("bayes", 1, "older", 1.0, 1.0)),
        ("bayes", 1, "new", 1.5, 0.5),
    ]
    names = ["program", "seed", "policy", "core.0.ipc", "agent.1.ipc"]
    same = {"partner": "mcf", "machine": "table3", "regime": "none"}
    return pd.DataFrame(rows, columns=names).assign(**same)


def test_gains_are_means_of_programs() -> None:
    rows = gains(results(), "new", ("old", "older"))
    program = chosen(rows, core="program", program="sort").set_index("over")["gain"]
    assert dict(program) == pytest.approx({"old": 50, "older": 200, "mean": 125})
    both = chosen(rows, core="both", program="bayes", over="old")["gain"]
    assert list(both) == pytest.approx([0])  # 50 % and -50 %
    own = chosen(rows, core="program", over="old")
    assert average(own).mean == pytest.approx(0)
    assert [each.mean for each in by_program(own, ["bayes", "sort"])] == pytest.approx([-50, 50])


def test_parts_of_a_run_are_averaged_over_the_time_that_they_take() -> None:
    rows = [
        ("sort", 1, 0.75, 2.0, 3.0),  # a quarter of the time that three quarters take at IPC 3 ...
        ("sort", 1, 0.25, 0.4, 0.25),  # ... and a whole one for the last quarter at 0.25
        ("bayes", 1, 1.0, 5.0, 6.0),
        ("sort", 2, 1.0, 7.0, 8.0),
    ]
    table = pd.DataFrame(rows, columns=["program", "seed", SHARE, "core.0.ipc", "agent.1.ipc"])
    table.attrs["axes"] = ["program", "seed", SHARE]
    found = whole(table)
    assert list(found.columns) == ["program", "seed", "core.0.ipc", "agent.1.ipc"]
    assert found.values.tolist() == [
        ["sort", 1, pytest.approx((0.25 * 2 + 1 * 0.4) / 1.25), pytest.approx(1 / 1.25)],
        ["bayes", 1, 5.0, 6.0],
        ["sort", 2, 7.0, 8.0],
    ]
