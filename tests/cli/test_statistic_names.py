# SPDX-License-Identifier: BSD-3-Clause
"""Does a wrong name of a statistic lead to the right one, and a right one to its value?"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path

import hmsim
import pytest
from hmsim.common import statistic_names
from hmsim.sweep.file import load_sweep
from hmsim.sweep.results import write_table
from messages import naming
from support import write

READS = "agents: [{kind: synthetic, core: 0, target: dram, read_ratio: 1, requests: 50}]\n"
NEW = "dram.latency.read.admission_ns"
OLD = "dram.latency.read.outside_ns"


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
def test_an_error_suggests_the_nearest_name(
    result: hmsim.Result, wrong: str, parts: tuple[str, ...]
) -> None:
    for values in (result.stats, result.units):
        with pytest.raises(KeyError) as found:
            values[wrong]
        message = str(found.value)
        assert naming(*parts).search(message) and "\n" not in message
        assert message.count("'") <= 2 * 3  # at most three names


def test_statistics_behave_like_a_dictionary(result: hmsim.Result) -> None:
    stats = result.stats
    plain = dict(stats)
    assert stats == plain and list(stats) == list(plain)
    assert "dram.raeds" not in stats and stats.get("dram.raeds", 7) == 7
    assert [stats[name] for name in stats] == [*plain.values()]
    for twin in (pickle.loads(pickle.dumps(stats)), copy.deepcopy(stats)):
        assert twin == plain
        with pytest.raises(KeyError, match=naming("dram.reads")):
            twin["dram.raeds"]


@pytest.fixture
def notices(capsys: pytest.CaptureFixture[str]) -> Iterator[list[str]]:
    """Lines on standard error, after the test."""
    statistic_names._report.cache_clear()
    lines: list[str] = []
    yield lines
    lines += capsys.readouterr().err.splitlines()
    assert lines == [f"hmsim: {OLD}.count: deprecated, use '{NEW}.count'"]


def test_results_report_an_old_name_once(result: hmsim.Result, notices: list[str]) -> None:
    for values in (result.stats, result.units):
        new = values[f"{NEW}.count"]
        assert f"{OLD}.count" in values and f"{OLD}.count" not in list(values)
        assert values[f"{OLD}.count"] == values.get(f"{OLD}.count") == new


def test_an_old_name_without_a_value_gives_the_error_of_the_new_one(result: hmsim.Result) -> None:
    with pytest.raises(KeyError, match=naming(NEW.replace("read", "write"), "no value")):
        result.stats[OLD.replace("read", "write")]


def test_options_and_files_of_a_sweep_accept_old_names(tmp_path: Path, notices: list[str]) -> None:
    write(tmp_path / "w.yaml", READS)
    text = f"""\
config: quick
grid: {{workload: w.yaml}}
samples: {{method: optimise, count: 1, over: {{controller.queue_depth: [32, 64]}},
  objective: {OLD}.count, direction: minimise}}
show: [{OLD}.count]
"""
    loaded = load_sweep(write(tmp_path / "s.yaml", text))
    assert [name.text for name in loaded.statistics] == [f"{NEW}.count"] * 2


def test_tables_accept_old_names(tmp_path: Path, notices: list[str]) -> None:
    file = write(tmp_path / "reads.yaml", READS)
    table = hmsim.run_points([hmsim.point("quick", file)], tmp_path / "out", jobs=1)
    for each in (table, table[table["error"] == ""], hmsim.load_results(tmp_path / "out")):
        (value,) = each[f"{NEW}.count"]
        assert each[f"{OLD}.count"].item() == each[[f"{OLD}.count"]].squeeze() == value == 50
    pytest.importorskip("matplotlib")
    assert hmsim.plot(table, "policy", f"{OLD}.count").axes[0].patches[0].get_height() == value
    assert hmsim.summary(table, [f"{OLD}.count"])[f"{OLD}.count"].item() == value


def test_files_of_an_earlier_release_are_read_under_new_names(
    result: hmsim.Result, tmp_path: Path
) -> None:
    for folder in ("now", "earlier"):
        result.save(tmp_path / folder)
    for name in ("stats.json", "run.json"):
        file = tmp_path / "earlier" / name
        text = file.read_text()
        assert "admission_ns" in text
        file.write_text(text.replace("admission_ns", "outside_ns"))
    now, earlier = (hmsim.load_results(tmp_path / name) for name in ("now", "earlier"))
    assert earlier.equals(now) and earlier.attrs["units"] == now.attrs["units"]
    assert f"{NEW}.count" in earlier and f"{OLD}.count" not in earlier.columns


def test_a_dataset_of_an_earlier_release_is_read_under_new_names(tmp_path: Path) -> None:
    file = write(tmp_path / "reads.yaml", READS)
    table = hmsim.run_points([hmsim.point("quick", file)], tmp_path / "out", jobs=1)
    earlier = table.rename(columns=lambda name: name.replace("admission_ns", "outside_ns"))
    earlier.attrs["units"] = {
        name.replace("admission_ns", "outside_ns"): unit
        for name, unit in table.attrs["units"].items()
    }
    write_table(earlier, tmp_path / "earlier.parquet")
    write_table(table, tmp_path / "now.parquet")
    read = [hmsim.load_results(tmp_path / f"{name}.parquet") for name in ("earlier", "now")]
    assert read[0].equals(read[1]) and read[0].attrs == read[1].attrs
    assert f"{NEW}.count" in read[0].columns
