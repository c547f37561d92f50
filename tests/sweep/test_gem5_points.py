# SPDX-License-Identifier: BSD-3-Clause
"""Do points that gem5 runs behave as any other? gem5 is a stand-in here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import hmsim
import pytest
from messages import naming
from support import fail, invoke, succeed

SWEEP = """\
runner: gem5
config: gem5
warmup: 1us
gem5:
  executable: ./gem5.opt
  script: se_mix.py
  checkpoint: booted
  arguments: [--cpu, timing]
  workloads:
    copy: [--program, block_copy read 64 0]
    chase: [--program, pointer_chase 32 4 0]
grid:
  workload: [copy, chase]
  controller.queue_depth: [64, 128]
"""


def prepare(text: str = SWEEP) -> Path:
    shutil.copy(Path(__file__).with_name("fake_gem5.py"), "gem5.opt")
    Path("gem5.opt").chmod(0o755)
    Path("se_mix.py").write_text("# a script\n")
    Path("booted").mkdir(exist_ok=True)
    Path("booted/m5.cpt").write_text("state")
    path = Path("s.yaml")
    path.write_text(text)
    return path


def calls() -> list[dict[str, str]]:
    return [json.loads(line) for line in Path("calls").read_text().splitlines()]


def test_gem5_points_are_made_once_and_land_in_the_dataset() -> None:
    for _ in range(2):
        succeed("sweep", prepare(), "--jobs", "1")
    table = hmsim.load_results("s")
    assert list(table["workload"]) == ["copy", "copy", "chase", "chase"]
    assert list(table["dram.reads"]) == [64, 128, 64, 128]
    assert table.attrs["units"]["dram.reads"] == "lines" and (table["error"] == "").all()
    made = calls()
    assert len(made) == 4
    assert made[0]["--checkpoint"] == str(Path("booted").absolute())
    assert made[0]["--warmup"] == "1000000ps" and made[0]["--cpu"] == "timing"
    assert [call["--program"].split()[0] for call in made[1:3]] == ["block_copy", "pointer_chase"]


def test_an_estimate_times_one_of_the_long_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hmsim.sweep.run.ENOUGH", 1e-9)
    result = invoke("sweep", prepare(), "--estimate", "--jobs", "1")
    assert naming("3 points", "1 are finished", "1 timed points").search(result.stdout)
    assert len(calls()) == 1
    assert "1 timed points" in succeed("sweep", "s.yaml", "--estimate", "--jobs", "1")
    assert len(calls()) == 1
    succeed("sweep", "s.yaml", "--jobs", "1")
    assert len(calls()) == 4


@pytest.mark.parametrize("file", ["gem5.opt", "se_mix.py", "booted/m5.cpt"])
def test_inputs_of_gem5_count_by_content(file: str) -> None:
    succeed("sweep", prepare(), "--jobs", "1")
    with Path(file).open("a") as changed:
        changed.write("\n")
    succeed("sweep", "s.yaml", "--jobs", "1")
    assert len(calls()) == 8


def test_input_errors_are_kept_and_other_faults_retried() -> None:
    file = prepare(SWEEP.replace("block_copy read 64 0", "wrong") + "  seed: [1, 2]\n")
    assert invoke("sweep", file, "--jobs", "1").exit_code == 1
    table = hmsim.load_results("s")
    wrong = table[table["workload"] == "copy"]
    assert all("gem5 ended with status" in error for error in wrong["error"])
    assert "no such program" in wrong["error"].iloc[0] and table.attrs["missing"] == 2
    before = len(calls())
    invoke("sweep", file, "--jobs", "1")
    assert len(calls()) == before + 2  # of seed 1: status 1 may be anything's fault


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("./gem5.opt", "gem5.optt", ("s.yaml:5: gem5: executable:",)),
        ("script: se_mix.py", "script: x.py", ("s.yaml:6: gem5: script:",)),
        ("[copy, chase]", "[copy, chas]", ("s.yaml:13: workload: chas:", "'chase'?")),
        ("runner: gem5", "runner: gem6", ("s.yaml:1: runner:", "'gem6'", "'gem5'?")),
        ("runner: gem5", "description: x", ("s.yaml:5: gem5:", "runner: gem5")),
        ("checkpoint: booted", "checkpoint: nowhere", ("gem5: checkpoint:", "nowhere")),
        ("checkpoint:", "chekpoint:", ("s.yaml:7: gem5: chekpoint:", "'checkpoint'?")),
    ],
)
def test_errors_name_file_line_and_key(old: str, new: str, parts: tuple[str, ...]) -> None:
    assert naming(*parts).search(fail("sweep", prepare(SWEEP.replace(old, new)), "--jobs", "1"))
