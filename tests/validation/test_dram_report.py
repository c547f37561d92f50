# SPDX-License-Identifier: BSD-3-Clause
"""Does the page of the comparison with DRAMsim3 print sums by part, ranges by trace, all values?"""

from __future__ import annotations

from dataclasses import replace

from hmsim.reproduce.validate.dram_comparison import PARTS, Comparison, Outcome
from hmsim.reproduce.validate.dram_report import csv, tables


def test_tables_sum_and_bound_the_listed_comparisons() -> None:
    whole = Outcome(1000, 6.4, 10.0, 20.0, 0.5, 1, 3.0, None)
    ours = replace(whole, cycles=1020, mean_ns=9.0, p99_ns=None, hit_ratio=0.25)
    cases = [
        Comparison(part, "stream", ranks, 9, None, 5, (0, ranks), native, whole, whole, None)
        for part in PARTS
        for ranks, native in ((1, ours), (2, replace(ours, cycles=990)))
    ]
    page = tables(cases, 1000)
    for part in PARTS:
        assert f"| {part} | 2 | 10 | 0 | 3 |" in page
    assert "| stream | -1.00 to +2.00 | -10 |  | -1.00 to +2.00 | -10 |  |" in page
    assert "differ by 0.25 at most" in page
    first, *lines = csv(cases).splitlines()
    assert len({len(line.split(",")) for line in (first, *lines)}) == 1 and len(lines) == 4
    assert lines[0].endswith(",1,3,5,0,1,0.0000,1000,1020,0.50,0.50,10,9,20,")
