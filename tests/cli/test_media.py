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
def test_a_shipped_configuration_runs_under_the_checker(kind: str, ack: str) -> None:
    config = load_config(kind, {"controller.ack": ack, "controller.channels": 2})
    stats = run(config, workload(pattern="random", read_ratio=0.5), check=True).stats
    assert stats["nvdimm.reads"] + stats["nvdimm.writes"] == 4000
    assert stats["nvdimm.media.reads"] + stats["nvdimm.media.queue_reads"] == stats["nvdimm.reads"]
    assert not any(path.startswith(("nvdimm.ftl", "nvdimm.nand")) for path in stats)


def test_media_order_as_their_latencies() -> None:
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


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match=r"nvdimm\.capacity"):
        System("pcm", {"nvdimm.media.banks": 7})
    with pytest.raises(InputError, match=r"nvdimm\.kind"):
        System("mascots16", {"nvdimm.kind": "pmc"})


def test_data_outlive_power_failures_and_checkpoints(tmp_path: Path) -> None:
    system = System("pcm", {"system.store_data": True, "nvdimm.media.start_gap.psi": 2})
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
