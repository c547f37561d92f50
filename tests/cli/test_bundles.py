# SPDX-License-Identifier: BSD-3-Clause
"""Does a bundle that varies another one differ from it only in that?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim import Bundle, InputError, _core, load_config, run
from hmsim.config.policy_names import PARAMETERS
from support import write

DRAM, NVDIMM = "controller.scheduler", "controller.nvdimm_scheduler"
MANAGER, COLLECTOR = "nvdimm.buffer.manager", "nvdimm.gc.scheduler"
IMPL = "policies.harmonic.impl"
GUARD, NVDIMM_GUARD = "policies.harmonic.guard", "policies.harmonic.nvdimm_guard"
WORDS = {"policies.pas.trigger": "any_miss", "policies.prefetch_preevict.low_water": "0"}
TECHNIQUES = {NVDIMM: "pas", MANAGER: "prefetch_preevict", COLLECTOR: "proactive"}
VARIANTS = (
    ("split_dram_first", "split", {"controller.arbiter": "dram_first"}),
    ("unified_256", "unified_fr_fcfs", {"controller.queue_depth": "256"}),
    ("hms_pas", "hms", {NVDIMM: "pas"}),
    ("all", "hms", TECHNIQUES),
    ("paper_all", "paper_hms", {**TECHNIQUES, **WORDS}),
    (
        "paper_all",
        "all",
        {DRAM: "fcfs", IMPL: "table", GUARD: "false", NVDIMM_GUARD: "8000", **WORDS},
    ),
)
# Random rows of eight DRAM banks, and pages that are in the NVDIMM's buffer.
CONTEST = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, footprint: 256KiB, outstanding: 64,
     requests: 4000}
  - {kind: synthetic, core: 1, target: nvdimm, pattern: random, footprint: 64KiB, outstanding: 64,
     requests: 4000}
"""


@pytest.mark.parametrize(("name", "base", "changes"), VARIANTS)
@pytest.mark.parametrize("config", ["mascots16", "quick"])
def test_a_variant_differs_in_the_parameters_of_its_name(
    config: str, name: str, base: str, changes: dict[str, str]
) -> None:
    before, after = (load_config(config).with_policy(each).resolved() for each in (base, name))
    assert {key: text for key, text in after.items() if before[key] != text} == changes


@pytest.mark.parametrize("base", ["paper_hms", "paper_all"])
def test_row_hits_first_within_a_class_makes_row_hits(base: str, tmp_path: Path) -> None:
    workload = write(tmp_path / "contest.yaml", CONTEST)
    oldest = run("quick", workload, policy=base)
    hits = run("quick", workload, policy=Bundle("x", base, {DRAM: "fr_fcfs"}))
    assert hits.stats["dram.row_hit_ratio"] > 1.5 * oldest.stats["dram.row_hit_ratio"]
    impl = run("quick", workload, policy=Bundle("x", base, {IMPL: "exact"}))
    assert impl.stats != oldest.stats  # the tables decide


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("round_robin", {"controller.arbiter": "round_robin", "controller.queues": "split"}),
        ("fcfs", {"controller.scheduler": "fcfs", "controller.nvdimm_scheduler": "fcfs"}),
        ("hms_pas+round_robin+lirs", {"controller.arbiter": "round_robin"}),
        ("hms_pas+round_robin+lirs", {"nvdimm.buffer.replacement": "lirs"}),
        ("hms_pas+round_robin,drained", {"controller.nvdimm_scheduler": "pas"}),
        ("fifo", {"nvdimm.ftl.victim": "fifo", "storage.flash.ftl.victim": "fifo"}),
    ],
)
def test_a_policy_is_a_bundle_over_another_one(name: str, parameters: dict[str, str]) -> None:
    system = load_config("quick").with_policy(name)
    assert system.policy == name
    assert parameters.items() <= system.resolved().items()


def test_a_bundle_precedes_a_policy_of_its_name_and_each_kind_has_parameters() -> None:
    assert load_config("quick").with_policy("tcm").resolved()["controller.queues"] == "unified"
    assert {piece["kind"] for piece in _core.policies()} == PARAMETERS.keys()
    with pytest.raises(InputError, match=r"split\+fcf: unknown policy 'fcf'; .*'fcfs'"):
        load_config("quick").with_policy("split+fcf")
    with pytest.raises(InputError, match=r"round_robbin: .*'round_robin'"):
        load_config("quick").with_policy("round_robbin")
    with pytest.raises(InputError, match=r"splt: .*'split'"):
        load_config("quick").with_policy("splt+fcfs")
    with pytest.raises(InputError, match=r"fcfs and bliss both set controller\.scheduler"):
        load_config("quick").with_policy("split+fcfs+round_robin+bliss")


def test_a_bundle_is_based_on_a_shipped_one(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.yaml", "base: hms\ncontroller: {scheduler: fcfs}\n")
    parameters = load_config("quick").with_policy(path).resolved()
    assert parameters["controller.scheduler"] == "fcfs"
    assert parameters["controller.arbiter"] == "harmonic"


def test_packages_offer_bundles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "mine_of_a_package.py"
    module.write_text(
        "import hmsim\n"
        "deep = hmsim.Bundle('deep', base='split', overrides={'controller.queue_depth': 77})\n"
        "split = deep\nwrong = 3\n",
        encoding="utf-8",
    )
    about = tmp_path / "mine-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: mine\nVersion: 1\n", encoding="utf-8")
    names = ("deep", "split", "wrong", "absent")
    lines = "".join(f"{name} = {module.stem}:{name}\n" for name in names)
    (about / "entry_points.txt").write_text(f"[hmsim.policies]\n{lines}", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    system = load_config("quick").with_policy("deep,drained")
    assert system.resolved()["controller.queue_depth"] == "77"
    assert (system.policy, system.writes) == ("deep,drained", "drained")
    assert load_config("quick").with_policy("split").resolved()["controller.queue_depth"] != "77"
    for name, words in (
        ("wrong", "must be a hmsim.Bundle, got a int"),
        ("absent", "AttributeError"),
    ):
        with pytest.raises(InputError, match=words):
            load_config("quick").with_policy(name)
