# SPDX-License-Identifier: BSD-3-Clause
"""Fit files, wrong models, knife-edges, held-out targets, and what a fit leaves on the disk."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hmsim
import pytest
import yaml
from hmsim.fits import families
from hmsim.fits.file import load_fit
from hmsim.fits.run import fit
from hmsim.fits.space import number
from hmsim.fits.trials import Bench
from hmsim.points.point import Outcome, measure
from hmsim.reproduce.card import families as card
from hmsim.reproduce.card.machines import point
from hmsim.reproduce.card.method import FULL
from hmsim.sweep.plan import Planned
from support import succeed

from tests.messages import naming

READ = "agent.0.request_latency_us.read.mean"
BLOCKS = {"kind": "io_pattern", "threads": 1, "depth": 1, "size": "4KiB", "access": "random"}
FILE: dict[str, Any] = {
    "config": "nvdimm_p3700",
    "over": {"nvdimm.nand.read_time": {"from": "20us", "to": "90us"}},
    "runs": {"one": {"workload": {"agents": [{**BLOCKS, "read_share": 1, "requests": 200}]}}},
    "targets": {"latency": {"of": f"one.{READ}", "is": 80, "within": "2%"}},
}


FAILS = "controller.outstanding=31, controller.outstanding=33"


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump({**FILE, **changes}), encoding="utf-8")
    return path


def fitted(folder: Path, trials: int = 16, **changes: Any) -> Any:
    return hmsim.fit(written(folder, **changes), folder / "out", trials=trials, jobs=1)


def pages(folder: Path) -> list[bytes]:
    return [(folder / "out" / name).read_bytes() for name in ("fit.html", "fit.md", "fitted.yaml")]


def test_the_fitted_configuration_reproduces_the_page(tmp_path: Path) -> None:
    found = fitted(tmp_path)
    stats = hmsim.run(tmp_path / "out/fitted.yaml", FILE["runs"]["one"]["workload"]).stats
    assert stats[READ] == pytest.approx(found.targets["reached"][0])
    assert "# fitted to latency; determined" in (tmp_path / "out/fitted.yaml").read_text()
    pytest.importorskip("matplotlib")
    picture = tmp_path / "targets.svg"
    assert succeed("plot", tmp_path / "out", "--out", picture) == f"{picture}\n"
    assert "Miss (half bands)" in picture.read_text(encoding="utf-8")


def test_an_impossible_machine_is_reported(tmp_path: Path) -> None:
    """No read is faster than its flash; and one latency cannot be 60 and 80 us."""
    twice = {"short": ("at_most", 30), "low": ("is", 60), "high": ("is", 80)}
    targets = {
        name: {"of": f"one.{READ}", kind: value, **({"within": "2%"} if kind == "is" else {})}
        for name, (kind, value) in twice.items()
    }
    found = fitted(tmp_path, targets=targets)
    assert set(found.keys["verdict"]) == {"not judged"}
    conflicts = found.conflicts.set_index("targets")
    assert conflicts.loc["short", "conflict"] == "no machine tried meets it"
    pair = conflicts.loc["high and low"]
    assert pair["conflict"] == "no machine tried meets both"
    assert pair["nearest, half bands"] == pytest.approx(20 / (60 * 0.02 + 80 * 0.02), rel=0.1)


def test_a_target_that_fails_one_step_away_is_on_a_knife_edge(tmp_path: Path) -> None:
    """32 lines in flight divide the 64 of a page, 33 and 31 do not (docs/where-policies-pay.md)."""
    blocks = {**BLOCKS, "threads": 4, "depth": 4, "read_share": 1, "requests": 400}
    workload = {"agents": [blocks]}
    scheduler = "controller.nvdimm_scheduler"
    runs = {name: {"workload": workload, scheduler: name} for name in ("fcfs", "pas")}
    keys = {"nvdimm.access": "line", "frontend.block.window": 64, "controller.queues": "split"}
    keys |= {"controller.scheduler": "fcfs", "controller.arbiter": "oldest_first"}
    found = fitted(
        tmp_path,
        4,
        config="mascots16",
        set=keys,
        over={"controller.outstanding": [32, 64]},
        runs=runs,
        targets={"gain": {"of": "gain(pas.agent.0.rate, fcfs.agent.0.rate)", "at_least": 30}},
    )
    (row,) = found.targets.to_dict("records")
    assert (row["verdict"], row["fails at"]) == ("knife-edge", FAILS)


def test_a_policy_can_be_fitted(tmp_path: Path) -> None:
    """Lines of the NVDIMM fill the one queue, and DRAM waits for flash; two queues part them."""
    lines = {"kind": "synthetic", "target": "dram", "pattern": "random", "requests": 400}
    others = {**lines, "target": "nvdimm", "outstanding": 256, "requests": 1_000_000}
    found = fitted(
        tmp_path,
        4,
        config="mascots16",
        over={"policy": ["unified_fr_fcfs", "split"]},
        runs={"one": {"workload": {"agents": [lines, {**others, "measured": False}]}}},
        targets={"latency": {"of": "one.dram.read_latency_ns.mean", "at_most": 300}},
    )
    met = {t.values["policy"]: t.found["latency"] for t in found.findings.trials}
    assert met["unified_fr_fcfs"] > 1e5 > 300 > met["split"]
    assert dict(found.values) == {"policy": "split"}


def test_a_group_that_is_held_out_is_not_fitted(tmp_path: Path) -> None:
    targets = {
        "latency": {**FILE["targets"]["latency"], "group": "seen"},
        "other": {"of": f"one.{READ}", "is": 50, "within": "1%", "group": "unseen"},
    }
    path = written(tmp_path, targets=targets)
    found = hmsim.fit(path, tmp_path / "out", trials=16, jobs=1, hold_out=["unseen"])
    rows = found.targets.set_index("target")
    assert dict(rows["use"]) == {"latency": "fitted", "other": "held out"}
    assert dict(rows["verdict"]) == {"latency": "in band", "other": "out of band"}
    with pytest.raises(hmsim.InputError, match=naming("--hold-out", "unsen", "unseen")):
        load_fit(path).holding_out(["unsen"])
    with pytest.raises(hmsim.InputError, match=naming("all are held out")):
        load_fit(path).holding_out(["seen", "unseen"])


def test_impossible_targets_and_keys_are_named(tmp_path: Path) -> None:
    """A latency of writes in a run of reads; a misspelt key where only a held-out target looks."""
    other = {"is": 50, "within": "1%"}
    targets = {**FILE["targets"], "w": {"of": f"one.{READ.replace('read', 'write')}", **other}}
    path = written(tmp_path, targets=targets)
    found = hmsim.fit(path, tmp_path / "out", trials=4, jobs=1, refine=False)
    assert found.conflicts.set_index("targets").loc["w", "conflict"] == "no number in any machine"
    runs = {"two": {"workload": {"agents": [{**BLOCKS, "dpeth": 4, "requests": 200}]}}}
    targets["w"] = {"of": "two.agent.0.rate", "hold_out": True, **other}
    path = written(tmp_path, targets=targets, runs={**FILE["runs"], **runs})
    with pytest.raises(hmsim.InputError, match=naming("dpeth:", "'depth'?")):
        hmsim.fit(path, tmp_path / "out", trials=4, jobs=1, refine=False)


def test_a_search_alone_runs_no_probe_and_judges_no_key(tmp_path: Path) -> None:
    path = written(tmp_path)
    found = hmsim.fit(path, tmp_path / "out", trials=16, jobs=1, refine=False)
    stages = {each.stage for each in found.findings.trials}
    assert stages == {"start", "search", "best", "neighbour", "random"}
    assert found.findings.inside, "a range that could be judged"
    assert set(found.keys["verdict"]) == {"not judged"}


def test_a_fit_that_was_killed_resumes_to_the_same_page(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    fitted(tmp_path / "whole")
    folder = tmp_path / "stopped"
    folder.mkdir()
    path = written(folder)
    code = f"""
import os, hmsim
from hmsim.points.store import Store
append, count = Store.append, []
def killed(self, lines, last):
    append(self, lines, last)
    count.extend(lines)
    if len(count) > 20:
        os.kill(os.getpid(), 9)
Store.append = killed
hmsim.fit({str(path)!r}, {str(folder / "out")!r}, trials=16, jobs=1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == -9
    assert not (folder / "out/fit.html").exists()
    fitted(folder)
    a, b = pages(tmp_path / "whole"), pages(folder)
    costs = [page.split(b"Cost")[0] for page in a[:2]] + a[2:]
    assert costs == [page.split(b"Cost")[0] for page in b[:2]] + b[2:]


def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    values = []
    for jobs in (1, 2):
        found = fit(written(tmp_path), tmp_path / f"out{jobs}", trials=16, jobs=jobs)
        values.append([(t.stage, t.values, t.found) for t in found.findings.trials])
    assert values[0] == values[1]


def test_a_family_matches_the_curve_of_the_card(tmp_path: Path) -> None:
    """The latencies of a fit are those that `hmsim validate card` prints, with its constant."""
    how = {"reads": "100%", "at": [0.5, 0.8], "saturation": True, "within": "20%"}
    path = tmp_path / "family.yaml"
    over = {"controller.queue_depth": [64]}
    content = {"over": over, "targets": {"reads": {"family": "skylake", **how}}}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    ours: dict[str, float] = {}
    for target in load_fit(path).targets:
        bench = Bench(load_fit(path), run_here, lambda planned: planned)
        (trial,) = bench.evaluate("one", [{"controller.queue_depth": "64"}], [target])
        ours[target.name] = trial.found[target.name]
    method = families.method()
    name = "Skylake, 6 x DDR4-2666"
    part, machine = "2 ranks", method["machines"][name]
    points = [point(name, part, "queue 64", 1.0, offer) for offer in card.offers(method, FULL)]
    curve = card.curve(points, sum(machine["constant"].values()))
    config = card.system(method, machine["parts"][part], "queue 64", machine["channels"])
    expected = {"reads_50": curve.at(0.5), "reads_80": curve.at(0.8)}
    expected["reads_saturation"] = 100 * curve.most / card.peak(config)
    assert ours == pytest.approx(expected)


def run_here(planned: Sequence[Planned]) -> list[Outcome]:
    return [measure(each.point, each.point.key) for each in planned if each.point]


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"over": {"nvdimm.nand.read_tim": ["1us"]}}, (":3: ", "read_tim", "read_time")),
        ({"over": {"seed": [1, 2]}}, ("seed", "cannot be fitted")),
        ({"constants": {"a.b": {"from": 0, "to": 1}}}, ("a.b", "one word")),
        ({"constants": {"a": {"from": "0us", "to": "1us"}}}, ("a: ", "plain numbers", "us")),
        ({"runs": {"one": {"policy": "split"}}}, ("one", "workload: is required")),
        ({"targets": {"t": {"of": "two.sim.ticks", "is": 1, "within": 1}}}, ("two", "one")),
        ({"targets": {"t": {"of": "one.sim.tick", "is": 1, "within": 1}}}, ("sim.ticks",)),
        ({"targets": {"t": {"of": "one.sim.ticks", "is": 1}}}, ("within: is required",)),
        ({"targets": {"t": {"of": "one.sim.ticks"}}}, ("at_least",)),
        ({"targets": {}}, ("targets: there is none",)),
        ({"targets": {"t": {"is": 1, "within": 1}}}, ("needs one of", "of, family, claim")),
        ({"targets": {"t": {"claim": "R6"}}}, ("R6", "can fail", "R7")),
        ({"targets": {"t": {"claim": "R7", "is": 3}}}, ("t: is", "does not go with claim")),
        ({"targets": {"t": {"family": "skylak", "reads": 1, "at": 1, "within": 1}}}, ("skylake",)),
        ({"targets": {"t": {"family": "skylake", "reads": 2, "at": 1, "within": 1}}}, ("share",)),
        ({"targets": {"t": {"family": "skylake", "reads": 0.7, "at": 1, "within": 1}}}, ("50%",)),
        ({"targets": {"a b": {"of": "one.sim.ticks", "is": 1, "within": 1}}}, ("a b", "letters")),
        ({"runs": {}, "over": {"policy": ["split"]}}, ("policy", "runs:")),
        ({"targets": {"t": {"of": "1", "at_least": 1}}}, ("names no run",)),
        ({"targets": {"t": {"of": "open(one.sim.ticks)", "is": 1}}}, ("open", "gain, max")),
        ({"targets": {"t": {"of": "one.sim.ticks", "is": 1, "within": "-1%"}}}, ("above 0",)),
    ],
)
def test_invalid_fit_files_are_rejected(
    tmp_path: Path, changes: dict[str, Any], parts: tuple[str, ...]
) -> None:
    with pytest.raises(hmsim.InputError, match=naming("mine.yaml:", *parts)):
        fitted(tmp_path, 4, **changes)
    assert not (tmp_path / "out").exists()


def test_a_claim_matches_its_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R1 is about a device of 150 us; ours takes 20 us beside the time of its flash."""
    path = tmp_path / "claim.yaml"
    over = {"nvdimm.nand.read_time": {"from": "50us", "to": "200us"}}
    content = {"over": over, "targets": {"read": {"claim": "R1"}}}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = hmsim.fit(path, tmp_path / "out", trials=4, jobs=1)
    assert {each.name for each in tmp_path.iterdir()} == {"claim.yaml", "out"}
    assert found.targets["reached"][0] == pytest.approx(150, rel=0.01)
    assert number(found.values["nvdimm.nand.read_time"]) == pytest.approx(130, rel=0.02)
