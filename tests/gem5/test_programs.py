# SPDX-License-Identifier: BSD-3-Clause
"""Do programs under gem5's system call emulation leave runs that hmsim reads and replays?"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import hmsim
import pytest
from outcomes import Run

MIX = (
    *("--program", "block_copy mixed 64 0", "--program", "pointer_chase 1 2 0"),
    *("--cpu", "timing", "--l1", "4KiB", "--llc", "32KiB"),
)
WORKLOAD = """\
agents:
  - {kind: memory_trace, path: %s, format: gem5, mode: timed, sources: trace, target: system}
"""

# Statistics that are means over, or grow with, the time that was simulated.
OVER_TIME = re.compile("share|occupancy|lost|bandwidth|energy|power|utilisation|idle|per_day")
MOST_LONGER = 1e-3

pytestmark = [pytest.mark.gem5, pytest.mark.usefixtures("x86")]


def test_a_recorded_mix_is_replayed_with_the_same_statistics(run: Run, tmp_path: Path) -> None:
    made = tmp_path / "made"
    line = (*MIX, "--duration", "300us", "--policy", "split", "--record", "packets.trc")
    recorded = run("configs/gem5/se_mix.py", *line, "--out", made)
    workload = tmp_path / "recorded.yaml"
    workload.write_text(WORKLOAD % (recorded.folder / "packets.trc"))
    config = hmsim.load_config(made / "config.yaml")
    replayed = hmsim.run(config, workload=workload, seed=1).stats
    reported = json.loads((recorded.folder / "hmsim.json").read_text())["statistics"]
    assert reported["nvdimm.reads"] > 0
    assert reported["nvdimm.writes"] > 0
    memory = [
        name for name in replayed if name.startswith(("dram.", "nvdimm.", "bus.", "arbiter."))
    ]
    counted = [name for name in memory if not OVER_TIME.search(name)]
    assert len(counted) > 100
    assert {name: reported[name] for name in counted} == {name: replayed[name] for name in counted}
    # The replay ends with its last request. The run ends a few ns later.
    longer = reported["sim.ticks"] / replayed["sim.ticks"]
    assert 1 <= longer < 1 + MOST_LONGER
    for name in set(memory) - set(counted):
        idle = MOST_LONGER if "idle" in name else 0  # shares: all of the rest is idle
        assert replayed[name] == pytest.approx(reported[name], rel=MOST_LONGER, abs=idle), name


def test_each_policy_has_a_separate_run_directory(run: Run, tmp_path: Path) -> None:
    made = tmp_path / "made"
    line = (*MIX, "--duration", "20us", "--policy", "unified_fr_fcfs", "--policy", "split")
    shown = run("configs/gem5/se_mix.py", *line, "--out", made).stdout
    assert "nvdimm.queue.greatest_occupancy" in shown
    for policy in ("unified_fr_fcfs", "split"):
        assert policy in shown
        origin = json.loads((made / policy / "run.json").read_text())
        assert origin["policy"] == policy
        assert [agent["program"] for agent in origin["workload"]["agents"]] == [MIX[1], MIX[3]]
        stats = json.loads((made / policy / "stats.json").read_text())
        ipcs = [core["ipc"] for core in stats["core"].values()]
        assert stats["system"]["ipc"] == sum(ipcs)
        assert min(ipcs) > 0


def test_invalid_options_are_reported(run: Run) -> None:
    script = "configs/gem5/se_mix.py"
    program = ("--program", "block_copy read 1 1")
    assert "neither a path nor a shipped" in run(script, "--program", "block", exit_code=2).stderr
    assert "--set x: expected" in run(script, *program, "--set", "x", exit_code=2).stderr
    wrong = run(script, *program, "--set", "controller.queuez=split", exit_code=2)
    assert "controller.queues" in wrong.stderr


CHAIN = """\
int main(int count, char** words) {
  unsigned long value = count;
  for (;;) __asm__ volatile(".rept 31\\nadd $1, %0\\n.endr" : "+r"(value));
  return words == 0;
}
"""


def test_a_chain_of_additions_has_its_base_cpi(run: Run, tmp_path: Path) -> None:
    source, program = tmp_path / "chain.c", tmp_path / "chain"
    source.write_text(CHAIN)
    subprocess.run(["gcc", "-O2", "-funroll-loops", "-static", "-o", program, source], check=True)
    reported = tmp_path / "reported.json"
    line = ("--program", program, "--fast-forward", 100_000, "--warmup", 1_000)
    run("configs/gem5/base_cpi.py", *line, "--instructions", 20_000, "--base-cpi-out", reported)
    # An addition takes a cycle; a jump beside 31 of them takes none.
    assert json.loads(reported.read_text())["base_cpi"] == pytest.approx(31 / 32, rel=0.02)
    refused = run("configs/gem5/base_cpi.py", "--program", tmp_path / "none", exit_code=2)
    assert "no such file" in refused.stderr
