# SPDX-License-Identifier: BSD-3-Clause
"""Are the harmonic policy's tables trained, found, kept and checked as promised?"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path

import pytest
from hmsim import InputError, load_config, run
from hmsim._core import Simulation
from hmsim.config.configuration import Config
from hmsim.config.harmonic_table import (
    DRAM_CELLS,
    NVDIMM_CELLS,
    Table,
    cache_file,
    cells,
    find_table,
    read_table,
    table_key,
)
from hmsim.runs import calibration
from hmsim.runs.calibration import train, with_table
from messages import naming
from support import REPO, fail, parsed, succeed

FLAT = Table("k", 1, 0, (100,) * DRAM_CELLS, (100,) * NVDIMM_CELLS)
OTHER_BUFFER = {"nvdimm.buffer.read_size": "2MiB"}


def test_cells_match_the_paper() -> None:
    found = list(cells())
    assert DRAM_CELLS == 6 * 4 * 2
    assert NVDIMM_CELLS == 6 * 6 * 4 * 4
    assert len(found) == DRAM_CELLS + NVDIMM_CELLS
    assert found[0] == {"stride": 1, "reuse": 0.25, "outstanding": 2}
    assert found[-1] == {
        **{"write_ratio": 11 / 12, "write_randomness": 7 / 8, "read_randomness": 7 / 8},
        "outstanding": 96,
    }


SHIPPED = sorted(path.stem for path in (REPO / "configs" / "harmonic").glob("*.table"))


@pytest.mark.parametrize("name", SHIPPED)
def test_tables_of_shipped_configurations_are_shipped(name: str) -> None:
    found = find_table(load_config(name).with_policy("hms"))
    assert found is not None, "retrain: hmsim calibrate NAME --out configs/harmonic/NAME.table"
    table, path = found
    assert path == REPO / "configs" / "harmonic" / f"{name}.table"
    assert (table.requests, table.warmup) == (calibration.REQUESTS, calibration.WARMUP)


@pytest.mark.parametrize("name", ["mascots16", "quick"])
def test_shipped_rates_match_training(name: str) -> None:
    config = load_config(name)
    table, _ = find_table(config) or pytest.fail("no table")
    training = calibration.training_config(config)
    for index in (5, 300, 623):
        flat = (training if index >= DRAM_CELLS else calibration._without_nvdimm(training)).flat()
        rate = calibration._rate(flat, list(cells())[index], table.requests, table.warmup)
        # Corrections of the model change rates slightly. A larger change requires new tables.
        assert rate == pytest.approx((*table.dram, *table.nvdimm)[index], rel=0.02)


@pytest.mark.parametrize("index", [0, 29, 47, 300, 623])
def test_rates_are_the_same_in_both_write_modes(index: int) -> None:
    training = calibration.training_config(load_config("mascots16"))
    if index < DRAM_CELLS:
        training = calibration._without_nvdimm(training)
    drained = [(n, "drained" if n == "controller.writes" else v) for n, v in training.flat()]
    assert drained != training.flat()
    cell = list(cells())[index]
    rates = [calibration._rate(flat, cell, 2000, 200) for flat in (drained, training.flat())]
    assert rates[0] == rates[1]


def test_the_key_is_of_the_hardware() -> None:
    config = load_config("quick")
    key = table_key(config)
    neutral = {
        "policies.harmonic.weight": 0.8,
        "policies.harmonic.impl": "table",
        "controller.arbiter": "dram_first",
        "controller.queues": "split",
        "controller.scheduler": "fcfs",
        "controller.writes": "drained",
        "controller.drain_high": 40,
        "nvdimm.precondition.overwrite": 3,
        "nvdimm.ftl.victim": "fifo",
        "nvdimm.gc.scheduler": "proactive",
        "frontend.block.threads": 2,
        "nvdimm.buffer.read_size": "1024KiB",  # as before, in other words
    }
    for name, value in neutral.items():
        assert table_key(load_config("quick", {name: value})) == key, name
    assert table_key(config.with_policy("hms")) == key
    shaping = {
        "dram.ranks": 2,
        "dram.preset": "ddr3_1600",
        "nvdimm.nand.read_time": "40us",
        "nvdimm.buffer.write_size": "2MiB",
        "controller.queue_depth": 64,
        "controller.page_policy": "closed_page",
        "controller.ack": "auto",
    }
    for name, value in shaping.items():
        if name == "dram.preset":
            choices = next(i for i in Simulation.parameters() if i["name"] == name)["range"]
            value = next(c for c in choices.split(" | ") if c != "table3")
        assert table_key(load_config("quick", {name: value})) != key, name


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Replace a cell's run by one that takes no time; the list has an entry for each call."""
    calls: list[int] = []

    def rate(_flat: object, cell: dict[str, float], requests: int, _warmup: int) -> int:
        calls.append(1)
        return requests + round(1000 * sum(cell.values()))

    monkeypatch.setattr(calibration, "_rate", rate)
    return calls


def failed_first(futures: Iterable[Future[int]]) -> list[Future[int]]:
    """Return finished futures, the failed ones first: the worst order for their handling."""
    return sorted(futures, key=lambda future: future.exception() is None)


def test_a_killed_training_resumes(counted: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    config = load_config("quick", OTHER_BUFFER)
    whole = train(config, 7, 3)
    assert len(counted) == DRAM_CELLS + NVDIMM_CELLS
    counted.clear()
    quick = calibration._rate

    def interrupted(*arguments: object) -> int:
        if len(counted) >= 100:
            raise KeyboardInterrupt
        return quick(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(calibration, "_rate", interrupted)
        patch.setattr(concurrent.futures, "as_completed", failed_first)
        with pytest.raises(KeyboardInterrupt):
            train(config, 7, 3, jobs=1)
    assert len(counted) == 100
    again = train(config, 7, 3, jobs=2)
    assert again == whole
    assert len(counted) == DRAM_CELLS + NVDIMM_CELLS
    counted.clear()
    assert train(config, 8, 3) != whole, "other lengths start anew"
    assert len(counted) == DRAM_CELLS + NVDIMM_CELLS


def test_a_missing_table_is_trained_once(counted: list[int], workload: Path) -> None:
    config = load_config("quick", OTHER_BUFFER)
    with pytest.raises(InputError, match=naming("policies.harmonic.table:", "'hmsim calibrate'")):
        run(config, workload, policy="hms", calibrate=False)
    assert not counted
    first = run(config, workload, policy="hms")
    assert len(counted) == DRAM_CELLS + NVDIMM_CELLS
    second = run(config, workload, policy="paper_hms", calibrate=False)
    assert len(counted) == DRAM_CELLS + NVDIMM_CELLS
    assert first.config.resolved()["policies.harmonic.table"].startswith("version 1 dram ")
    assert second.stats["sim.requests"] >= 5000
    assert not run(config, workload, policy="split").config.resolved()["policies.harmonic.table"]


def test_a_saved_result_keeps_its_table(tmp_path: Path, workload: Path) -> None:
    first = run("quick", workload, policy="hms")
    first.save(tmp_path / "out")
    again = run(tmp_path / "out" / "config.yaml", workload, calibrate=False)
    assert again.stats == first.stats


def test_calibrate_is_suggested(counted: list[int], tmp_path: Path, workload: Path) -> None:
    changed = ("quick", "--set", "nvdimm.buffer.read_size=2MiB")
    for command in (
        ("run", *changed, "--policy", "hms", "--workload", workload, "--no-calibrate"),
        ("compare", *changed, "--policy", "hms", "--workload", workload, "--no-calibrate"),
        ("check", *changed, "--policy", "hms"),
    ):
        assert "'hmsim calibrate'" in fail(*command)
    assert "trained" in succeed("calibrate", *changed)
    assert "already trained" in succeed("calibrate", *changed)
    assert len(counted) == DRAM_CELLS + NVDIMM_CELLS
    flat = succeed("check", *changed, "--policy", "hms", "--flat")
    assert "policies.harmonic.table=version 1 dram " in flat
    out = tmp_path / "my.table"
    succeed("calibrate", *changed, "--out", out, "--requests", 5, "--warmup", 2)
    assert read_table(out).requests == 5
    fail("calibrate", *changed, "--out", out)
    assert parsed("calibrate", *changed)["key"] == read_table(out).key
    assert "slow memory" in fail("calibrate", "validate_ddr3")


def test_real_training_does_not_depend_on_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    few = list(cells())[5 :: 13 * 6]  # with the deepest queues
    monkeypatch.setattr(calibration, "cells", lambda: iter(few))
    monkeypatch.setattr(calibration, "DRAM_CELLS", 1)
    config = load_config("quick")
    one = train(config, 600, 50, jobs=1)
    assert train(config, 600, 50, jobs=4) == one
    assert min(one.dram + one.nvdimm) > 0
    with pytest.raises(InputError, match=naming("calibrate:", "1 requests")):
        train(config, 1, 1000)


def keep(config: Config, content: bytes) -> Path:
    """Put a file where the configuration's table is looked for."""
    path = cache_file(table_key(config))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        *(
            (change, ("version 3", "train"))
            for change in (
                lambda text: "",
                lambda text: text.replace("version 3", "version 1"),
                lambda text: text.replace("\nnvdimm", "\nnvram"),
                lambda text: text.replace("100 100", "100 x", 1),
                lambda text: text.replace("100 100", "-5 100", 1),
                lambda text: text.replace("100 100", "100 9999999999", 1),
                lambda text: text.replace("100 100", "100 " + "9" * 5000, 1),
                lambda text: text[: len(text) // 2],
                lambda text: text + "7\n",
                lambda text: text + "\xff",
            )
        ),
        (lambda text: text.replace("100", "0"), ("all rates", "0")),
        (lambda text: text + "#" * (5 << 20), ("4 MiB",)),
    ],
)
def test_a_damaged_table_is_rejected_and_counts_as_absent_in_the_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: object, parts: tuple[str, ...]
) -> None:
    config = load_config("quick", OTHER_BUFFER).with_policy("hms")
    good = tmp_path / "good.table"
    good.write_bytes(FLAT.content("test"))
    assert read_table(good) == FLAT
    path = keep(config, change(good.read_text()).encode("latin-1"))  # type: ignore[operator]
    with pytest.raises(InputError, match=naming(str(path), *parts)) as error:
        read_table(path)
    with pytest.raises(InputError, match=naming("policies.harmonic.table:")):
        with_table(config, calibrate=False)
    assert capsys.readouterr().err.startswith(f"hmsim: {error.value}; ")


def test_a_table_of_another_key_is_trained_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = load_config("quick", OTHER_BUFFER).with_policy("hms")
    table = FLAT._replace(key=table_key(config))
    path = cache_file(table.key)
    calibration.store(table, "mine")
    assert find_table(config) == (table, path)
    path.write_text(path.read_text().replace(table.key, "k"))
    monkeypatch.setattr(calibration, "train", lambda *args, **keys: table)
    with_table(config)
    printed = capsys.readouterr().err.splitlines()
    assert printed[0].startswith(f"hmsim: {path}: its key k ")
    assert printed[1].startswith("hmsim: quick: training a table of the harmonic policy, once")
    assert find_table(config) == (table, path)


def test_a_given_table_is_checked() -> None:
    with pytest.raises(
        InputError, match=naming("overrides: policies.harmonic.table:", "'version'", "'x'")
    ):
        load_config("quick", {"policies.harmonic.table": "x"})
    given = load_config("quick", {"policies.harmonic.table": FLAT.text()}).with_policy("hms")
    assert with_table(given, calibrate=False) is given
