# SPDX-License-Identifier: BSD-3-Clause
"""Does the page of the comparison with DRAMsim3 print GB/s with the share of the peak?"""

from __future__ import annotations

import pytest
from hmsim.reproduce.validate.dram_comparison import PARTS, Comparison, Outcome
from hmsim.reproduce.validate.dram_report import tables


@pytest.mark.parametrize(("part", "half"), list(zip(PARTS, ("6.40 (50%)", "9.60 (50%)"))))
def test_bandwidth_stands_beside_the_share_of_the_peak(part: str, half: str) -> None:
    outcome = Outcome(1000, float(half.split()[0]), 1.0, 2.0, 0.5, 1, 3.0, None)
    case = Comparison(
        part=part,
        trace="stream",
        ranks=1,
        requests=1000,
        tolerance=None,
        commands=5,
        differing=(0, 0),
        native=outcome,
        whole=outcome,
        mended=outcome,
        steady=None,
    )
    page = tables([], [case], 1000)
    assert f"| {half} | {half} |" in page
