# SPDX-License-Identifier: BSD-3-Clause
"""Do a few seconds of fuzzing find nothing? (An hour of it: tests/fuzz/run.py.)"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
sys.path.insert(0, str(FUZZ))
import run  # noqa: E402

SECONDS = 5


@pytest.mark.fuzz
@pytest.mark.skipif(not run.formats(), reason="needs 'scons fuzz', and clang's libFuzzer for it")
@pytest.mark.parametrize("name", run.formats())
def test_readers_survive(tmp_path: Path, name: str) -> None:
    done = run.fuzz(name, SECONDS, tmp_path)
    assert done.returncode == 0, done.stderr[-4000:]


def test_every_format_has_seeds() -> None:
    traces = FUZZ.parents[1] / "traces"
    readers = {path.stem.removeprefix("format_") for path in traces.glob("format_*.cc")}
    assert readers == {path.name for path in run.SEEDS.iterdir() if any(path.iterdir())}
