# SPDX-License-Identifier: BSD-3-Clause
"""Do the requests of fio's jobs have the times that their keys say, by numbers on paper?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pandas as pd
from support import fio_agents, write

US = 10**6  # picoseconds


def table(folder: Path, text: str) -> pd.DataFrame:
    """Return the block requests of a job on a device that is fast and empty."""
    path = write(folder / "job.fio", "[global]\ndirect=1\nioengine=libaio\nfilename=x\n" + text)
    log = hmsim.run("pcm", path, request_log=True).io_requests
    assert log is not None
    return log.sort_values(["agent", "submitted_ps"], kind="stable")


def submitted(log: pd.DataFrame, agent: int = 0) -> list[int]:
    return [int(time) for time in log[log["agent"] == agent]["submitted_ps"]]


def test_rate_iops_is_the_distance_of_arrivals(tmp_path: Path) -> None:
    log = table(tmp_path, "[a]\nsize=64k\nrate_iops=2000\n")
    assert submitted(log) == [500 * US * k for k in range(16)]


def test_rate_is_bytes_per_second(tmp_path: Path) -> None:
    """8 KiB at 16 MiB/s: a request each 1/2048 s."""
    log = table(tmp_path, "[a]\nrw=write\nsize=64k\nbs=8k\nrate=1m,16m\n")
    assert submitted(log) == [10**12 * k // 2048 for k in range(8)]


def test_the_smallest_size_is_the_measure_of_rate_iops(tmp_path: Path) -> None:
    """Sizes 4k to 12k, mean 8k: 1000 x 4k bytes per second are 500 requests."""
    for sizes, rate in (("bsrange=4k-12k", "500"), ("bssplit=4k/50:12k/50", "1000")):
        (agent,), _ = fio_agents(tmp_path, f"[a]\nsize=64k\n{sizes}\nrate_iops=1000\n")
        assert agent["arrival_rate"] == rate


def test_rates_of_a_mixed_job_set_its_share_of_reads(tmp_path: Path) -> None:
    text = "[a]\nsize=64k\nrw=randrw\nrate_iops=300,100\n"
    (agent,), notes = fio_agents(tmp_path, text)
    assert (
        agent.items() >= {"arrival_rate": "400", "read_share": "0.75", "arrivals": "fixed"}.items()
    )
    assert any("75%" in note for note in notes)


def test_poisson_arrivals_have_the_mean_of_the_rate(tmp_path: Path) -> None:
    job = "[a]\nrw=randread\nsize=16m\nrate_iops=20000\nrate_process=poisson\n"
    gaps = pd.Series(submitted(table(tmp_path, job))).diff().dropna() / (50 * US)
    count = 4095
    assert len(gaps) == count
    assert abs(gaps.mean() - 1) < 5 / count**0.5
    assert abs(gaps.var() - 1) < 5 * (8 / count) ** 0.5


def test_thinktime_is_the_gap_after_a_completion(tmp_path: Path) -> None:
    log = table(tmp_path, "[a]\nsize=32k\nthinktime=70\nthinktime_blocks=2\niodepth=1\n")
    gaps = log["submitted_ps"].iloc[1:].to_numpy() - log["done_ps"].iloc[:-1].to_numpy()
    assert list(gaps) == [0, 70 * US] * 3 + [0]


def test_startdelay_is_the_first_submission(tmp_path: Path) -> None:
    log = table(tmp_path, "[a]\nsize=4k\n[b]\nsize=4k\nstartdelay=3ms\n")
    assert (submitted(log, 0), submitted(log, 1)) == ([0], [3000 * US])


def test_a_job_after_a_stonewall_begins_when_the_others_have_ended(tmp_path: Path) -> None:
    text = "[a]\nsize=64k\n[b]\nsize=256k\n[c]\nstonewall\nsize=8k\n[d]\nsize=8k\n"
    log = table(tmp_path, text + "[e]\nwait_for_previous\nsize=4k\n")
    ends = log.groupby("agent")["done_ps"].max()
    begins = log.groupby("agent")["submitted_ps"].min()
    assert begins[0] == begins[1] == 0
    assert begins[2] == begins[3] == max(ends[0], ends[1]) + 1
    assert begins[4] == max(ends[2], ends[3]) + 1
    assert list(log.groupby("agent").size()) == [16, 64, 2, 2, 1]


def test_fsync_and_sync_flush(tmp_path: Path) -> None:
    log = table(tmp_path, "[a]\nrw=write\nsize=64k\nfsync=4\n")
    assert list(log["kind"]).count("flush") == 4
    assert list(log["kind"]).count("write") == 16
    for text, flushes in (("sync=1\n", 16), ("sync=none\n", 0)):
        path = write(tmp_path / "job.fio", f"[a]\nrw=write\nsize=64k\n{text}")
        assert hmsim.run("storage/nvme", path).stats.get("storage.flushes", 0) == flushes


def test_a_job_of_time_repeats_until_its_runtime(tmp_path: Path) -> None:
    """The region has 4 blocks; without a size, it is the device."""
    for size in ("size=16k\n", ""):
        path = write(
            tmp_path / "job.fio",
            "[a]\nrw=randread\nfilename=/dev/x\nstartdelay=300us\nruntime=2ms\ntime_based\n" + size,
        )
        result = hmsim.run("pcm", path)
        assert result.stats["sim.ticks"] == 2300 * US
        assert result.unfinished == ()
        assert result.stats["agent.0.progress"] > 100


def test_a_job_after_a_stonewall_follows_the_runtime(tmp_path: Path) -> None:
    text = "[a]\nsize=64k\nruntime=1ms\ntime_based\niodepth=2\n[b]\nstonewall\nsize=8k\n"
    log = table(tmp_path, text)
    begins = log.groupby("agent")["submitted_ps"].min()
    ends = log.groupby("agent")["done_ps"].max()
    assert begins[1] == ends[0] + 1
    assert 1000 * US <= ends[0] < 1100 * US


def test_time_without_a_runtime_is_ignored_with_a_note(tmp_path: Path) -> None:
    (agent,), notes = fio_agents(tmp_path, "[a]\nsize=1m\ntime_based\n")
    assert agent["passes"] == "1"
    assert any("time_based" in note for note in notes)


def test_steadystate_ends_a_job_and_the_next_stage_begins(tmp_path: Path) -> None:
    text = "[a]\nrw=randread\nsize=3g\niodepth=8\nss=iops:10%\n[b]\nstonewall\nsize=8k\n"
    log = table(tmp_path, text)
    assert len(submitted(log, 1)) == 2
    last = submitted(log, 0)[-1]
    assert 20 * 100 * US <= last < submitted(log, 1)[0]  # 20 rounds of 100 us
