# SPDX-License-Identifier: BSD-3-Clause
"""Does an axis keep its column if a statistic has the same name?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import hmsim
import pytest
from hmsim import InputError
from hmsim.points.point import Measurement, Point
from hooks import Counting, workload
from messages import naming
from support import fail, succeed

AXIS = "nvdimm.nand.energy.standby"  # a current and, as a statistic, an energy
SWEEP = f"""\
config: quick
grid: {{workload: w.yaml, {AXIS}: [5, 20]}}
show: [%s]
"""


def sweep_file(shown: str) -> Path:
    workload()
    path = Path("s.yaml")
    path.write_text(SWEEP % shown)
    return path


def test_a_parameter_and_a_statistic_of_one_name_are_two_columns() -> None:
    text = succeed("sweep", sweep_file(f"{AXIS}.measured"), "--out", "out", "--jobs", "1")
    assert f"{AXIS}.measured (J)" in text
    table = hmsim.load_results("out")
    assert list(table[AXIS]) == [5, 20]
    assert AXIS in table.attrs["axes"] and AXIS not in table.attrs["units"]
    low, high = table[f"{AXIS}.measured"]
    assert high == pytest.approx(4 * low)
    read = hmsim.load_results("out/results.parquet")
    assert list(read.columns) == list(table.columns)
    assert list(read[AXIS]) == [5, 20]


def test_the_statistic_is_asked_for_by_its_own_name() -> None:
    done = fail("sweep", sweep_file(AXIS), "--out", "out", "--jobs", "1")
    assert naming("s.yaml:3:", f"{AXIS}:", "is an axis", f"'{AXIS}.measured'").search(done)
    assert not Path("out").exists()


def test_a_search_finds_the_statistic_of_an_axis() -> None:
    workload()
    Path("s.yaml").write_text(
        "config: quick\ngrid: {workload: w.yaml}\nsamples:\n  method: optimise\n  count: 6\n"
        f"  objective: {AXIS}.measured\n  direction: minimise\n  over: {{{AXIS}: [5, 20]}}\n"
    )
    table = hmsim.run_sweep("s.yaml", "out", jobs=1)
    assert set(table[AXIS]) == {5, 20}


@dataclass(frozen=True)
class Rate(Counting):
    """Measures a rate of agent 0 that differs from the wanted one."""

    def measure(self, point: Point) -> Measurement:
        return Measurement({"agent.0.rate": 7.0}, {"agent.0.rate": "1/s"}, {})


def test_labels_in_python_are_kept() -> None:
    points = [
        hmsim.point("quick", workload(), axes={"agent.0.rate": rate}, runner=Rate("."), seed=rate)
        for rate in (100, 200)
    ]
    table = hmsim.run_points(points, "out", jobs=1)
    assert list(table["agent.0.rate"]) == [100, 200]
    assert list(table["agent.0.rate.measured"]) == [7, 7]
    assert table.attrs["units"] == {"agent.0.rate.measured": "1/s"}


@pytest.mark.parametrize("name", ["point", "error"])
def test_a_label_must_not_be_a_column_of_every_table(name: str) -> None:
    with pytest.raises(InputError, match=naming("axes:", f"{name}:", "every table")):
        hmsim.point("quick", workload(), axes={name: 1})
