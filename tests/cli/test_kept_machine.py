# SPDX-License-Identifier: BSD-3-Clause
"""Does mascots16_2026_11 keep its results when a default of mascots16 follows another reading?"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hmsim import load_config, run
from hmsim.config import settings
from support import REPO, write

KEPT = "mascots16_2026_11"
FILE = REPO / "configs" / f"{KEPT}.yaml"
# Each key that the base may change, with another value.
OTHERS = {
    "controller.channels": "4",
    "controller.structure": "two_level",
    "controller.command_queue_depth": "16",
    "controller.nvdimm_command_queue_depth": "64",
    "controller.contest": "legal",
    "controller.ack": "auto",
    "controller.outstanding": "32",
    "dram.precharge_delay": "paper",
    "nvdimm.capacity": "8GiB",
    "nvdimm.buffer.read_size": "100MiB",
    "nvdimm.buffer.write_size": "100MiB",
    "nvdimm.buffer.item_reads": "shared",
    "nvdimm.buffer.port": "serial",
    "nvdimm.buffer.release": "datain",
    "nvdimm.gc.hold_channel": "true",
    "frontend.block.driver": "pmbd",
    "frontend.block.window": "10",
    "frontend.cache.l2.size": "2MiB",
    "frontend.cache.l2.ways": "4",
    "frontend.cache.l3.size": "8MiB",
    "frontend.cache.l3.ways": "4",
    "frontend.node.machine": "dma",
    "frontend.node.dma_lines": "64",
    "policies.harmonic.guard": "true",
    "policies.pas.trigger": "any_miss",
    "policies.preevict.low_water": "0",
    "policies.prefetch_preevict.low_water": "0",
}


def nested(values: dict[str, str]) -> dict[str, object]:
    tree: dict[str, object] = {}
    for name, value in values.items():
        *sections, key = name.split(".")
        inner = tree
        for section in sections:
            inner = inner.setdefault(section, {})  # type: ignore[assignment]
        inner[key] = value
    return tree


def stated() -> dict[str, str]:
    """Return the parameters that the file sets, without its base and description."""
    root = settings.read_mapping(FILE)
    return {
        setting.name: setting.text
        for setting in settings.flatten(FILE, root)
        if setting.name not in ("base", "description")
    }


def test_every_key_of_a_reading_is_stated() -> None:
    assert stated().keys() == OTHERS.keys()
    assert all(OTHERS[name] != text for name, text in stated().items())


@pytest.mark.parametrize("policy", ["unified_fr_fcfs", "hms", "all", "paper_all"])
def test_defaults_of_the_base_do_not_reach_it(policy: str, tmp_path: Path) -> None:
    before = load_config(KEPT).with_policy(policy).resolved()
    moved = {"base": str(REPO / "configs" / "mascots16.yaml"), **nested(OTHERS)}
    write(tmp_path / "mascots16.yaml", yaml.safe_dump(moved))
    copied = write(tmp_path / f"{KEPT}.yaml", FILE.read_bytes())
    assert load_config(copied).with_policy(policy).resolved() == before
    assert load_config(tmp_path / "mascots16.yaml").resolved() != load_config(KEPT).resolved()


# Made by commit 5c52c15 under mascots16. Requests of DRAM and reads of NVDIMM and flash; mean
# latencies of a DRAM read and an NVDIMM line in ns.
BEFORE = {
    "unified_fr_fcfs": (22825, 4736, 74, 3726.7572234392114, 136523.53928505068),
    "firm": (21742, 4736, 74, 4059.589916153068, 136555.0046397804),
    "paper_hms": (158126, 5248, 82, 148.75819068337907, 704882.423652439),
}


@pytest.mark.parametrize("policy", BEFORE)
def test_it_has_the_results_of_mascots16_before_its_defaults_changed(policy: str) -> None:
    names = ("dram.reads", "nvdimm.reads", "nvdimm.nand.reads")
    means = ("dram.read_latency_ns.mean", "nvdimm.line_latency_ns.mean")
    overrides = {
        "frontend.time_limit": "3ms",
        "frontend.node.machine": "dma",
        "nvdimm.buffer.write_size": "1MiB",
    }
    stats = run(load_config(KEPT, overrides).with_policy(policy), "mix:dfsioe_r+mcf").stats
    assert tuple(stats[name] for name in names + means) == BEFORE[policy]
