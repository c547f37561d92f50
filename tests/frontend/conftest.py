# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the tests of captures."""

from __future__ import annotations

import subprocess

import pytest
from captured import PROGRAM


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("program")
    source = folder / "program.c"
    source.write_text(PROGRAM)
    binary = folder / "program"
    subprocess.run(["gcc", "-O2", "-pthread", "-o", binary, source], check=True)
    return str(binary)
