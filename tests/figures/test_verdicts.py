# SPDX-License-Identifier: BSD-3-Clause
"""Are means, intervals, gains and verdicts right for made-up numbers?"""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hmsim.figures.gains import SHARE, average, by_program, chosen, gains, spread, whole
from hmsim.figures.verdicts import NOT, REPRODUCED, TREND, Estimate, Finding, estimate, judge


@pytest.mark.parametrize(
    ("value", "trend", "band", "verdict"),
    [
        (10.0, True, (5.0, 15.0), REPRODUCED),
        (5.0, True, (5.0, 15.0), REPRODUCED),
        (16.0, True, (5.0, 15.0), TREND),
        (10.0, False, (5.0, 15.0), NOT),
        (math.inf, True, (5.0, math.inf), REPRODUCED),
        (math.nan, True, (5.0, 15.0), NOT),
        (None, True, None, REPRODUCED),
        (None, False, None, NOT),
        (None, True, (5.0, 15.0), NOT),
    ],
)
def test_verdicts(
    value: float | None, trend: bool, band: tuple[float, float] | None, verdict: str
) -> None:
    ours = None if value is None else Estimate.exact(value)
    assert judge(Finding("R1", ours, trend), band) == verdict


def test_an_interval_beyond_the_band_is_a_trend() -> None:
    finding = Finding("R1", Estimate(10, 3, 14), trend=True)
    assert judge(finding, (5.0, 15.0)) == TREND
    assert judge(finding, (3.0, 15.0)) == REPRODUCED


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
    same = {"partner": "mcf", "machine": "dma", "regime": "none"}
    return pd.DataFrame(rows, columns=names).assign(**same)


def test_gains() -> None:
    rows = gains(results(), "new", ("old", "older"))
    program = chosen(rows, core="program", program="sort").set_index("over")["gain"]
    assert dict(program) == pytest.approx({"old": 50, "older": 200, "mean": 125})
    both = chosen(rows, core="both", program="bayes", over="old")["gain"]
    assert list(both) == pytest.approx([0])  # 50 % and -50 %
    own = chosen(rows, core="program", over="old")
    assert average(own).mean == pytest.approx(0)
    assert [each.mean for each in by_program(own, ["bayes", "sort"])] == pytest.approx([-50, 50])
    assert spread(own) == "-50 % (bayes) to 50 % (sort); -50.0 % on average without the latter"


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
