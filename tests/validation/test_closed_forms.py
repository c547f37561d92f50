# SPDX-License-Identifier: BSD-3-Clause
"""Does the simulator agree with every closed form?"""

from __future__ import annotations

import re

import pytest
from hmsim.cli.application import app
from hmsim.reproduce.validate.checks import CHECKS, validate
from hmsim.reproduce.validate.row import AT_LEAST, AT_MOST, FALLS, RISES, Row
from messages import naming

SLOW = ["ftl"]


@pytest.mark.parametrize(
    "group",
    [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in CHECKS],
)
def test_a_group_of_checks_passes(group: str) -> None:
    rows = validate(group)
    assert rows
    assert [row.complaint() for row in rows if not row.passes(accept_listed=True)] == []
    if group == "storage":
        bands_of_effects_leave_no_effect_out(rows)


@pytest.mark.parametrize(
    ("got", "side", "passes"),
    [
        *((1.0, AT_LEAST, False), (1.004, AT_LEAST, False), (1.006, AT_LEAST, True)),
        *((1.0, AT_MOST, False), (0.996, AT_MOST, False), (0.994, AT_MOST, True)),
    ],
)
def test_equal_is_neither_rise_nor_fall(got: float, side: str, passes: bool) -> None:
    low, high = (RISES, 100.0) if side == AT_LEAST else (0.0, FALLS)
    row = Row(
        *("storage", "a rate", (low + high) / 2, got, "x", (high - low) / 2, "S38"),
        claim=True,
        side=side,
        trend=True,
    )
    assert row.passes() == passes


# Claims that nothing changes, and bounds that no change keeps.
UNCHANGED = re.compile(
    "equal|hidden|less than|S23d: 0|order|S30: 1.0|S37: 1.0[02]|at most|not at 16 KB"
)


def bands_of_effects_leave_no_effect_out(rows: list[Row]) -> None:
    """A wrong result without any effect meets no claim of storage that is about one."""
    claims = [row for row in rows if re.match(r"S(1[6-9]|[2-9]\d)", row.source)]
    assert len(claims) > 100
    for row in claims:
        low, high = (row.expected + side * row.tolerance for side in (-1, 1))
        none = 1.0 if row.unit == "x" else 0.0
        if row.unit in ("x", "%", "MB/s") and not row.unjudged and low <= none <= high:
            assert UNCHANGED.search(f"{row.name} {row.source}"), row.name


OUTSIDE = ("flash: a rate:", "2 GB/s", "0.5 to 1.5 GB/s")


@pytest.mark.parametrize(
    ("got", "unjudged", "missed", "accept", "status", "word", "complaint"),
    [
        (1, "", "", False, 0, "ok", ()),
        (2, "", "", False, 1, "FAIL", OUTSIDE),
        (2, "", "", True, 1, "FAIL", OUTSIDE),
        (2, "calibrated", "", False, 0, "calibrated, missed", ()),
        (2, "", "nobody tells why", False, 1, "FAIL", (*OUTSIDE, "nobody tells why")),
        (2, "", "nobody tells why", True, 0, "missed", ()),
        (1, "", "nobody tells why", False, 0, "ok", ()),
        (
            *(1, "", "nobody tells why", True, 1, "FAIL: no longer missed"),
            ("flash: a rate:", "1 GB/s", "0.5 to 1.5 GB/s", "nobody tells why"),
        ),
    ],
)
def test_a_row_that_fails_fails_the_command(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    got: float,
    unjudged: str,
    missed: str,
    accept: bool,
    status: int,
    word: str,
    complaint: tuple[str, ...],
) -> None:
    row = Row("flash", "a rate", 1.0, got, "GB/s", 0.5, "nowhere", unjudged, missed)
    monkeypatch.setitem(CHECKS, "flash", (lambda: iter([row]),))
    with pytest.raises(SystemExit) as end:
        app(["validate", "flash", *(["--accept-listed"] if accept else [])])
    assert end.value.code == status
    reported = capsys.readouterr()
    assert reported.out.splitlines()[-2].endswith(f"GB/s  {word}")
    assert naming(*complaint).search(reported.err), reported.err
    assert len(reported.err.splitlines()) == bool(complaint)
