# SPDX-License-Identifier: BSD-3-Clause
"""Does the simulator agree with every closed form?"""

from __future__ import annotations

import re
from typing import Any

import pytest
from hmsim.cli.application import app
from hmsim.reproduce.validate.checks import CHECKS, validate
from hmsim.reproduce.validate.row import AT_LEAST, AT_MOST, FALLS, RISES, Row, counts
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


def test_all_is_every_group(monkeypatch: pytest.MonkeyPatch) -> None:
    for group in CHECKS:
        row = Row(group, "a count", 3, 3, "", 0, "S1")
        monkeypatch.setitem(CHECKS, group, (lambda row=row: iter([row]),))
    assert [row.group for row in validate("all")] == [*CHECKS]


def claim(got: float, **more: Any) -> Row:
    return Row("storage", "a ratio", 50.5, got, "x", 49.5, "S1", claim=True, **more)


@pytest.mark.parametrize(
    ("row", "band", "word"),
    [
        (claim(2), "1 to 100", "ok"),
        (claim(2, side=AT_LEAST), "at least 1", "ok"),
        (claim(0.5, side=AT_LEAST), "at least 1", "FAIL"),
        (claim(99, side=AT_MOST), "at most 100", "ok"),
        (claim(2, side=AT_LEAST, trend=True), "at least 1", "ok, direction only"),
        (claim(0.5, side=AT_LEAST, trend=True), "at least 1", "FAIL, direction only"),
        (claim(2, unjudged="calibrated"), "1 to 100", "calibrated"),
        (Row("dram", "a time", 21.498, 21.498, "us", 1e-9, "S1"), "21.498 +- 1e-09", "ok"),
        (Row("dram", "a count", 3, 3, "", 0, "S1"), "exactly 3", "ok"),
    ],
)
def test_a_row_states_what_it_tests(row: Row, band: str, word: str) -> None:
    assert (row.band, row.verdict()) == (band, word)
    stated = f"{band}, direction only" if row.trend else band
    assert row.as_dict().get("band", "") == (stated if row.side else "")
    assert row.ok or naming("storage: a ratio:", "0.5 x", "1 to 100 x").search(row.complaint())


@pytest.mark.parametrize(
    ("got", "side", "passes"),
    [
        *((1.0, AT_LEAST, False), (1.004, AT_LEAST, False), (1.006, AT_LEAST, True)),
        *((1.0, AT_MOST, False), (0.996, AT_MOST, False), (0.994, AT_MOST, True)),
    ],
)
def test_no_change_is_no_rise_and_no_fall(got: float, side: str, passes: bool) -> None:
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


def test_a_band_is_shown_with_its_document_and_not_with_the_reason_of_a_miss() -> None:
    row = Row("storage", "a rate", 3, 9, "", 1, "S22: 3; nobody knows", missed="nobody knows")
    assert row.document == "S22: 3"
    assert claim(2).document == "S1"


def test_rows_are_counted_by_kind() -> None:
    rows = [
        *(Row("dram", "a", 1, got, "", 0, "S1") for got in (1, 1, 2)),
        *(claim(got) for got in (2, 3, 0)),
        claim(2, side=AT_LEAST, trend=True),
        *(claim(2, unjudged=why) for why in ("calibrated", "estimate", "calibrated")),
    ]
    assert counts(rows) == (
        "closed forms: 2 of 3 hold; claims: 3 met (1 direction only), 1 missed; "
        "not judged: 2 calibrated, 1 estimate"
    )
    assert counts(rows[:1]) == "closed forms: 1 of 1 hold"


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
