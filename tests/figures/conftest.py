# SPDX-License-Identifier: BSD-3-Clause
"""Figures are made from the repository's analysis folder, and every test has a cache of its own."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT, ROOT / "tests" / "cli"):  # analysis, support.py
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's cache out of the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
