# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command line inside this process."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import re
import struct
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hmsim.cli.application import app
from hmsim.fio import job
from hmsim.traces.file import TraceWriter

REPO = Path(__file__).resolve().parents[1]

STREAM = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, footprint: 16MiB, requests: 3000}
  - {kind: synthetic, core: 1, target: nvdimm, pattern: sequential, footprint: 4MiB, requests: 2000}
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's cache out of the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


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
    """Return the output of ``hmsim ARGUMENTS``, which must end with status 0."""
    result = invoke(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def fail(*arguments: object) -> str:
    """Return the errors of ``hmsim ARGUMENTS``, which must end with status 2."""
    result = invoke(*arguments)
    assert result.exit_code == 2, result
    return result.stderr


def parsed(*arguments: object) -> Any:
    """Return the JSON that ``hmsim ARGUMENTS --json`` prints."""
    return json.loads(succeed(*arguments, "--json"))


def write(path: Path, content: str | bytes) -> Path:
    """Write a file and return its path."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def fio_agents(folder: Path, text: str) -> tuple[list[dict[str, str]], list[str]]:
    """Return the keys of the agents of a job file of fio, and the notes on it."""
    agents, notes = job.load(write(folder / "job.fio", text))
    return [{setting.name: setting.text for setting in agent} for agent in agents], notes


def cells(text: str) -> dict[str, list[str]]:
    """Return the values of a table's lines by their labels, in order of the lines."""
    found = (re.split(r"\s{2,}", line.strip()) for line in text.splitlines())
    return {label: values for label, *values in found if values}


def write_records(path: Path, words: list[int], *end: Any, **options: int) -> Path:
    """Write records as a trace of hmsim and return its path. `end`: as for `close`."""
    with path.open("wb") as file:
        writer = TraceWriter(file, **options)
        writer.write(struct.pack(f"<{len(words)}Q", *words))
        writer.close(*end)
    return path


def core_trace(path: Path, lines: int, *, gap: int, pages: int, written: float) -> Path:
    """Write a trace in Ramulator's format, compressed, and return its path.

    Args:
        path: of the file; gzip.
        lines: of the trace, each a read that misses the caches.
        gap: instructions between two of them, on average.
        pages: that it touches, anywhere in 47 bits of address.
        written: share of lines that write back another line too.
    """
    numbers = random.Random(11)
    touched = [numbers.randrange(1 << 35) for _ in range(pages)]

    def address() -> int:
        return numbers.choice(touched) * 4096 + numbers.randrange(64) * 64

    with gzip.open(path, "wt") as file:
        for _ in range(lines):
            back = f" {address()}" if numbers.random() < written else ""
            file.write(f"{int(numbers.expovariate(1 / gap))} {address()}{back}\n")
    return path
