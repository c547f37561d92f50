# SPDX-License-Identifier: BSD-3-Clause
"""Do random systems of all families simulate as before, and do their channels add up?

random_systems.txt has their digests. After an intended change of results:
python tests/integrity/random_systems.py 0 42 >tests/integrity/random_systems.txt
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hmsim import System
from random_systems import NAMES, outcome
from small_traces import write_traces

OF_CHANNEL = re.compile(r"(dram|nvdimm)\.channel\.\d+\.(.*(?:s|count|occupancy))")
STORED = Path(__file__).with_name("random_systems.txt").read_text().splitlines()


@pytest.mark.parametrize("stored", STORED, ids=[line.rpartition(" ")[0] for line in STORED])
def test_a_system_gives_the_stored_results(
    stored: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_traces(1)
    found = outcome(int(stored.split()[0]))
    assert found.stats, found.errors
    assert found.line() == stored
    parts: dict[str, list[float]] = {}
    for name, value in found.stats.items():
        if part := OF_CHANNEL.fullmatch(name):
            parts.setdefault(".".join(part.groups()), []).append(value)
    for name, values in parts.items():
        whole = len(values) if name.endswith("occupancy") else 1
        assert sum(values) / whole == pytest.approx(found.stats[name], rel=1e-12), name


@pytest.mark.parametrize(
    ("keys", "dram", "nvdimm"),
    [
        ({"address_map": "row|rank|bank|column|channel"}, [12, 6, 2, 0], [0, 7, 0, 0]),
        ({"address_map": "channel|row|rank|bank|column"}, [20, 0, 0, 0], [0, 7, 0, 0]),
        ({"channels": 1}, [20], [7]),
    ],
)
def test_channels_count_the_requests_of_the_address_map(
    keys: dict[str, Any], dram: list[int], nvdimm: list[int]
) -> None:
    given = {f"controller.{key}": value for key, value in {"channels": 4, **keys}.items()}
    system = System("quick", given)
    for line, count in enumerate((12, 6, 2)):
        for _ in range(count):
            system.enqueue(64 * line)
    for line in range(7):
        system.enqueue(system.config.capacities()["dram"] + 4096 * 5 + 64 * line)
    system.advance("1ms")
    for memory, counts in (("dram", dram), ("nvdimm", nvdimm)):
        names = [f"{memory}.channel.{n}.reads" for n in range(len(counts))]
        imbalance = max(counts) / (sum(counts) / len(counts))
        several = {**dict(zip(names, counts)), f"{memory}.channel_imbalance": imbalance}
        found = {name: system.stats[name] for name in system.stats if "channel" in name}
        assert several.items() <= found.items() if len(counts) > 1 else not found


def test_every_family_occurs_twice() -> None:
    assert sorted(line.split()[1] for line in STORED) == sorted(2 * NAMES)
