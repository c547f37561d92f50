# SPDX-License-Identifier: BSD-3-Clause
"""Is the latency of block I/O what its threads see, on every kind of system?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hmsim
import pandas as pd
import pytest
from hmsim.runs.result import Result

SYSTEMS = ("quick", "pcm", "storage/moneta", "storage/nvme", "storage/raid_disk_moneta")
THREADS = 4
PATTERN = (
    "agents:\n  - {kind: io_pattern, threads: 4, size: 4KiB, read_share: 0.7, footprint: 16MiB, "
    "requests: 400}\n"
)
PARTS = {"mean", "p50", "p95", "p99", "p999", "max", "count"}
# Eight reads of a page, one after the other, then eight writes.
PROGRAM = "thread a\n" + "".join(
    f"{what} {number * 9} 1\ncompute 20000\n" for what in ("read", "write") for number in range(8)
)
JOB = "agents:\n  - {kind: job, cores: 0, path: a.job, format: job, flushers: FLUSHERS}\n"


def run(tmp_path: Path, config: str, text: str, **overrides: Any) -> Result:
    workload = tmp_path / "w.yaml"
    workload.write_text(text, encoding="ascii")
    (tmp_path / "a.job").write_text(PROGRAM, encoding="ascii")
    return hmsim.run(hmsim.load_config(config, overrides, where="test"), workload, request_log=True)


def log_of(result: Result) -> pd.DataFrame:
    log = result.io_requests
    assert log is not None
    return log.assign(latency_us=(log["done_ps"] - log["submitted_ps"]) / 1e6)


@pytest.mark.parametrize("config", SYSTEMS)
def test_a_closed_loop_keeps_littles_law_on_every_system(tmp_path: Path, config: str) -> None:
    result = run(tmp_path, config, PATTERN)
    stats, log = result.stats, log_of(result)
    total = 0.0
    for direction in ("read", "write"):
        path = f"agent.0.request_latency_us.{direction}"
        assert {name.rpartition(".")[2] for name in stats if name.startswith(path)} == PARTS
        logged = log[log["kind"] == direction]["latency_us"]
        assert stats[f"{path}.count"] == len(logged)
        assert stats[f"{path}.mean"] == pytest.approx(logged.mean())
        assert stats[f"{path}.max"] == pytest.approx(logged.max())
        assert stats[f"{path}.p95"] == pytest.approx(logged.quantile(0.95), rel=0.07)
        total += stats[f"{path}.count"] * stats[f"{path}.mean"]
    # A thread always has a request in progress, so latencies fill its time, except the last one.
    time_us = stats["sim.ticks"] / 1e6
    assert THREADS * time_us - THREADS * log["latency_us"].max() <= total <= THREADS * time_us


@pytest.mark.parametrize("config", ["storage/moneta", "storage/nvme"])
def test_a_thread_sees_the_latency_that_the_storage_reports(tmp_path: Path, config: str) -> None:
    stats = run(tmp_path, config, PATTERN).stats
    for direction in ("read", "write"):
        for part in ("mean", "p50", "p99", "max"):
            seen = stats[f"agent.0.request_latency_us.{direction}.{part}"]
            assert seen == pytest.approx(stats[f"storage.{direction}_latency_us.{part}"])


def test_software_time_counts_for_requests_but_not_for_lines(tmp_path: Path) -> None:
    slow = run(tmp_path, "pcm", PATTERN, **{"frontend.block.request_time": "50us"}).stats
    fast = run(tmp_path, "pcm", PATTERN, **{"frontend.block.request_time": "0us"}).stats
    path = "agent.0.request_latency_us.read.p50"
    assert slow[path] - fast[path] == pytest.approx(50, abs=2)
    assert slow["nvdimm.response_time_us.p50"] < 2


@pytest.mark.parametrize("flushers", [0, 1])
@pytest.mark.parametrize(
    ("config", "engine"), [("quick", "core"), ("quick", "dma"), ("storage/nvme", "dma")]
)
def test_a_job_notes_each_transfer_once(
    tmp_path: Path, config: str, engine: str, flushers: int
) -> None:
    text = JOB.replace("FLUSHERS", str(flushers))
    result = run(tmp_path, config, text, **{"frontend.node.engine": engine})
    log = log_of(result)
    own = log[log["submitted_ps"] < result.stats["agent.0.makespan_us"] * 1e6]
    reads, writes = own[own["kind"] == "read"], own[own["kind"] == "write"]
    assert list(reads["offset"]) == [number * 9 * 4096 for number in range(8)]
    assert set(reads["bytes"]) == {4096}
    assert (reads["latency_us"] > 0).all() and (writes["latency_us"] > 0).all()
    assert list(writes["offset"])[: 8 if not flushers else 1] == [
        number * 9 * 4096 for number in range(8 if not flushers else 1)
    ]
    if engine == "dma":
        asleep = result.stats["agent.0.time.reading"] / 1e6
        assert reads["latency_us"].sum() == pytest.approx(asleep)


def test_io_requests_are_saved(tmp_path: Path) -> None:
    result = run(tmp_path, "pcm", PATTERN)
    result.save(tmp_path / "out")
    saved = pd.read_parquet(tmp_path / "out" / "io_requests.parquet")
    assert len(saved) >= 400
    assert list(saved) == ["agent", "thread", "kind", "offset", "bytes", "submitted_ps", "done_ps"]


def test_compare_shows_the_same_latency_rows_for_nvdimm_and_storage(tmp_path: Path) -> None:
    workload = tmp_path / "w.yaml"
    workload.write_text(PATTERN, encoding="ascii")
    table = hmsim.compare(["pcm", "storage/nvme"], [], [workload])
    rows = [name for name in table.columns if "request_latency_us" in name]
    assert rows == [
        f"agent.0.request_latency_us.{direction}.{part}"
        for direction in ("read", "write")
        for part in ("mean", "p99")
    ]
    assert table[rows].notna().all(axis=None)
    assert 2 < table[rows[0]][1] / table[rows[0]][0] < 4


@pytest.mark.parametrize("machine", ["core", "dma"])
def test_a_captured_job_logs_its_block_requests_under_each_engine(machine: str) -> None:
    config = hmsim.load_config("mascots16", {"frontend.node.engine": machine}, where="test")
    result = hmsim.run(config, "mix:dfsioe_r+mcf", request_log=True)
    reads = log_of(result).query("kind == 'read'")
    stats = result.stats
    assert stats["agent.1.request_latency_us.read.count"] > 30
    assert (reads["submitted_ps"] < reads["done_ps"]).all()
    assert (reads["bytes"] % 4096 == 0).all()
    # Each line read belongs to a logged request, except at both ends of the window.
    assert reads["bytes"].sum() / 64 == pytest.approx(stats["nvdimm.reads"], rel=0.05)
