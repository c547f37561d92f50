# SPDX-License-Identifier: BSD-3-Clause
"""Do flushes of the NVDIMM count, wait, and say when they make no sense?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hmsim import InputError, System, load_config, run
from support import write

NVDIMM = 2 * 1024**3
CYCLE = 1_250  # picoseconds


@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize("ack", ["grant", "auto", "nvdimm_p"])
def test_a_flush_is_a_request(channels: int, ack: str) -> None:
    system = System(
        "mascots16",
        {"controller.channels": channels, "controller.ack": ack, "dram.refresh": False},
        check=True,
    )
    assert system.flush() == 0
    system.advance("1us")
    (done,) = system.completions()
    assert (done.id, done.finish - done.arrival) == (0, 43 * CYCLE)
    assert system.enqueue(channels * NVDIMM) == 1
    assert system.flush(source=3) == 2
    system.advance("1ms")
    read, flush = system.completions()
    assert flush.finish == read.finish + 43 * CYCLE
    assert system.stats["nvdimm.flushes"] == 2
    assert system.stats["nvdimm.flush_latency_ns"]["count"] == 2
    assert system.stats["nvdimm.reads"] == 1


# HBF: 4 banks of 64 blocks of 16 pages, half of them for the host's FTL.
HBF = {"hbf.banks": 4, "nvdimm.capacity": "16MiB", "nvdimm.nand.pages_per_block": 16}
FTL = {**HBF, "hbf.ftl": "host", "nvdimm.ftl.over_provisioning": 100}
FULL: dict[str, tuple[str, dict[str, Any]]] = {
    "bus": ("mascots16", {}),
    "private bus": ("mascots16", {"controller.queues": "split", "controller.bus": "private"}),
    "pcm": ("pcm", {}),
    "two NVDIMMs": ("mascots16", {"nvdimm.count": 2}),
    "host queue": ("mascots16", {"host.queue": "shared", "host.entries": 8}),
    "cxl": ("ddr5_cxl_flash", {}),
    "hbf, raw": ("hbm3_hbf", HBF),
    "hbf, host": ("hbm3_hbf", FTL),
    "hbf, host queue": ("hbm3_hbf", {**HBF, "host.queue": "shared", "host.entries": 8}),
}


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("channel", [0, 1])
@pytest.mark.parametrize("attachment", FULL)
def test_a_flush_is_refused_exactly_if_a_request_would_be(
    attachment: str, channel: int, write: bool
) -> None:
    name, keys = FULL[attachment]
    config = load_config(name, {**keys, "controller.channels": 2})
    nvdimm = config.capacities()["dram"]

    def filled(most: int) -> tuple[System, int]:
        system = System(config)
        taken = 0
        while taken < most:
            address = nvdimm + 4096 * (2 * taken + channel)  # pages go to channels in turn
            if system.enqueue(address, write=write) is None:
                break
            taken += 1
        return system, taken

    full, entries = filled(100_000)
    assert 8 <= entries < 100_000
    assert full.flush() is None
    full.advance("50ms")
    assert full.flush() == entries
    almost, _ = filled(entries - 1)
    assert almost.flush() == entries - 1


def test_invalid_flushes_are_rejected() -> None:
    with pytest.raises(InputError, match="no NVDIMM"):
        System("mascots16", {"nvdimm.present": False}).flush()
    system = System("mascots16", {"system.store_data": True})
    with pytest.raises(InputError, match="source"):
        system.flush(source=-1)
    system.power_fail()
    with pytest.raises(InputError, match="power is off"):
        system.flush()


@pytest.mark.parametrize("flush", ["none", "writeback"])
def test_syncs_of_a_trace_are_flushes(tmp_path: Path, flush: str) -> None:
    lines = "".join(f"/a write {4096 * page} 4096\n/a sync 0 0\n" for page in range(8))
    write(tmp_path / "log", "fio version 2 iolog\n/a add\n" + lines)
    workload = write(
        tmp_path / "syncs.yaml",
        "agents:\n  - {kind: block_trace, path: log, format: fio, threads: 1}\n",
    )
    config = load_config("mascots16", {"nvdimm.buffer.flush": flush})
    stats = run(config, workload, check=True).stats
    assert stats["nvdimm.flushes"] == 8
    assert stats["nvdimm.writes"] == 8 * 64
    # Each flush writes back the page written before it.
    written_back = 8 if flush == "writeback" else 0
    assert stats["nvdimm.buffer.flushed_pages"] == written_back
    assert stats["nvdimm.nand.programs"] == written_back
