# SPDX-License-Identifier: BSD-3-Clause
"""Are pages that were written while no time passed in flash or the buffer at the start?"""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import naming
from outcomes import Run, compiled

pytestmark = pytest.mark.gem5

# Flash that holds nothing but what a program wrote; the write buffer has 64 pages.
EMPTY = (
    "nvdimm.precondition.fill=0",
    "nvdimm.precondition.overwrite=0",
    "nvdimm.unmapped_read=zero",
)
PAGES = ("--pages", "0,3,150,500")


def options(*more: str) -> list[str]:
    little = "dram.preset=ddr3_1600k_512mb_x16"  # checkpoints hold all of it
    return [f"--set={each}" for each in (little, *EMPTY, *more)]


@pytest.fixture
def program(x86: None, tmp_path: Path) -> Path:
    return compiled("writes", tmp_path)


def test_pages_that_a_program_wrote_are_present_under_any_policy(
    run: Run, program: Path, tmp_path: Path
) -> None:
    with_program = ("--program", program, *PAGES)
    folder = tmp_path / "saved"
    straight = run("written.py", *options(), *with_program, "--save", folder)
    assert straight.result["from_flash"] == {"0": 1, "3": 1, "150": 1, "500": 0}
    (kept,) = folder.glob("*.written")
    assert kept.read_text() == "0 3\n4 196\n3 1\n"
    for policy in ("split", "firm"):
        again = (*options(), *with_program, "--restore", folder, "--policy", policy)
        assert run("written.py", *again).result["from_flash"] == straight.result["from_flash"]
    held = options("nvdimm.precondition.buffer=captured", "nvdimm.buffer.manager=on_demand")
    again = (*held, *with_program, "--restore", folder)
    found = run("written.py", *again).result["from_flash"]
    assert found == {"0": 1, "3": 0, "150": 0, "500": 0}


def test_pages_written_in_another_simulator_are_read_from_a_file(run: Run, tmp_path: Path) -> None:
    reported = tmp_path / "written"
    reported.write_text("150 1\n0 4\n")
    from_file = ("--written", reported, *PAGES)
    found = run("written.py", *options(), *from_file).result["from_flash"]
    assert found == {"0": 1, "3": 1, "150": 1, "500": 0}
    # Each of two controllers has half of the lines of a page. It keeps them in separate pages.
    found = run("written.py", *options(), *from_file, "--controllers", 2).result["from_flash"]
    assert found == {"0": 2, "3": 2, "150": 2, "500": 0}
    reported.write_text("150 1\n0 x\n")
    refused = run("written.py", *options(), *from_file, exit_code=1)
    assert naming(f"{reported}: line 2:", "'FIRST COUNT'").search(refused.stderr), refused.stderr


def test_a_captured_buffer_needs_written_pages(run: Run) -> None:
    held = options("nvdimm.precondition.buffer=captured", "nvdimm.buffer.manager=on_demand")
    refused = run("written.py", *held, exit_code=1)
    assert naming("nvdimm.precondition.buffer:", "'captured'").search(refused.stderr)
