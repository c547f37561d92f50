# SPDX-License-Identifier: BSD-3-Clause
"""Does a run report what an open loop dropped?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support import succeed, write


@pytest.mark.parametrize("rate", [1_000, 10_000_000])
def test_dropped_arrivals_are_reported(tmp_path: Path, rate: int) -> None:
    workload = write(
        tmp_path / "loop.yaml",
        f"agents:\n  - {{kind: io_pattern, arrivals: fixed, arrival_rate: {rate}, queue: 1, "
        "threads: 1, depth: 1, requests: 100}\n",
    )
    output = succeed("run", "storage/moneta", "--workload", workload)
    line = re.search(r"^agent 0 dropped (\d+) of (\d+) arrivals$", output, re.MULTILINE)
    if rate == 1_000:  # a request takes 13 us, so the queue stays empty
        assert line is None
    else:  # all arrive within 10 us: one is served, one waits
        assert line is not None
        assert line.groups() == ("98", "100")
