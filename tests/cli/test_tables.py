# SPDX-License-Identifier: BSD-3-Clause
"""Do tables keep within their width, and do numbers have four digits?"""

from __future__ import annotations

import math
import re

import pytest
from hmsim.common.tables import interval, number, render


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (math.nan, "-"),
        (1234567, "1,234,567"),
        (1234567.0, "1,235,000"),
        (9999.6, "10,000"),
        (1000.4, "1,000"),
        (999.96, "1,000"),
        (94.271, "94.27"),
        (1.0, "1"),
        (1.00001, "1.000"),
        (0.0, "0"),
        (-0.25, "-0.2500"),
        (0.00011514, "0.0001151"),
    ],
)
def test_numbers_have_four_digits(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (344.1, 1.705e-13, "344.1 ± 0"),
        (1.988, 0.001452, "1.988 ± 0.001"),
        (103.04, 12.74, "103 ± 13"),
        (44110.0, 3158.0, "44,100 ± 3,200"),
        (4.287, 0.05947, "4.287 ± 0.059"),
        (0.0, 0.0, "0 ± 0"),
        (2.0, math.nan, "2"),
    ],
)
def test_the_digits_of_an_interval_follow_its_width(mean: float, half: float, text: str) -> None:
    assert interval(mean, half) == text


@pytest.mark.parametrize("width", [20, 40, 60])
def test_words_are_not_broken(width: int) -> None:
    words = "policies.harmonic.weight of the harmonic arbiter"
    table = render((words, "and", ">value"), [(words, "unified_fr_fcfs", "1.5")], width)
    lines = table.splitlines()
    parts = set(re.split(r"[\s._-]+", table)) - {""}
    assert parts <= {*re.split(r"[\s.]", words), "and", "value", "unified", "fr", "fcfs", "1", "5"}
    assert width < 60 or max(map(len, lines)) <= width
