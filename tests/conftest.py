# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures and settings of all tests.

Hypothesis profiles: ``ci`` (default) repeats itself exactly, ``explore`` looks for new cases.
"""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hmsim._core import Simulation
from hypothesis import HealthCheck, settings

from tools.lanes import MARKERS

os.environ["HMSIM_POLICIES"] = ""  # whoever runs the tests may have policies of their own

settings.register_profile(
    "ci",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def _checked(*arguments: Any, **keywords: Any) -> Simulation:
    return Simulation(*arguments, **{**keywords, "check": True})


@pytest.fixture(autouse=True, scope="session")
def protocol_check() -> Iterator[None]:
    """Have the protocol checker judge every command that this process simulates."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("runner", "system"):
            patch.setattr(f"hmsim.runs.{module}.Simulation", _checked)
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many tests were not run, in a line for each reason."""
    stats = terminalreporter.stats
    reasons: Counter[str] = Counter()
    for report in stats.get("skipped", []):
        *_, reason = report.longrepr
        reasons[reason.removeprefix("Skipped: ")] += 1
    for item in stats.get("deselected", []):
        lane = next((name for name in MARKERS if item.get_closest_marker(name)), "python")
        reasons[f"of lane {lane}"] += 1
    if reasons:
        terminalreporter.section("not run")
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:5} {reason}")
