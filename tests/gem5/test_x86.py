# SPDX-License-Identifier: BSD-3-Clause
"""What does a persistent store of an X86 program wait for, and what comes down to us?"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import HERE, Run

LINES = 400
PROGRAM_NS = 650_000  # of flash


@pytest.fixture
def persist(run: Run, x86: None, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Return what was told of a run for each way to write a line back."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    program = tmp_path / "persist"
    source = HERE / "scripts" / "persist.c"
    subprocess.run(["gcc", "-O1", "-static", "-o", program, source], check=True)
    ways = ("nothing", "clwb", "clflushopt")
    options = ("--program", program, "--lines", LINES, "--how")
    return {how: run("persist.py", *options, how).result for how in ways}


def test_written_back_lines_come_down_as_writes(persist: dict[str, dict[str, Any]]) -> None:
    writes = {how: told["statistics"]["nvdimm.writes"] for how, told in persist.items()}
    assert writes == {"nothing": 0, "clwb": LINES, "clflushopt": LINES}
    # Stores fetch their lines first; CLWB leaves them in the cache, CLFLUSHOPT does not.
    reads = {how: told["statistics"]["nvdimm.reads"] for how, told in persist.items()}
    assert reads == {"nothing": LINES, "clwb": LINES, "clflushopt": 2 * LINES}
    assert all(told["code"] == 0 for told in persist.values())


def test_a_fence_waits_for_the_controller_and_not_for_flash(
    persist: dict[str, dict[str, Any]],
) -> None:
    nothing, clwb = (persist[how]["ticks"] for how in ("nothing", "clwb"))
    frontend = 10_000  # ps, HarmonicMemCtrl's
    assert clwb - nothing > LINES * frontend
    assert clwb - nothing < LINES * PROGRAM_NS
