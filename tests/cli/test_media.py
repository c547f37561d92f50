# SPDX-License-Identifier: BSD-3-Clause
"""Do PCM and STT-RAM work with the same controller?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hmsim import InputError, System, load_config, run
from hmsim.comparisons.comparison import compare
from hmsim.config.settings import from_mapping
from hmsim.workloads.workload import Agent, Workload


def workload(**keys: Any) -> Workload:
    values = {"kind": "synthetic", "target": "nvdimm", "requests": 4000, "outstanding": 16, **keys}
    return Workload("random", (Agent(tuple(from_mapping(values, "test")), "test", None),))


@pytest.mark.parametrize("kind", ["pcm", "sttram"])
@pytest.mark.parametrize("ack", ["grant", "auto", "nvdimm_p"])
@pytest.mark.parametrize("line", ["64B", "256B"])
def test_a_shipped_configuration_runs_under_the_checker(kind: str, ack: str, line: str) -> None:
    keys = {"nvdimm.media.line": line, "nvdimm.media.interleave": line}
    config = load_config(kind, {"controller.ack": ack, "controller.channels": 2, **keys})
    load = workload(pattern="random", read_ratio=0.5, footprint="64KiB")
    stats = run(config, load, check=True).stats
    assert stats["nvdimm.reads"] + stats["nvdimm.writes"] == 4000
    ways = ("reads", "queue_reads", "buffer_reads", "joined_reads")
    served = [stats.get(f"nvdimm.media.{way}", 0) for way in ways]
    assert sum(served) == stats["nvdimm.reads"]
    assert all(served[:2]) and all(served[2:]) == (line == "256B")
    assert not any(path.startswith(("nvdimm.ftl", "nvdimm.nand")) for path in stats)


def test_media_are_ordered_by_their_latencies() -> None:
    reads = workload(pattern="random", read_ratio=1)
    means = [run(kind, reads).stats["nvdimm.line_latency_ns.mean"] for kind in ("sttram", "pcm")]
    assert means[0] < means[1]


def test_policies_compare_on_pcm() -> None:
    table = compare("pcm", ["unified_fr_fcfs", "split"], [workload(pattern="random")])
    assert len(table) > 0


def test_given_times_outlive_the_kind() -> None:
    for overrides in (
        {"nvdimm.kind": "sttram", "nvdimm.media.read_time": "1us"},
        {"nvdimm.media.read_time": "1us", "nvdimm.kind": "sttram"},
    ):
        values = load_config("mascots16", overrides).resolved()
        assert values["nvdimm.media.read_time"] == "1us"
        assert values["nvdimm.media.write_time"] == "95ns"


def test_inconsistent_values_are_rejected() -> None:
    with pytest.raises(InputError, match=r"nvdimm\.capacity"):
        System("pcm", {"nvdimm.media.banks": 7})
    with pytest.raises(InputError, match=r"nvdimm\.kind"):
        System("mascots16", {"nvdimm.kind": "pmc"})


@pytest.mark.parametrize("line", ["64B", "512B"])
def test_data_outlive_power_failures_and_checkpoints(tmp_path: Path, line: str) -> None:
    keys = {"nvdimm.media.line": line, "nvdimm.media.interleave": line}
    keys |= {"system.store_data": True, "nvdimm.media.start_gap.psi": 2}
    system = System("pcm", keys)
    nvdimm = 2 * 1024**3
    for number in range(200):
        data = number.to_bytes(64, "little")
        while system.enqueue(nvdimm + number % 50 * 64, write=True, data=data) is None:
            system.advance(system.now + 10**6)
    system.advance(system.now + 10**8)
    system.save(tmp_path / "saved")
    loaded = System.load(tmp_path / "saved")
    for later in (system, loaded):
        later.power_fail()
        later.power_on()
        for number in range(150, 200):
            at = nvdimm + number % 50 * 64
            assert later.peek(at) == number.to_bytes(64, "little")
