# SPDX-License-Identifier: BSD-3-Clause
"""What all tests share.

Hypothesis profiles: ``ci`` (default) repeats itself exactly, ``explore`` looks for new cases.
"""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hmsim._core import Simulation
from hypothesis import HealthCheck, settings

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
            patch.setattr(f"hmsim.running.{module}.Simulation", _checked)
        yield
