# SPDX-License-Identifier: BSD-3-Clause
"""Does `hmsim sweep --plot` draw the table's values, and report missing ones before a run?"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import hmsim
import pytest
from hmsim.sweep.line import Line
from messages import naming
from support import invoke, succeed
from test_sweep import SWEEP, sweep_file

AXIS = "policies.harmonic.weight"


def test_a_line_goes_through_the_means_of_each_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    drawn = []
    monkeypatch.setattr(pyplot, "close", drawn.append)
    told = succeed("sweep", sweep_file(), "--jobs", "1", "--plot", f"{AXIS},dram.reads")
    assert told.endswith(f"dram.reads over {AXIS}: s/plot.svg, s/plot.png\n")
    table = hmsim.load_results("s")
    (figure,) = drawn
    lines = figure.axes[0].get_lines()
    assert figure.axes[0].get_legend() is None and len(figure.legends) == 1  # beside the lines
    assert [line.get_label() for line in lines] == ["split", "hms"]
    for line in lines:
        rows = table[table["policy"] == line.get_label()]
        means = rows.groupby(AXIS)["dram.reads"].mean()
        assert dict(zip(*line.get_data())) == pytest.approx(means.to_dict())
    picture = Path("s/plot.svg").read_bytes()
    Line(AXIS, "dram.reads").draw(table, Path("again"))
    assert Path("again.svg").read_bytes() == picture
    assert Path("s/plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("plot", "parts"),
    [
        ("weight", ("--plot weight:", "AXIS,STAT")),
        (
            "policies.harmonic.wieght,dram.reads",
            ("policies.harmonic.wieght:", f"'{AXIS}'?"),
        ),
        ("seed,dram.reads", ("--plot: seed:", f"policy, {AXIS}")),
        (f"{AXIS},dram.raeds", ("--plot: dram.raeds:", "'dram.reads'")),
    ],
)
def test_what_cannot_be_drawn_is_told_before_a_run(plot: str, parts: tuple[str, ...]) -> None:
    done = invoke("sweep", sweep_file(), "--jobs", "1", "--plot", plot)
    assert done.exit_code == 2
    assert naming(*parts).search(done.stderr), done.stderr
    assert not list(Path("s/points").glob("*.json"))


@pytest.mark.parametrize(
    ("absent", "options", "told"),
    [
        ("matplotlib", ["--jobs", "1", "--plot", f"{AXIS},dram.reads"], "--plot needs matplotlib"),
        ("matplotlib", ["--jobs", "1", "--pareto", "dram.reads,sim.ticks"], "--pareto needs"),
        ("distributed", ["--jobs", "2"], "--jobs 1"),
    ],
)
def test_an_extra_that_is_missing_is_told_before_a_run(
    absent: str, options: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == absent else find(name, *rest),
    )
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    done = invoke("sweep", sweep_file(), *options)
    assert done.exit_code == 2
    assert told in done.stderr and "pip install 'hmsim[" in done.stderr
    assert not Path("s/plan.json").exists()


def test_sigterm_ends_a_sweep_that_goes_on_later() -> None:
    sweep_file(SWEEP)
    script = (
        "import os, signal, hmsim.running.point_store as p\n"
        "from hmsim.cli import main\n"
        "save = p.Store.save\n"
        "def then(self, *rest):\n"
        "    save(self, *rest)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "p.Store.save = then\n"
        "main()\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, "sweep", "s.yaml", "--jobs", "1"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 128 + signal.SIGTERM
    assert done.stderr.splitlines()[-1].startswith("hmsim: terminated; ")
    assert len(list(Path("s/points").glob("*.json"))) == 1
