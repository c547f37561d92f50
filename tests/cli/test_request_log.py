# SPDX-License-Identifier: BSD-3-Clause
"""Does the per-request log hold every request, and does its latency add up?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pandas as pd
import pytest
from hmsim.common.tables import number
from support import STREAM, fail, invoke, parsed, succeed, write

PARTS = ["admission", "queueing", "bank", "bus", "transfer", "refresh", "ack_wait", "gc_blocked"]
CLASSES = [("dram", False), ("dram", True), ("nvdimm", False), ("nvdimm", True)]
# Little flash with few free blocks: writes make it collect.
COLLECTING = {
    "nvdimm.capacity": "16MiB",
    "nvdimm.nand.channels": "1",
    "nvdimm.nand.chips": "1",
    "nvdimm.nand.pages_per_block": "16",
    "nvdimm.buffer.read_size": "64KiB",
    "nvdimm.buffer.write_size": "64KiB",
}
WRITES = """\
agents:
  - {kind: synthetic, core: 1, target: nvdimm, pattern: random, read_ratio: 0.5, footprint: 8MiB,
     requests: 1500}
"""


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    """A workload of one DRAM and one NVDIMM agent."""
    return write(tmp_path / "mix.yaml", STREAM.replace("requests: 2000", "requests: 300"))


def check(result: hmsim.Result) -> pd.DataFrame:
    """Hold a result's log against its statistics; the log."""
    log = result.requests
    assert log is not None
    parts = [f"{part}_ps" for part in PARTS]
    assert (log[parts].sum(axis=1) == log["done_ps"] - log["arrival_ps"]).all()
    assert (log[parts] >= 0).all().all()
    times = log[["arrival_ps", "admitted_ps", "first_command_ps", "issue_ps", "done_ps"]]
    assert (times.diff(axis=1).iloc[:, 1:] >= 0).all().all()
    assert len(log) == result.stats["sim.requests"]
    assert log["id"].is_unique
    for name, write_ in CLASSES:
        rows = log[(log["class"] == name) & (log["write"] == write_)]
        path = f"{name}.latency.{'write' if write_ else 'read'}"
        for part in PARTS:
            mean = result.stats.get(f"{path}.{part}_ns.mean")
            if mean is None:
                assert (rows[f"{part}_ps"] == 0).all()
            else:
                assert result.stats[f"{path}.{part}_ns.count"] == len(rows)
                assert mean * 1000 * len(rows) == pytest.approx(rows[f"{part}_ps"].sum(), rel=1e-12)
                assert result.stats[f"{path}.{part}_ns.max"] * 1000 == rows[f"{part}_ps"].max()
    return log


def test_every_request_is_logged_and_adds_up(workload: Path) -> None:
    log = check(hmsim.run("quick", workload, request_log=True))
    assert set(log["class"]) == {"dram", "nvdimm"}
    assert (log.loc[log["class"] == "dram", "row_hit"].mean()) > 0
    nvdimm = log["class"] == "nvdimm"
    assert (log.loc[nvdimm, ["bank_ps", "refresh_ps"]] == 0).all().all()
    assert (log.loc[~nvdimm, ["ack_wait_ps", "gc_blocked_ps"]] == 0).all().all()


def test_the_log_shows_garbage_collection(tmp_path: Path) -> None:
    config = hmsim.load_config("quick", overrides=COLLECTING)
    log = check(hmsim.run(config, write(tmp_path / "w.yaml", WRITES), request_log=True))
    assert log["gc_blocked_ps"].sum() > 0


def test_the_log_has_all_channels(workload: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hmsim.runs.request_log.ROWS", 500)  # several blocks
    monkeypatch.setattr("hmsim.runs.runner.STEPS", 5000)
    overrides = {"controller.channels": "2"}
    config = hmsim.load_config("quick", overrides=overrides)
    log = check(hmsim.run(config, workload, warmup="20us", request_log=True))
    assert set(log["channel"]) == {0, 1}
    assert log["done_ps"].min() >= 20 * 10**6


def test_the_log_changes_nothing(tmp_path: Path, workload: Path) -> None:
    run = ("run", "quick", "--workload", workload, "--seed", "3")
    out = tmp_path / "out"
    assert parsed(*run, "--request-log", "--out", out) == parsed(*run)
    assert {path.name for path in out.iterdir()} == {
        *("config.yaml", "stats.json", "run.json", "requests.parquet", "io_requests.parquet")
    }
    log = pd.read_parquet(out / "requests.parquet")
    result = hmsim.run("quick", workload, seed=3, request_log=True)
    pd.testing.assert_frame_equal(result.requests, log)
    assert hmsim.run("quick", workload).requests is None
    result.save(tmp_path / "saved")
    assert result.requests["outside_ps"].equals(log["admission_ps"])  # its name before
    saved = pd.read_parquet(tmp_path / "saved" / "requests.parquet")
    pd.testing.assert_frame_equal(saved, log)


def test_an_empty_log_has_its_columns(tmp_path: Path) -> None:
    none = write(tmp_path / "none.yaml", STREAM.replace("requests: 3000", "requests: 1"))
    result = hmsim.run("quick", none, request_log=True)
    assert result.requests is not None
    assert result.requests["class"].dtype == "category"


def test_a_run_prints_its_latencies_by_cause(workload: Path) -> None:
    run = ("run", "quick", "--workload", workload)
    stats = hmsim.run("quick", workload).stats
    lines = [line.split() for line in succeed(*run).splitlines()]
    first = next(i for i, line in enumerate(lines) if line[:3] == ["mean", "latency", "(ns)"])
    assert lines[first][3:] == ["DRAM", "read", "flash", "DIMM", "read"]
    table = {" ".join(line[:-2]): line[-2:] for line in lines[first + 2 : first + 11]}
    assert table["bank"] == [number(stats["dram.latency.read.bank_ns.mean"]), "-"]
    assert table["ack wait"] == ["-", number(stats["nvdimm.latency.read.ack_wait_ns.mean"])]
    assert table["sum"] == [
        number(stats["dram.read_latency_ns.mean"]),
        number(stats["nvdimm.line_latency_ns.mean"]),
    ]


def test_a_comparison_has_a_log_for_each_of_its_runs(workload: Path, tmp_path: Path) -> None:
    policies = ("--policy", "split", "--policy", "hms")
    given = ("compare", "--seeds", "1", "quick", "--workload", workload, *policies)
    plain = succeed(*given)
    assert succeed(*given, "--request-log", "--out", tmp_path / "c") == plain
    for policy in ("split", "hms"):
        folder = tmp_path / "c" / "mix" / policy
        log = pd.read_parquet(folder / "requests.parquet")
        alone = tmp_path / policy
        own = ["--workload", workload, "--policy", policy, "--request-log", "--out", alone]
        succeed("run", "quick", *own)
        assert (folder / "requests.parquet").read_bytes() == (
            alone / "requests.parquet"
        ).read_bytes()
        assert len(log) == hmsim.load_results(folder)["sim.requests"].item()


def test_a_request_log_needs_out(workload: Path) -> None:
    outcome = invoke("run", "quick", "--workload", workload, "--request-log")
    assert (outcome.exit_code, "needs --out" in outcome.stderr) == (2, True)


def test_a_full_disk_is_reported_and_leaves_nothing(
    tmp_path: Path, workload: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    run = ("run", "quick", "--workload", workload, "--request-log", "--out", tmp_path / "out")
    outcome = fail(*run)
    assert "request log in " in outcome and "No space left" in outcome
    assert {path.name for path in tmp_path.iterdir()} == {"mix.yaml"}
    monkeypatch.undo()
    succeed(*run)
    assert {path.name for path in tmp_path.iterdir()} == {"mix.yaml", "out"}
