# SPDX-License-Identifier: BSD-3-Clause
"""Does --check judge the commands of a run, and change nothing else?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import hmsim
import pytest
from hmsim._core import Simulation
from hmsim.common.quantities import quantity
from hmsim.workloads import decoding
from support import fail, parsed, succeed

SAID = re.compile(r"^protocol check: ([0-9]+) commands, no violation$", re.MULTILINE)


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let simulations run without the checker unless a test asks for it."""
    for module in ("runner", "system"):
        monkeypatch.setattr(f"hmsim.runs.{module}.Simulation", Simulation)


def commands(printed: str) -> int:
    """Return the number of checked commands that a run printed."""
    said = SAID.search(printed)
    assert said is not None, printed
    return int(said[1])


@pytest.mark.usefixtures("unchecked")
def test_a_checked_run_is_marked_and_gives_equal_results(tmp_path: Path, workload: Path) -> None:
    run = ("run", "quick", "--workload", workload)
    checked = succeed(*run, "--check", "--out", tmp_path / "checked")
    assert commands(checked) >= 3000 + 2000 * 3
    plain = succeed(*run, "--out", tmp_path / "plain")
    assert SAID.search(plain) is None
    stats = [(tmp_path / name / "stats.json").read_bytes() for name in ("checked", "plain")]
    assert stats[0] == stats[1]
    host = json.loads((tmp_path / "checked" / "run.json").read_text())["host"]
    assert host["commands_checked"] == commands(checked)
    assert parsed(*run, "--check") == parsed(*run)


@pytest.mark.usefixtures("unchecked")
def test_a_checked_comparison_makes_all_its_runs(workload: Path) -> None:
    compare = ("compare", "quick", "--policy", "split", "--workload", workload)
    first = commands(succeed(*compare, "--check"))
    assert commands(succeed(*compare, "--check")) == first  # runs alone are not taken from cache
    assert parsed(*compare, "--check") == parsed(*compare)
    alone = hmsim.run("quick", workload, policy="split", check=True)
    assert first > alone.host["commands_checked"] > 0


@pytest.mark.parametrize(
    "overrides",
    [
        {"controller.ack": "auto", "controller.ack_slots": 0},
        {"controller.channels": 4, "dram.ranks": 2},
        {"controller.structure": "two_level", "controller.outstanding": 3},
        {"dram.preset": "ddr3_1600_8gb_x8", "dram.precharge_delay": "paper"},
        {"nvdimm.buffer.port": "serial", "dram.refresh": False},
    ],
)
def test_no_configuration_breaks_a_rule(workload: Path, overrides: dict[str, object]) -> None:
    config = hmsim.load_config("quick", overrides=overrides)
    assert hmsim.run(config, workload, check=True).host["commands_checked"] > 0


@pytest.mark.usefixtures("unchecked")
def test_a_checked_system_is_checked_when_loaded_again(tmp_path: Path) -> None:
    system = hmsim.System("quick", check=True)
    system.enqueue(0)
    system.advance("20ns")
    system.save(tmp_path / "saved")
    loaded = hmsim.System.load(tmp_path / "saved")
    loaded.advance("100us")
    assert loaded._simulation.checked_commands > system._simulation.checked_commands > 0


def test_check_prints_the_machine() -> None:
    text = " ".join(succeed("check", "quick").split())
    for part in (
        *("DRAM: 2 GiB on 1 channel(s), peak 12.80 GB/s", "flash DIMM: 222.6 MiB in 1 module(s)"),
        *("8 LUNs, pages of 4 KiB", "15 %, 4.219 % effective", "2 in 128 entries for lines"),
    ):
        assert part in text, part
    assert "128 in entries for pages" in text
    assert "GB/s" in succeed("check", "quick", "--set", "nvdimm.nand.read_time=0s")
    assert "for pages" not in succeed("check", "quick", "--set", "nvdimm.access=line")
    assert "peak 96 GB/s of the links" in " ".join(succeed("check", "hbm3_hbf").split())
    unused = succeed("check", "quick", "--set", "nvdimm.ftl.map_replacement=lru_pages")
    assert "map_replacement lru_pages not used" in " ".join(unused.split())
    assert "storage.capacity 360GiB" in succeed("check", "storage/nvme")
    assert "a drive: 64 LUNs, pages of 8 KiB" in succeed("check", "storage/mqsim_ssd")


@pytest.mark.parametrize(
    "given",
    [
        *("nand.planes=2", "ftl.map=cached", "nand.factory_bad=0.01"),
        "ftl.streams=8 --set=nvdimm.ftl.placement=by_handle",
    ],
)
def test_effective_over_provisioning_matches_the_core(given: str) -> None:
    """The core refuses a capacity whose pages, and those in flight, do not fit."""
    sets = ("check", "mascots16", *f"--set=nvdimm.{given}".split())
    sets += ("--set=nvdimm.ftl.map_cache=16MiB", "--set=nvdimm.ftl.over_provisioning")
    refused = fail(*sets[:-1], f"{sets[-1]}=1")
    least = re.search(r"([\d.]+) is enough", refused)
    text = succeed(*sets[:-1], f"{sets[-1]}={least[1]}")  # type: ignore[index]
    found = re.search(r"%, (\S+) % effective", text)
    assert 0 <= float(found[1]) < 0.3  # type: ignore[index]


def test_check_rejects_all_that_run_rejects(tmp_path: Path) -> None:
    model = tmp_path / "model.yaml"
    model.write_text(
        "agents:\n  - {kind: llm_decode, model: llama_3_1_70b, batch: 1, context: 4096, steps: 1}\n"
    )
    refused = fail("check", "hbm3_hbf", "--workload", model)
    assert refused.startswith(f"hmsim: {model}:2: ") and "weights" in refused
    assert refused == fail("run", "hbm3_hbf", "--workload", model)
    assert "in order" in succeed("check", "quick", "--workload", "demo")


@pytest.mark.parametrize("model", list(decoding.MODELS))
@pytest.mark.parametrize("kv", ["dram", "nvdimm"])
def test_check_prints_required_and_available_memory_of_a_model(kv: str, model: str) -> None:
    """The core refuses more layers than fit, with the bytes of all layers."""
    keys = {"kind": "llm_decode", "model": model, "weight_bytes": "1", "batch": "3"}
    keys |= {"context": "20", "weights": "dram", "kv": kv, "layers": "8", "steps": "1"}
    with pytest.raises(hmsim.InputError) as refused:
        hmsim.run("mascots16", {"agents": [keys]})
    found = re.search(r"of 8 layers need (\S+) of dram", str(refused.value))
    assert found is not None
    assert sum(decoding.need(keys)["dram"].values()) == quantity(found[1])
    text = succeed("check", "mascots16", "--workload", "llm/decode_8b")
    said = " ".join(text.split())
    assert "needs 4 GiB of DRAM, which has 2 GiB: keys and values 4 GiB; too much" in said
    assert "needs 14.96 GiB of flash DIMM, which has 29.91 GiB: weights 14.96 GiB" in said


@pytest.mark.parametrize("name", ["decode_70b", "decode_70b_hbf", "kv_offload_70b"])
def test_a_share_is_an_eighth_of_the_model(name: str) -> None:
    (agent,) = hmsim.load_workload(f"llm/{name}").agents
    keys = dict(agent.flat())
    whole = {key: text for key, text in keys.items() if key not in ("layers", "vocabulary")}
    for memory, parts in decoding.need(whole).items():
        for part, size in parts.items():
            assert size == 8 * decoding.need(keys)[memory][part]
