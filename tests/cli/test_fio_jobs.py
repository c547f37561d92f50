# SPDX-License-Identifier: BSD-3-Clause
"""Do fio's job files become the agents that do what they say?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hmsim import InputError
from hmsim.config.configuration import load_config
from hmsim.runs.runner import run
from hmsim.workloads.workload import Workload, load_workload
from messages import naming
from support import REPO, fail, succeed, write


def loaded(folder: Path, text: str) -> Workload:
    workload = load_workload(write(folder / "job.fio", text))
    workload.check(load_config("pcm"))
    return workload


def keys(folder: Path, text: str) -> list[dict[str, str]]:
    return [dict(agent.flat()) for agent in loaded(folder, text).agents]


def test_a_job_is_an_agent_with_its_clones_for_threads(tmp_path: Path) -> None:
    text = """
        ; of two kinds
        [global]
        ioengine=libaio
        size=1m
        [one]
        rw=randrw
        rwmixread=70
        bssplit=4k/60:32k/40
        iodepth=16
        numjobs=2
        random_distribution=zipf:1.2
        fsync=8
        # the next
        [two]
        readwrite=write
        blocksize=64k
        loops=3
    """
    one, two = keys(tmp_path, text)
    assert one == {
        **{"kind": "io_pattern", "size": "4096B/60, 32768B/40", "read_share": "0.7"},
        **{"access": "zipf", "theta": "1.2", "threads": "2", "depth": "16"},
        **{"regions": "per_thread", "flush_every": "8", "offset": "0B", "footprint": "2097152B"},
        **{"requests": "0", "passes": "1", "fua": "false", "stage": "0"},
    }
    assert two == {
        **{"kind": "io_pattern", "size": "65536B/1", "read_share": "0", "access": "sequential"},
        **{"threads": "1", "depth": "1", "regions": "per_thread", "flush_every": "0"},
        **{"offset": "2097152B", "footprint": "1048576B", "requests": "0", "passes": "3"},
        **{"fua": "false", "stage": "0"},
    }


def test_clones_that_share_a_file_read_it_concurrently(tmp_path: Path) -> None:
    text = "[a]\nrw={}\nfilename=/dev/x\nsize=1m\nnumjobs=3\noffset=8k\n{}"
    places = [
        (agent["offset"], agent["threads"]) for agent in keys(tmp_path, text.format("read", ""))
    ]
    assert places == [("8192B", "1")] * 3
    (shared,) = keys(tmp_path, text.format("randread", ""))
    assert (shared["offset"], shared["threads"], shared["regions"]) == ("8192B", "3", "shared")
    apart = keys(tmp_path, text.format("randread", "offset_increment=1m\n"))
    assert [int(agent["offset"][:-1]) for agent in apart] == [8192 + (n << 20) for n in range(3)]


def test_jobs_of_one_file_share_its_place_and_others_follow_it(tmp_path: Path) -> None:
    text = (
        "[global]\nfilename=a\nsize=10000\n[x]\n[y]\noffset=4k\n[z]\nfilename=b\n[w]\nfilename=a\n"
    )
    places = [int(agent["offset"][:-1]) for agent in keys(tmp_path, text)]
    assert places == [0, 4096, 16384, 0]  # a ends at 14,096 bytes: four pages


def test_a_device_without_size_is_taken_whole(tmp_path: Path) -> None:
    (agent,) = keys(tmp_path, "[a]\nrw=randread\nfilename=/dev/x\nnumber_ios=50\nnumjobs=2\n")
    assert (agent["footprint"], agent["requests"]) == ("0B", "100")
    (agent,) = keys(tmp_path, "[a]\nrw=randread\nio_size=1m\n")
    assert (agent["footprint"], agent["bytes"]) == ("0B", "1048576B")


def test_each_direction_has_its_own_sizes(tmp_path: Path) -> None:
    for rw, size in (("read", "8192B/1"), ("write", "16384B/1")):
        assert keys(tmp_path, f"[a]\nsize=1m\nrw={rw}\nbs=8k,16k\n")[0]["size"] == size
    split = "[a]\nsize=1m\nbssplit=4k/50:8k:16k/\n"
    assert keys(tmp_path, split)[0]["size"] == "4096B/100, 8192B/50, 16384B/50"


def test_trims_are_separate_requests_or_precede_writes(tmp_path: Path) -> None:
    text = "[a]\nsize=1m\nrw={}\nbs=4k,8k,{}\nfsync=16\nrate_iops=100,200,300\n"
    for access, rw in (("sequential", ""), ("random", "rand")):
        (agent,) = keys(tmp_path, text.format(f"{rw}trim", "16k"))
        expected = {"read_share": "0", "trim_share": "1", "access": access, "size": "16384B/1"}
        assert agent.items() >= (expected | {"passes": "1", "arrival_rate": "300"}).items()
        same = text.replace("200,300", "200").format(f"{rw}trimwrite", "")
        (agent,) = keys(tmp_path, same.replace("8k,", "8k"))
        expected = {"read_share": "0", "trim_writes": "true", "access": access, "size": "8192B/1"}
        assert agent.items() >= (expected | {"passes": "1", "arrival_rate": "400"}).items()
        assert "trim_share" not in agent
        device = run(load_config("storage/mqsim_ssd"), loaded(tmp_path, same.replace("8k,", "8k")))
        moved = [device.stats[f"storage.device.{kind}"] for kind in ("trims", "writes", "flushes")]
        assert moved == [128, 128, 8]


def test_a_synchronous_engine_has_one_request_in_flight(tmp_path: Path) -> None:
    for engine, depth in (("psync", "1"), ("io_uring", "32"), ("libaio", "32")):
        workload = loaded(tmp_path, f"[a]\nsize=1m\niodepth=32\nioengine={engine}\n")
        assert dict(workload.agents[0].flat())["depth"] == depth
        assert ("no effect" in "".join(workload.notes)) == (depth == "1")


def test_a_sequential_job_writes_its_size(tmp_path: Path) -> None:
    text = "[a]\nsize=1m\nrw=write\nbs=16k\nnumjobs=2\nruntime=60\nramp_time=2\n"
    result = run(load_config("pcm"), loaded(tmp_path, text))
    assert result.stats["agent.0.progress"] == 2 * 256
    assert result.stats["nvdimm.writes"] == 2 * 256 * 64
    path = tmp_path / "job.fio"
    assert "ramp_time of fio" in succeed("run", "pcm", "--workload", path)


WRONG: dict[str, tuple[str, ...]] = {
    "[a]\nsize=1m\nidepth=4\n": (":3: idepth:", "'iodepth'?"),
    "[a]\nsize=1m\nrw=randwrit\n": (":3: rw:", "'randwrit'", "'randwrite'?"),
    "[a]\nsize=1m\nrw=trimwrite\nbs=4k,8k,4k\n": (":4: bs:", "different sizes"),
    "[a]\nsize=1m\nthinktime=5\nrate=1m\n": (":3: thinktime:", "rate"),
    "[a]\nsize=1m\nrate=1\nrate_process=poison\n": (":4: rate_process:", "'poisson'?"),
    "[a]\nsize=1m\nbsrange=512-1m\n": (":3: bsrange:", "1024"),
    "[a]\nsize=1m\nbs=4kib\n": (":3: bs:", "4000", "4096"),
    "[a]\nsize=50%\n": (":2: size:", "'50%'", "percentages"),
    "[a]\nsize=1m\nbs=100\n": (":3: bs:", "100", "512"),
    "[a]\nsize=1m\nbs=4k,8k\nrw=rw\n": (":3: bs:", "different sizes"),
    "[a]\nsize=1m\nbssplit=4k/60:8k/60\n": (":3: bssplit:", "120"),
    "[a]\nsize=1m\nrandom_distribution=zip:1\n": (":3: random_distribution:", "'zipf'?"),
    "[a]\nsize=1m\nrw=rw\nrwmixread=170\n": (":4: rwmixread:", "'170'", "100"),
    "[a]\nrw=read\n": (":1: size:", "runtime"),
    "[a]\nnumber_ios=5\n[b]\nsize=1m\n": (":1: size:", "jobs"),
    "size=1m\n": (":1:", "'size=1m'", "section"),
    "[global]\nsize=1m\n": (": ", "no job"),
    "[a]\nsize=99999999t\n": (":2: size:", "64t"),
    "[a]\nfilename=x\nnumjobs=300\nsize=1m\n": (":3: numjobs:", "256"),
}


# Job files as people write them.
PLAIN = """
[global]
ioengine=io_uring
direct=1
filename=/dev/nvme0n1
size=64m
thread=1
ramp_time=2s
[mixed]
rw=randrw
rwmixread=70
bssplit=4k/60:16k/30:64k/10
iodepth=32
random_distribution=zipf:1.1
norandommap
number_ios=300
fsync=32
[seqw]
rw=write
bs=128k
iodepth=4
io_size=4m
"""
PACED = """
[global]
ioengine=libaio
group_reporting=1
filesize=16m
runtime=30
[fill]
rw=write
bs=1M
iodepth=8
io_size=4m
end_fsync=1
[serve]
stonewall
rw=randread
bsrange=4k-16k
iodepth=32
numjobs=2
io_size=256k
rate_iops=10k
startdelay=100us
[log]
rw=write
sync=dsync
thinktime=10
thinktime_blocks=4
io_size=64k
"""
UNSUPPORTED = PLAIN.replace("norandommap\n", "verify=md5\nrandom_distributoin=zipf\n")


def test_common_jobs_run_or_are_rejected(tmp_path: Path) -> None:
    for text, agents in ((PLAIN, 2), (PACED, 4)):
        workload = loaded(tmp_path, text)
        stats = run(load_config("storage/moneta"), workload).stats
        assert [stats[f"agent.{number}.passes"] for number in range(agents)] == [1] * agents
    with pytest.raises(InputError) as error:
        loaded(tmp_path, UNSUPPORTED)
    first, second = str(error.value).splitlines()
    assert "job.fio:15: verify:" in first
    assert "job.fio:16: random_distributoin:" in second and "'random_distribution'?" in second


def test_all_wrong_values_are_reported_at_once(tmp_path: Path) -> None:
    wrong = [
        *("[global]", "iodepth=zero", "dirct=1", "kb_base=999"),
        *("[a]", "rw=randwrit", "bs=4.5q", "size=10%", "sync=maybe"),
        *("[b]", "rw=randread", "bssplit=4k/60:8k/50", "size=12x", "thinktime=3y", "numjobs=0"),
        *("random_distribution=zipf:abc", "bogus=2", "[c]", "stonewall=x"),
    ]
    right = [number for number, line in enumerate(wrong, 1) if line[0] == "[" or line[-1] == "d"]
    assert right == [1, 5, 10, 11, 18]
    with pytest.raises(InputError) as error:
        loaded(tmp_path, "\n".join(wrong))
    places = [line.split(": ")[:2] for line in str(error.value).splitlines()]
    assert places == [
        [f"{tmp_path / 'job.fio'}:{number}", line.partition("=")[0]]
        for number, line in enumerate(wrong, 1)
        if number not in right
    ]


@pytest.mark.parametrize("text", WRONG)
def test_unsupported_keys_are_reported_with_file_line_and_key(tmp_path: Path, text: str) -> None:
    place, *values = WRONG[text]
    with pytest.raises(InputError, match=naming(f"job.fio{place}", *values)) as error:
        loaded(tmp_path, text)
    assert len(str(error.value).splitlines()) == 1


def test_the_job_of_the_documentation_is_read(tmp_path: Path) -> None:
    page = (REPO / "docs" / "fio.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```ini\n(.*?)```", page, re.DOTALL)
    agents: list[dict[str, Any]] = [{**agent} for agent in keys(tmp_path, text)]
    accesses = [agent["access"] for agent in agents]
    assert accesses == ["sequential", "zipf", "sequential", "random"]
    assert [agent["stage"] for agent in agents] == ["0", "1", "1", "1"]


SIZES = {
    **{"8192": 8192, "8192b": 8192, "8k": 8192, "8K": 8192, "8kB": 8192, "1m": 1 << 20},
    **{"512ki": 512_000, "16Kib": 16_000, "1mi": 10**6, "0x2000": 8192},
}
SIZES_OF_1000 = {"512k": 512_000, "8ki": 8192, "8KiB": 8192, "1mi": 1 << 20, "1m": 10**6}


@pytest.mark.parametrize(
    "base, text, size",
    [
        *((1024, text, size) for text, size in SIZES.items()),
        *((1000, text, size) for text, size in SIZES_OF_1000.items()),
    ],
)
def test_units_follow_kb_base(tmp_path: Path, base: int, text: str, size: int) -> None:
    job = f"[a]\nrw=read\nbs=512\nkb_base={base}\nfilename=x\nfilesize=64m\nio_size={text}\n"
    assert keys(tmp_path, job)[0]["bytes"] == f"{size}B"


def test_filesize_is_the_region_and_size_at_most_that(tmp_path: Path) -> None:
    for text, region, limits in (
        ("filesize=1m\n", 1 << 20, {"passes": "1"}),
        ("filesize=1m\nsize=4m\n", 1 << 20, {"passes": "1"}),
        ("filesize=1m\nsize=4m\nio_size=64k\n", 1 << 20, {"passes": "1", "bytes": "65536B"}),
        ("filesize=1m\nnrfiles=3\n", 3 << 20, {"passes": "1"}),
        ("size=100%\nio_size=64k\n", 0, {"bytes": "65536B"}),
    ):
        (agent,) = keys(tmp_path, f"[a]\nrw=randread\n{text}")
        assert agent["footprint"] == f"{region}B"
        assert {key: agent[key] for key in ("pass", "passes", "bytes") if key in agent} == limits


def test_a_range_of_sizes_has_the_shares_of_fio(tmp_path: Path) -> None:
    """fio rounds 4k + uniform [0, 10k) down to multiples of 4k, and takes 10k for 12k."""
    for text, sizes in (
        ("4k-16k", "4096B/1, 8192B/1, 12288B/1, 16384B/1"),
        ("16k:4k", "4096B/1, 8192B/1, 12288B/1, 16384B/1"),
        ("4k-10k", "4096B/2, 8192B/2, 10240B/1"),
        ("4k-4k,8k-16k", "4096B/1"),
    ):
        assert keys(tmp_path, f"[a]\nsize=1m\nbsrange={text}\n")[0]["size"] == sizes


def test_a_buffered_job_without_a_cache_gives_one_note(tmp_path: Path) -> None:
    for text, notes in (("", 1), ("direct=0\n", 1), ("direct=1\n", 0), ("buffered=0\n", 0)):
        workload = loaded(tmp_path, f"[global]\n{text}size=1m\n[a]\n[b]\n")
        assert sum("storage.cache.first" in note for note in workload.notes) == notes


def test_a_job_file_is_recognised_by_its_content(tmp_path: Path) -> None:
    text = "; of no suffix\n[one]\nrw=read\nsize=1m\n"
    (agent,) = load_workload(write(tmp_path / "job.ini", text)).agents
    assert dict(agent.flat())["kind"] == "io_pattern"


def test_a_job_larger_than_the_device_names_the_size(tmp_path: Path) -> None:
    job = write(tmp_path / "job.fio", "[a]\nnumjobs=2\nsize=200m\nrw=read\n")
    assert "job.fio:3: size: footprint: 400MiB" in fail("run", "quick", "--workload", job)
