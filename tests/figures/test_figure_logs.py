# SPDX-License-Identifier: BSD-3-Clause
"""Results computed from request logs: occupancy of queues, response times of blocks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hmsim.reproduce.figures.log_trace import write_log
from hmsim.reproduce.figures.logs import LINES, occupancy, responses


def test_occupancy_is_weighted_by_time() -> None:
    # One entry in 0..4, a second one in 2..4, none until the run's end at 10.
    rows = pd.DataFrame({"admitted_ps": [0, 2], "done_ps": [4, 4]})
    shares = occupancy(rows, 10)
    assert shares[:3] == pytest.approx([0.6, 0.2, 0.2])
    assert sum(shares) == pytest.approx(1)


def test_a_slot_freed_and_taken_at_one_time_counts_once() -> None:
    rows = pd.DataFrame({"admitted_ps": [0, 5], "done_ps": [5, 10]})
    assert occupancy(rows, 10)[1] == pytest.approx(1)


def test_responses_are_measured_for_whole_blocks() -> None:
    first = [{"address": 64 * n, "arrival_ps": 0, "done_ps": 10**6 * (n + 1)} for n in range(LINES)]
    again = [{**row, "arrival_ps": 10**9, "done_ps": 10**9 + 5 * 10**6} for row in first]
    other = [{**row, "address": row["address"] + 4096, "done_ps": 2 * 10**6} for row in first]
    rows = pd.DataFrame([*first, *other, *again]).assign(source=0)
    rows["id"] = np.arange(len(rows))
    assert list(responses(rows)) == pytest.approx([64, 2, 5])
    whole = pd.DataFrame([first[0], other[0], again[0]]).assign(source=0, id=range(3))
    assert list(responses(whole)) == pytest.approx([1, 2, 5])


def test_the_log_alternates_and_repeats(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for name in "ab":
        write_log(tmp_path / name, 100)
    text = (tmp_path / "a").read_text()
    assert text == (tmp_path / "b").read_text()
    assert [line.split()[4] for line in text.splitlines()] == ["1", "0"] * 50
