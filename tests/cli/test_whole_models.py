# SPDX-License-Identifier: BSD-3-Clause
"""Do numbers of a whole model come before those of its simulated layers, under clear names?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pytest
from hmsim.common.tables import number
from support import cells, succeed, write

MODEL = (
    "layers: 12, width: 128, kv_heads: 2, head_size: 64, feed_forward: 192, vocabulary: 2048, "
    "weights: dram, kv: dram, context: 64, steps: 4"
)
RATE, STEP = "agent.0.scaled.rate", "agent.0.scaled.step_time_us"
OWN_RATE, OWN_STEP = "agent.0.rate", "agent.0.step_time_us.mean"
WHOLE = (("agent 0, tokens/s", RATE, 1.0), ("agent 0, next token, mean (ms)", STEP, 1e-3))
SIMULATED = (
    ("agent 0, tokens/s of the simulated layers", OWN_RATE, 1.0),
    ("agent 0, next token of the simulated layers, mean (ms)", OWN_STEP, 1e-3),
)


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    agent = f"{{kind: llm_decode, {MODEL}, layers_simulated: 1}}"
    return write(tmp_path_factory.mktemp("model") / "part.yaml", f"agents:\n  - {agent}\n")


@pytest.fixture(scope="module")
def result(workload: Path) -> hmsim.Result:
    return hmsim.run("quick", workload)


def check_order(found: dict[str, list[str]], result: hmsim.Result, pairs: int = 2) -> None:
    labels = list(found)
    for (first, name, factor), (second, own, _) in list(zip(WHOLE, SIMULATED))[:pairs]:
        assert found[first][0] == number(result.stats[name] * factor)
        assert found[second][0] == number(result.stats[own] * factor)
        assert labels.index(first) < labels.index(second)


def test_records_hold_the_whole_model_first(result: hmsim.Result) -> None:
    for names in (list(result.record()), list(result.stats)):
        assert names.index(RATE) < names.index(OWN_RATE)
        assert names.index(STEP) < names.index(OWN_STEP)
        assert len(names) == len(set(names))
    assert next(iter(result.nested()["agent"]["0"])) == "scaled"


def test_speedups_are_of_the_whole_model(workload: Path) -> None:
    table = hmsim.compare(
        [hmsim.load_config("quick"), hmsim.load_config("ddr5_nvdimm")], [], [workload]
    )
    whole, part = table[RATE], table[OWN_RATE]
    assert table["agent.0.speedup"][1] == pytest.approx(whole[1] / whole[0], rel=1e-12)
    assert table["speedup"][1] == pytest.approx(whole[1] / whole[0], rel=1e-12)
    assert whole[1] / whole[0] != pytest.approx(part[1] / part[0], rel=1e-6)
    columns = list(table.columns)
    assert columns.index(RATE) < columns.index(OWN_RATE)
    assert columns.index(STEP) < columns.index(OWN_STEP)
    text = succeed("compare", "quick", "ddr5_nvdimm", "--workload", workload)
    check_order(cells(text), hmsim.run("quick", workload))


def test_a_whole_simulation_has_no_other_names(tmp_path: Path) -> None:
    file = write(tmp_path / "all.yaml", f"agents:\n  - {{kind: llm_decode, {MODEL}}}\n")
    text = succeed("run", "quick", "--workload", file)
    assert "agent 0, next token, mean (ms)" in text and "simulated layers" not in text
