# SPDX-License-Identifier: BSD-3-Clause
"""Which persistent stores of an X86 program reach our controller?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from outcomes import Run, compiled

pytestmark = pytest.mark.gem5

LINES = 400


@pytest.fixture
def persist(run: Run, x86: None, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Return the reported values of a run for each way to write a line back."""
    program = compiled("persist", tmp_path)
    ways = ("nothing", "clwb", "clflushopt", "clflush", "non-temporal")
    options = ("--program", program, "--lines", LINES, "--how")
    return {how: run("persist.py", *options, how).result for how in ways}


def test_lines_written_back_arrive_as_writes(persist: dict[str, dict[str, Any]]) -> None:
    writes = {how: reported["statistics"]["nvdimm.writes"] for how, reported in persist.items()}
    # Non-temporal stores stay in the caches here; real machines write them at once.
    flushed = {"clwb": LINES, "clflushopt": LINES, "clflush": LINES}
    assert writes == {"nothing": 0, **flushed, "non-temporal": 0}
    # CLWB leaves lines in the cache, the others do not. An O3 core reads one or two lines more.
    # Lines that are stored completely are fetched as well.
    reads = {
        how: reported["statistics"]["nvdimm.reads"] // LINES for how, reported in persist.items()
    }
    assert reads == {"nothing": 1, "clwb": 1, "clflushopt": 2, "clflush": 2, "non-temporal": 1}
    assert all(reported["code"] == 0 for reported in persist.values())


# The core has half a nanosecond a cycle; a flash program takes 650 us.
def test_a_fence_does_not_wait_for_flash(persist: dict[str, dict[str, Any]]) -> None:
    assert 0 < persist["clwb"]["cycles"] < 200 * LINES
