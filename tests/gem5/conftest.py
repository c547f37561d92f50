# SPDX-License-Identifier: BSD-3-Clause
"""Runs gem5 itself, where ``GEM5`` names a binary of it with the extension built in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from outcomes import HERE, REPO, Outcome, Run, run_gem5


@pytest.fixture(scope="session")
def gem5(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """Return the binary and what it was built with."""
    binary = os.environ.get("GEM5")
    if not binary:
        pytest.skip("GEM5 names no gem5 binary with the extension (EXTRAS=.../gem5-ext)")
    reported = run_gem5(binary, HERE / "scripts" / "what.py", tmp_path_factory.mktemp("what"))
    assert reported.exit_code == 0, reported.stderr
    assert reported.result["extension"], f"{binary} was built without EXTRAS=.../gem5-ext"
    return binary, reported.result


@pytest.fixture
def run(gem5: tuple[str, dict[str, Any]], tmp_path: Path) -> Run:
    """Return a function that runs a script of ``scripts/`` to its end."""
    count = 0

    def call(script: str, *arguments: object, exit_code: int = 0) -> Outcome:
        nonlocal count
        count += 1
        path = REPO / script if "/" in script else HERE / "scripts" / script
        outcome = run_gem5(gem5[0], path, tmp_path / f"m5out.{count}", *arguments)
        assert outcome.exit_code == exit_code, outcome.stdout + outcome.stderr
        return outcome

    return call


@pytest.fixture(scope="session")
def x86(gem5: tuple[str, dict[str, Any]]) -> None:
    """Skip where gem5 has no X86."""
    if not gem5[1]["x86"]:
        pytest.skip("this gem5 was built without X86")
