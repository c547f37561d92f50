# SPDX-License-Identifier: BSD-3-Clause
"""Do random systems of all families simulate as before?

random_systems.txt has their digests. After an intended change of results:
python tests/integrity/random_systems.py 0 42 >tests/integrity/random_systems.txt
"""

from __future__ import annotations

from pathlib import Path

import pytest
from random_systems import NAMES, outcome
from small_traces import write_traces

STORED = Path(__file__).with_name("random_systems.txt").read_text().splitlines()


@pytest.mark.parametrize("stored", STORED, ids=[line.rpartition(" ")[0] for line in STORED])
def test_a_system_simulates_as_before(
    stored: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_traces(1)
    found = outcome(int(stored.split()[0]))
    assert found.stats, found.errors
    assert found.line() == stored


def test_every_family_occurs_twice() -> None:
    assert sorted(line.split()[1] for line in STORED) == sorted(2 * NAMES)
