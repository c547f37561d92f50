# SPDX-License-Identifier: BSD-3-Clause
"""Do fio's job files become the agents that do what they say?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hmsim import InputError
from hmsim.config.configuration import load_config
from hmsim.running.runner import run
from hmsim.running.workload import Workload, load_workload
from messages import naming
from support import REPO, invoke, succeed, write


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
    count = (1 << 20) * 100 // (4096 * 60 + 32768 * 40)
    assert one == {
        **{"kind": "io_pattern", "size": "4096B/60, 32768B/40", "read_share": "0.7"},
        **{"access": "zipf", "theta": "1.2", "threads": "2", "depth": "16"},
        **{"regions": "per_thread", "flush_every": "8", "offset": "0B", "footprint": "2097152B"},
        "requests": str(2 * (count + int(count * 0.3) // 8)),
    }
    assert two == {
        **{"kind": "io_pattern", "size": "65536B/1", "read_share": "0", "access": "sequential"},
        **{"threads": "1", "depth": "1", "regions": "per_thread", "flush_every": "0"},
        **{"offset": "2097152B", "footprint": "1048576B", "requests": "48"},
    }


def test_clones_that_share_a_file_go_through_it_side_by_side(tmp_path: Path) -> None:
    text = "[a]\nrw={}\nfilename=/dev/x\nsize=1m\nnumjobs=3\noffset=8k\n{}"
    places = [
        (agent["offset"], agent["threads"]) for agent in keys(tmp_path, text.format("read", ""))
    ]
    assert places == [("8192B", "1")] * 3
    (shared,) = keys(tmp_path, text.format("randread", ""))
    assert (shared["offset"], shared["threads"], shared["regions"]) == ("8192B", "3", "shared")
    apart = keys(tmp_path, text.format("randread", "offset_increment=1m\n"))
    assert [int(agent["offset"][:-1]) for agent in apart] == [8192 + (n << 20) for n in range(3)]


def test_jobs_of_one_file_share_its_place_and_others_lie_behind_it(tmp_path: Path) -> None:
    text = (
        "[global]\nfilename=a\nsize=10000\n[x]\n[y]\noffset=4k\n[z]\nfilename=b\n[w]\nfilename=a\n"
    )
    places = [int(agent["offset"][:-1]) for agent in keys(tmp_path, text)]
    assert places == [0, 4096, 16384, 0]  # a ends at 14,096 bytes: four pages


def test_a_device_without_size_is_taken_whole(tmp_path: Path) -> None:
    (agent,) = keys(tmp_path, "[a]\nrw=randread\nfilename=/dev/x\nnumber_ios=50\nnumjobs=2\n")
    assert (agent["footprint"], agent["requests"]) == ("0B", "100")
    (agent,) = keys(tmp_path, "[a]\nrw=randread\nio_size=1m\n")
    assert (agent["footprint"], agent["requests"]) == ("0B", "256")


def test_sizes_of_a_direction_are_its_own(tmp_path: Path) -> None:
    for rw, size in (("read", "8192B/1"), ("write", "16384B/1")):
        assert keys(tmp_path, f"[a]\nsize=1m\nrw={rw}\nbs=8k,16k\n")[0]["size"] == size
    split = "[a]\nsize=1m\nbssplit=4k/50:8k:16k/\n"
    assert keys(tmp_path, split)[0]["size"] == "4096B/100, 8192B/50, 16384B/50"


def test_an_engine_that_waits_has_one_request_under_way(tmp_path: Path) -> None:
    for engine, depth in (("psync", "1"), ("io_uring", "32"), ("libaio", "32")):
        workload = loaded(tmp_path, f"[a]\nsize=1m\niodepth=32\nioengine={engine}\n")
        assert dict(workload.agents[0].flat())["depth"] == depth
        assert ("no effect" in "".join(workload.notes)) == (depth == "1")


def test_what_a_sequential_job_writes_is_its_size(tmp_path: Path) -> None:
    text = "[a]\nsize=1m\nrw=write\nbs=16k\nnumjobs=2\nruntime=60\n"
    result = run(load_config("pcm"), loaded(tmp_path, text))
    assert result.stats["agent.0.progress"] == 2 * 256
    assert result.stats["nvdimm.writes"] == 2 * 256 * 64
    path = tmp_path / "job.fio"
    assert "runtime of fio" in succeed("run", "pcm", "--workload", path)


WRONG: dict[str, tuple[str, ...]] = {
    "[a]\nsize=1m\nidepth=4\n": (":3: idepth:", "'iodepth'?"),
    "[a]\nsize=1m\nrw=randwrit\n": (":3: rw:", "'randwrit'", "'randwrite'?"),
    "[a]\nsize=1m\nrw=trim\n": (":3: rw:", "'trim'"),
    "[a]\nsize=1m\nthinktime=5\n": (":3: thinktime:",),
    "[a]\nsize=50%\n": (":2: size:", "'50%'"),
    "[a]\nsize=1m\nbs=100\n": (":3: bs:", "100", "512"),
    "[a]\nsize=1m\nbs=4k,8k\nrw=rw\n": (":3: bs:", "different sizes"),
    "[a]\nsize=1m\nbssplit=4k/60:8k/60\n": (":3: bssplit:", "120"),
    "[a]\nsize=1m\nbssplit=4k/x\n": (":3: bssplit:", "'x'"),
    "[a]\nsize=1m\nrandom_distribution=zip:1\n": (":3: random_distribution:", "'zipf'?"),
    "[a]\nsize=1m\nrw=randread\nrandom_distribution=zipf:x\n": (":1: theta:",),
    "[a]\nsize=1m\nrw=rw\nrwmixread=170\n": (":4: rwmixread:", "'170'", "100"),
    "[a]\nsize=1m\nnumjobs=99999999999\n": (":3: numjobs:", "'99999999999'"),
    "[a]\nsize=1k\n": (":2: size:", "a request"),
    "[a]\nrw=read\n": (":1: size:",),
    "[a]\nnumber_ios=5\n[b]\nsize=1m\n": (":1: size:", "jobs"),
    "size=1m\n": (":1:", "'size=1m'", "section"),
    "[global]\nsize=1m\n": (": ", "no job"),
    "[a]\nsize=99999999t\n": (":2: size:", "64t"),
    "[a]\nfilename=x\nnumjobs=300\nsize=1m\n": (":3: numjobs:", "256"),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_not_followed_names_file_line_and_key(tmp_path: Path, text: str) -> None:
    place, *values = WRONG[text]
    with pytest.raises(InputError, match=naming(f"job.fio{place}", *values)) as error:
        loaded(tmp_path, text)
    assert len(str(error.value).splitlines()) == 1


def test_the_job_of_the_documentation_is_read(tmp_path: Path) -> None:
    page = (REPO / "docs" / "workloads.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```ini\n(.*?)```", page, re.DOTALL)
    agents: list[dict[str, Any]] = [{**agent} for agent in keys(tmp_path, text)]
    assert [agent["access"] for agent in agents] == ["zipf", "sequential"]


def test_a_job_file_is_known_by_what_it_holds(tmp_path: Path) -> None:
    text = "; of no suffix\n[one]\nrw=read\nsize=1m\n"
    (agent,) = load_workload(write(tmp_path / "job.ini", text)).agents
    assert dict(agent.flat())["kind"] == "io_pattern"


def test_what_a_device_cannot_hold_names_the_size(tmp_path: Path) -> None:
    job = write(tmp_path / "job.fio", "[a]\nnumjobs=2\nsize=200m\nrw=read\n")
    done = invoke("run", "quick", "--workload", job)
    assert done.exit_code == 2
    assert "job.fio:3: size: footprint: 400MiB" in done.stderr
