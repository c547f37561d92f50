# SPDX-License-Identifier: BSD-3-Clause
"""Every test has a cache of its own."""

import sys
from pathlib import Path

import formulas
import pytest
from hmsim.reproduce.figures import experiment

ROOT = Path(__file__).resolve().parents[2]
SUPPORT = str(ROOT / "tests" / "cli")
if SUPPORT not in sys.path:
    sys.path.append(SUPPORT)

from support import own_cache  # noqa: E402, F401


@pytest.fixture
def by_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace simulations by the formulas of `formulas`."""
    monkeypatch.setattr(experiment, "run_points", formulas.run_points)
