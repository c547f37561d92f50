# SPDX-License-Identifier: BSD-3-Clause
"""Do several NVDIMMs on a channel work at once, and are they distinguished?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hmsim import load_config, run

KEYS = {"nvdimm.precondition.fill": 0.9, "nvdimm.capacity": "4GiB"}
SUMMED = ("nand.reads", "nand.programs", "buffer.evictions", "ftl.host_pages", "gc.count")


def stats(folder: Path, agents: list[dict[str, Any]], **keys: Any) -> dict[str, Any]:
    path = folder / "w.yaml"
    path.write_text(yaml.safe_dump({"agents": agents}))
    return dict(run(load_config("mascots16", {**KEYS, **keys}), path, check=True).stats)


def readers(count: int, outstanding: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "kind": "synthetic",
            "target": "nvdimm",
            "pattern": "random",
            "read_ratio": 1,
            "outstanding": outstanding,
            "requests": 6000 // count,
            "footprint": "256MiB",
            "offset": f"{256 * number}MiB",
            "core": number,
            **more,
        }
        for number in range(count)
    ]


def test_a_second_nvdimm_doubles_the_rate_of_flash(tmp_path: Path) -> None:
    keys = {
        "controller.queue_depth": 1024,
        "controller.outstanding": "queue",
        "nvdimm.buffer.read_size": "4MiB",
    }
    one = stats(tmp_path, readers(8, 128), **keys)
    two = stats(tmp_path, readers(8, 128), **keys, **{"nvdimm.count": 2})
    assert one["nvdimm.nand.lun_utilisation"] > 0.95
    assert one["sim.ticks"] / two["sim.ticks"] == pytest.approx(2, rel=0.05)
    # With one page at a time, only one NVDIMM works, however many there are.
    alone = stats(tmp_path, readers(1, 1), **keys)
    beside = stats(tmp_path, readers(1, 1), **keys, **{"nvdimm.count": 2})
    assert alone["sim.ticks"] / beside["sim.ticks"] == pytest.approx(1, rel=0.03)


def test_statistics_are_of_each_and_of_all(tmp_path: Path) -> None:
    keys = {
        "nvdimm.count": 3,
        "nvdimm.capacity": "64MiB",
        "nvdimm.ftl.over_provisioning": 60,
        "nvdimm.buffer.write_size": "1MiB",
        "nvdimm.precondition.overwrite": 2,
    }
    found = stats(tmp_path, readers(4, 8, read_ratio=0.3, footprint="32MiB", offset="0B"), **keys)
    for name in SUMMED:
        assert found[f"nvdimm.{name}"] == sum(
            found[f"nvdimm.device{number}.{name}"] for number in range(3)
        )
    assert found["nvdimm.gc.count"] > 0
    one = stats(tmp_path, readers(1, 8))
    assert not [name for name in one if name.startswith("nvdimm.device0")]


def test_flash_and_pcm_share_a_channel(tmp_path: Path) -> None:
    keys = {
        "nvdimm.count": 2,
        "nvdimm.interleave": "device",
        "nvdimm.devices": "1: kind=pcm, capacity=4GiB",
    }
    flash = stats(tmp_path, readers(1, 4), **keys)
    first = load_config("mascots16", {**KEYS}).capacities()["nvdimm"]
    pcm = stats(tmp_path, readers(1, 4, offset=f"{first}B"), **keys)
    assert flash["nvdimm.nand.reads"] > 0 == flash["nvdimm.media.reads"]
    assert pcm["nvdimm.media.reads"] == pcm["nvdimm.device1.media.reads"] == 6000
    assert pcm["nvdimm.nand.reads"] == 0
    assert pcm["sim.ticks"] < flash["sim.ticks"] / 100
