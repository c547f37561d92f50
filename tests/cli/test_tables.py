# SPDX-License-Identifier: BSD-3-Clause
"""Do tables keep within their width, and do numbers have four digits?"""

from __future__ import annotations

import math

import pytest
from hmsim.common.tables import number


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
