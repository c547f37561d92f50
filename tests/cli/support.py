# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command line inside this process."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hmsim.cli import app

REPO = Path(__file__).resolve().parents[2]
DATA = REPO.parent / "shared" / "data"

STREAM = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, footprint: 16MiB, requests: 3000}
  - {kind: synthetic, core: 1, target: nvdimm, pattern: sequential, footprint: 4MiB, requests: 2000}
"""


class Outcome(NamedTuple):
    """How a command ended."""

    exit_code: int
    stdout: str
    stderr: str


def invoke(*arguments: object) -> Outcome:
    """Return the outcome of ``hmsim ARGUMENTS``."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            app([str(argument) for argument in arguments], prog_name="hmsim")
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    return Outcome(code, stdout.getvalue(), stderr.getvalue())


def succeed(*arguments: object) -> str:
    """Return what ``hmsim ARGUMENTS`` prints, which must end with status 0."""
    result = invoke(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def parsed(*arguments: object) -> Any:
    """Return the JSON that ``hmsim ARGUMENTS --json`` prints."""
    return json.loads(succeed(*arguments, "--json"))


def write(path: Path, content: str | bytes) -> Path:
    """Write a file and return its path."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def needs_data(name: str) -> Path:
    """Return a file of the shared real inputs; skips the test when they are not there."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"real input {name} is not beside the repository")
    return path
