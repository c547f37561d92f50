# SPDX-License-Identifier: BSD-3-Clause
"""Do fio's jobs visit the places that fio visits, by an oracle of its rules?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import hmsim
import pytest
from fio_places import Places, draw, passes, places_of, simulated
from hmsim import InputError
from messages import naming
from support import fio_agents, write

KIB = 1024


@pytest.mark.parametrize("seed", range(24))
def test_a_pass_visits_the_places_of_fio(tmp_path: Path, seed: int) -> None:
    job = draw(seed)
    clones = simulated(job, tmp_path / "job.fio")
    if len(clones) == job.clones:
        for clone in clones:
            passes(job, clone)  # asserts the rules
    elif job.map and not job.io_size:  # clones share a file
        visits = sum((places_of(job, each) for each in clones), Counter[int]())
        assert set(visits.values()) == {job.clones * job.loops}


def fill(**keys: object) -> Places:
    """Return the job of a fill of 64 MiB, with other values."""
    plain = {
        **{"rw": "randwrite", "sizes": ("bs", "64k"), "least": 64 * KIB, "most": 64 * KIB},
        **{"size": 64 << 20, "io_size": 0, "loops": 1, "clones": 1, "map": True, "shared": False},
    }
    return Places(**{**plain, **keys})  # type: ignore[arg-type]


def test_a_fill_writes_each_block_once(tmp_path: Path) -> None:
    (requests,) = simulated(fill(), tmp_path / "job.fio")
    assert sorted(place for place, *_ in requests) == [64 * KIB * block for block in range(1024)]


def test_passes_of_loops_have_one_order(tmp_path: Path) -> None:
    for more, same in (("loops=3\n", True), ("loops=3\nrandrepeat=0\n", False)):
        (agent,), _ = fio_agents(tmp_path, f"[a]\nrw=randwrite\nsize=1m\n{more}")
        assert agent["random_map"] == ("repeat" if same else "shuffle")
    job = fill(loops=3, size=4 << 20)
    first, second, third = passes(job, simulated(job, tmp_path / "job.fio")[0])
    assert first == second == third


def test_without_a_map_places_repeat(tmp_path: Path) -> None:
    (requests,) = simulated(fill(map=False), tmp_path / "job.fio")
    share = len(set(requests)) / 1024
    assert len(requests) == 1024
    assert abs(share - 0.632) < 0.05  # 1 - 1/e


def test_a_map_of_several_sizes_has_a_limit(tmp_path: Path) -> None:
    text = "[a]\nrw=randread\nsize=8t\nbsrange=4k-8k\nnumber_ios=5\n"
    with pytest.raises(InputError, match=naming(":4: bsrange:", "2147483648", "1073741824")):
        fio_agents(tmp_path, text)
    for more, noted in (("norandommap\n", False), ("softrandommap=1\n", True)):
        (agent,), notes = fio_agents(tmp_path, text + more)
        assert "random_map" not in agent
        assert any("random map" in note for note in notes) == noted


def test_blockalign_applies_to_random_places_and_ends_the_map(tmp_path: Path) -> None:
    for text, align, mapped in (
        ("rw=randread\nba=4k\n", None, True),
        ("rw=randread\nblockalign=16k\n", "16384B", False),
        ("rw=read\nblockalign=16k\n", None, False),
    ):
        (agent,), _ = fio_agents(tmp_path, f"[a]\nsize=1m\n{text}")
        assert (agent.get("align"), "random_map" in agent) == (align, mapped)


# Requests, bytes and different places that fio 3.33 logs with ioengine=null and iodepth=2.
FACTS = {
    "rw=randwrite size=1m loops=2": (512, 2097152, 256),
    "rw=randread size=1m io_size=2500k": (625, 2560000, 256),
    "rw=randread size=1m io_size=2049k": (512, 2097152, 256),
    "rw=randread size=1m io_size=64k loops=2": (32, 131072, 32),
    "rw=randread size=1m number_ios=10 loops=3": (30, 122880, 30),
    "rw=randread filesize=1m size=4m": (256, 1048576, 256),
    "rw=randread filesize=4m size=1m loops=2": (512, 2097152, 256),
    "rw=randwrite size=1m io_size=3m loops=4": (1024, 4194304, 256),
    "rw=read size=1000k bs=64k": (15, 983040, 15),
    "rw=randread size=1000k bs=64k": (15, 983040, 15),
    "rw=randread size=1m blockalign=16k": (256, 1048576, 64),
    "rw=write size=1m io_size=10k": (3, 12288, 3),
}


@pytest.mark.parametrize("text", FACTS)
def test_jobs_match_the_logs_of_fio(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "job.fio", "[job]\n" + text.replace(" ", "\n"))
    log = hmsim.run("storage/moneta", path, request_log=True).io_requests
    assert log is not None
    assert (len(log), log["bytes"].sum()) == FACTS[text][:2]
    places = len(set(log["offset"]))
    assert places == FACTS[text][2] or ("blockalign" in text and 55 < places <= 64)
