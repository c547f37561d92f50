# SPDX-License-Identifier: BSD-3-Clause
"""Does a wrong name of a statistic lead to the right one, and a right one to its value?"""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import hmsim
import pytest
from hmsim.common.statistic_names import Statistics, nearest, proposal
from messages import naming
from support import write

READS = "agents: [{kind: synthetic, core: 0, target: dram, read_ratio: 1, requests: 50}]\n"
KNOWN = ("dram.reads", "dram.read_latency_ns.mean", "dram.read_latency_ns.p99", "system.ipc")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> hmsim.Result:
    return hmsim.run("quick", write(tmp_path_factory.mktemp("reads") / "reads.yaml", READS))


@pytest.mark.parametrize(
    ("wrong", "parts"),
    [
        ("dram.raeds", ("dram.raeds: ", "'dram.reads'")),
        ("dram.read_latency_ns", ("dram.read_latency_ns.mean", "dram.read_latency_ns.p50")),
        ("dram.read_latency.p99", ("'dram.read_latency_ns.p99'",)),
        ("dram.write_latency_ns", ("no value",)),  # nothing is written: its name is right
        ("", ("not a statistic",)),
        ("zzz", ("not a statistic",)),
    ],
)
def test_an_error_names_what_was_meant(
    result: hmsim.Result, wrong: str, parts: tuple[str, ...]
) -> None:
    for values in (result.stats, result.units):
        with pytest.raises(KeyError) as found:
            values[wrong]
        message = str(found.value)
        assert naming(*parts).search(message) and "\n" not in message
        assert message.count("'") <= 2 * 3  # at most three names


def test_it_is_a_dictionary_otherwise(result: hmsim.Result) -> None:
    stats = result.stats
    plain = dict(stats)
    assert stats == plain and list(stats) == list(plain)
    assert "dram.raeds" not in stats and stats.get("dram.raeds", 7) == 7
    assert [stats[name] for name in stats] == [*plain.values()]
    for twin in (pickle.loads(pickle.dumps(stats)), copy.deepcopy(stats)):
        assert twin == plain
        with pytest.raises(KeyError, match=naming("dram.reads")):
            twin["dram.raeds"]


def test_a_system_by_hand_has_the_same_errors() -> None:
    with pytest.raises(KeyError, match=naming("'dram.reads'")):
        hmsim.System("quick").stats["dram.raeds"]


def test_a_right_name_costs_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    stats = Statistics({"dram.reads": 3}, ())
    monkeypatch.setattr("hmsim.common.statistic_names.nearest_name", None)
    assert stats["dram.reads"] == 3 and "x" not in stats and stats.get("x") is None


def test_parts_come_first_then_similar_names_then_those_that_contain_it() -> None:
    assert nearest("dram.read_latency_ns", KNOWN) == list(KNOWN[1:3])
    assert nearest("dram.raeds", KNOWN)[0] == "dram.reads"
    assert nearest("ipc", KNOWN) == ["system.ipc"]
    assert nearest("", KNOWN) == nearest("zzz", KNOWN) == []
    assert proposal("zzz", KNOWN) == ""
    assert proposal("ipc", KNOWN) == "; did you mean 'system.ipc'?"


def test_a_summary_names_the_column_that_was_meant(tmp_path: Path) -> None:
    file = write(tmp_path / "reads.yaml", READS)
    table = hmsim.run_points([hmsim.point("quick", file)], tmp_path / "out", jobs=1)
    with pytest.raises(hmsim.InputError, match=naming("'dram.reads'")):
        hmsim.summary(table, ["dram.raeds"])
