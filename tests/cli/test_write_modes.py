# SPDX-License-Identifier: BSD-3-Clause
"""Is every scheme of a comparison run in the write mode that its name states?"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from hmsim import Bundle, InputError, TransactionScheduler, compare, load_config, run
from hmsim.common.paths import shipped
from hmsim.config.write_modes import BOTH, ITSELF, MODES
from hmsim.config.write_variants import expanded
from hmsim.sweep.file import load_sweep
from hmsim.sweep.plan import Planner
from messages import naming
from support import REPO, fail, invoke, parsed, succeed, write

WRITES = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, footprint: 16MiB, read_ratio: 0.5,
     outstanding: 64, requests: 4000}
"""
OWN = {"firm", "nvm_duet"}
NOTE = "NAME,drained and NAME,mixed"


class Plain(TransactionScheduler):
    """By arrival."""

    def key(self, request: object) -> int:
        return 0


class Turns(Plain):
    """Sets the direction itself, by the hook."""

    def direction(self) -> str | None:
        return "reads"


class Keys(Plain):
    """Sets the direction itself, by its keys."""

    sets_direction = True


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    return write(tmp_path / "writes.yaml", WRITES)


def under(*policies: object) -> list[object]:
    return [load_config("quick").with_policy(policy) for policy in policies]  # type: ignore[arg-type]


def names(*policies: object, writes: str) -> list[str | None]:
    return [config.policy for config in expanded(under(*policies), writes)]  # type: ignore[arg-type]


def test_every_bundle_has_both_modes_or_sets_the_direction() -> None:
    listed = {each["name"]: each["writes"] for each in parsed("policies")["bundles"]}
    assert listed.keys() == shipped("configs/policies").keys()
    assert {name for name, writes in listed.items() if writes == ITSELF} == OWN
    assert {writes for name, writes in listed.items() if name not in OWN} == {"mixed"}
    for name in listed.keys() - OWN:
        for mode in MODES:
            (config,) = under(f"{name},{mode}")
            assert config.policy == f"{name},{mode}"
            assert config.resolved()["controller.writes"] == mode


def test_schedulers_that_set_the_direction_declare_it() -> None:
    files = sorted((REPO / "policies" / "scheduler").glob("*.cc"))
    asked = {file.stem for file in files if " direction() const" in file.read_text()}
    said = {file.stem for file in files if "sets_direction() const" in file.read_text()}
    assert "firm" in asked and asked <= said == OWN


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        *((f"{name},{mode}", (f"'{name}' {ITSELF}",)) for name in sorted(OWN) for mode in MODES),
        ("par_bs,draind", ("'draind'", "'drained'?")),
        ("par_bs,both", ("'both'", "drained, mixed")),
        ("par_bs,drained,mixed", ("par_bs,drained,mixed", "one write mode")),
        ("parbs,drained", ("'par_bs'?",)),
        ("mixed", ("'split,mixed'",)),
    ],
)
def test_invalid_names_are_rejected(name: str, parts: tuple[str, ...]) -> None:
    result = fail("check", "quick", "--policy", name)
    assert naming(*parts).search(result) and result.count("\n") == 1


def test_an_override_that_contradicts_is_rejected() -> None:
    command = ("check", "quick", "--policy", "par_bs,drained", "--set")
    succeed(*command, "controller.writes=drained")
    result = fail(*command, "controller.writes=mixed")
    parts = ("controller.writes:", "'mixed'", "'par_bs,drained'")
    assert naming(*parts).search(result), result
    with pytest.raises(InputError, match=naming("controller.writes:", "'x'")):
        under(Bundle("x", "par_bs,drained", {"controller.writes": "mixed"}))


def test_files_may_have_a_mode_or_a_comma(tmp_path: Path) -> None:
    content = "controller: {scheduler: par_bs, nvdimm_scheduler: fr_fcfs}\n"
    folder = tmp_path / "a,b"
    folder.mkdir()
    file = write(folder / "mine.yaml", content)
    odd = write(folder / "mine,drained", content)
    found = under(file, f"{file},drained", odd)
    assert [config.policy for config in found] == ["mine", "mine,drained", "mine,drained"]
    modes = [config.resolved()["controller.writes"] for config in found]
    assert modes == ["mixed", "drained", "mixed"]
    with pytest.raises(InputError, match=r"none\.yaml: "):
        under(str(folder / "none.yaml"))


@pytest.mark.parametrize("policy", ["par_bs", "hms"])
def test_a_mode_is_the_parameter_bit_for_bit(policy: str, workload: Path) -> None:
    drained = run("quick", workload, policy=f"{policy},drained")
    mixed = run("quick", workload, policy=f"{policy},mixed")
    bundle = Bundle("x", policy, {"controller.writes": "drained"})
    assert drained.statistics == run("quick", workload, policy=bundle).statistics
    assert mixed.statistics == run("quick", workload, policy=policy).statistics
    assert drained.stats["bus.turnarounds"] < 0.5 * mixed.stats["bus.turnarounds"]


def test_a_comparison_is_expanded_to_a_mode_or_both(workload: Path) -> None:
    mine = Bundle("mine", "split", objects={"controller.scheduler": Plain})
    assert names("par_bs", "firm", mine, "split,mixed", writes=BOTH) == [
        *("par_bs,drained", "par_bs,mixed", "firm", "mine,drained", "mine,mixed", "split,mixed")
    ]
    assert names("tcm", "nvm_duet", writes="mixed") == ["tcm,mixed", "nvm_duet"]
    table = compare("quick", ["par_bs,drained", "par_bs,mixed", "firm"], [workload])
    assert list(table["policy"]) == ["par_bs,drained", "par_bs,mixed", "firm"]
    alone = compare("quick", [Bundle("x", "par_bs", {"controller.writes": "drained"})], [workload])
    assert table["agent.0.rate"][0] == alone["agent.0.rate"][0] != table["agent.0.rate"][1]


def test_schedulers_in_python_may_set_the_direction() -> None:
    def bundle(policy: type[TransactionScheduler]) -> Bundle:
        return Bundle("mine", "split,drained", objects={"controller.scheduler": policy})

    (plain,) = under(bundle(Plain))
    assert plain.resolved()["controller.writes"] == "drained"
    for policy in (Turns, Keys):
        with pytest.raises(InputError, match=f"'{policy.__name__}' {ITSELF}"):
            under(bundle(policy))
        own = Bundle("mine", "split", objects={"controller.scheduler": policy})
        assert names(own, writes=BOTH) == ["mine"]


def test_a_comparison_reports_modes_on_standard_error_only(workload: Path) -> None:
    policies = ("--policy", "par_bs", "--policy", "firm")
    command = ("compare", "--seeds", "1", "quick", "--workload", workload, *policies)
    reported = invoke(*command)
    assert reported.exit_code == 0 and NOTE not in reported.stdout
    assert (
        reported.stderr.startswith("hmsim: write modes differ") and reported.stderr.count("\n") == 1
    )
    as_json = invoke(*command, "--json")
    assert as_json.stderr == reported.stderr
    assert [row["policy"] for row in json.loads(as_json.stdout)] == ["par_bs", "firm"]
    with pytest.warns(UserWarning, match=NOTE):
        compare("quick", ["par_bs", "firm"], [workload])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare("quick", ["par_bs,drained", "firm"], [workload])


def test_sweeps_name_modes(tmp_path: Path) -> None:
    write(tmp_path / "mine.yaml", "controller: {queues: split, arbiter: oldest_first}\n")
    text = "grid:\n  workload: [demo]\n  policy: {}\n"
    listed = "['par_bs,drained', 'mine.yaml,mixed', firm]"
    sweep = write(tmp_path / "sweep.yaml", text.format(listed))
    planned = Planner(load_sweep(sweep)).plan()
    assert [each.labels["policy"] for each in planned] == ["par_bs,drained", "mine,mixed", "firm"]
    for wrong, hint in {"[par_bs,drained]": "in quotes", "['firm,mixed']": ITSELF}.items():
        write(sweep, text.format(wrong))
        with pytest.raises(InputError, match=rf"sweep\.yaml:3.*policy: .*{hint}"):
            Planner(load_sweep(sweep)).plan()
