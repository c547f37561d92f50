# SPDX-License-Identifier: BSD-3-Clause
"""Does the whole script of gem5-ext/README.md run a program on the NVDIMM?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from outcomes import REPO, compiled, run_gem5

pytestmark = [pytest.mark.gem5, pytest.mark.usefixtures("x86")]

LINES = 400
AHEAD = 16  # most lines that the L2 reads ahead
NO_RUBY = "Protocol '' not recognized"  # v24.0's library has no processors in such a build


def test_the_whole_script_runs_a_program_on_the_nvdimm(
    gem5: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    page = (REPO / "gem5-ext" / "README.md").read_text(encoding="utf-8")
    script = tmp_path / "whole.py"
    (text,) = re.findall(r"^```python\n(import sys\n.*?)^```", page, re.MULTILINE | re.DOTALL)
    script.write_text(text, encoding="utf-8")
    program = compiled("persist", tmp_path)
    ended = run_gem5(gem5[0], script, tmp_path / "m5out", program, "nothing", LINES)
    if NO_RUBY in ended.stderr:
        pytest.skip("this gem5's standard library has no processors without Ruby")
    found = re.search(r"^(\d+) lines read from the NVDIMM$", ended.stdout, re.MULTILINE)
    # Stores fetch their lines.
    assert found and LINES <= int(found[1]) <= LINES + AHEAD, ended.stdout + ended.stderr
