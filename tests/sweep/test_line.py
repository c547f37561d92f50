# SPDX-License-Identifier: BSD-3-Clause
"""Does `hmsim sweep --plot` draw the table's values, and report missing ones before a run?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import hmsim
import pandas
import pytest
from hmsim.points.store import Store
from hmsim.sweep.line import Line, parse_line
from messages import naming
from support import fail, succeed
from test_sweep import SWEEP, sweep_file

AXIS = "policies.harmonic.weight"


def test_a_line_goes_through_the_means_of_each_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    drawn = []
    monkeypatch.setattr(pyplot, "close", drawn.append)
    reported = succeed("sweep", sweep_file(), "--jobs", "1", "--plot", f"{AXIS},dram.reads")
    assert reported.endswith(f"dram.reads over {AXIS}: s/plot.svg, s/plot.png\n")
    table = hmsim.load_results("s")
    (figure,) = drawn
    lines = figure.axes[0].get_lines()
    assert figure.axes[0].get_legend() is None and len(figure.legends) == 1  # beside the lines
    assert [line.get_label() for line in lines] == ["split", "hms = split"]  # reads do not differ
    for line in lines:
        rows = table[table["policy"] == line.get_label().split(" = ")[0]]
        means = rows.groupby(AXIS)["dram.reads"].mean()
        assert dict(zip(*line.get_data())) == pytest.approx(means.to_dict())
    picture = Path("s/plot.svg").read_bytes()
    Line(AXIS, "dram.reads").draw(table, Path("again"))
    assert Path("again.svg").read_bytes() == picture
    assert Path("s/plot.png").read_bytes().startswith(b"\x89PNG")


def points(values: dict[tuple[str, object, str, int], float]) -> pandas.DataFrame:
    """Return a table of points: policy, value of `AXIS`, workload, seed, and dram.reads of each."""
    axes = ["policy", AXIS, "workload", "seed"]
    table = pandas.DataFrame([*values], columns=axes)
    table["dram.reads"], table["error"] = [*values.values()], ""
    table.attrs.update({"axes": axes, "units": {"dram.reads": "requests"}})
    return table


def drawn(line: Line, table: pandas.DataFrame, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the axes of a picture."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figures: list[Any] = []
    monkeypatch.setattr(pyplot, "close", figures.append)
    line.draw(table, Path("picture"))
    return figures[0].axes[0]


def bars(plane: Any) -> list[list[float]]:
    """Return the lower and upper ends of the bars, line by line."""
    return [
        [float(y) for path in each.get_segments() for _, y in path] for each in plane.collections
    ]


def test_bars_are_intervals_over_seeds_not_over_workloads(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each seed's mean over two unlike workloads: 10, 12, 14. t(0.975, 2) = 4.303, s = 2.
    values = {
        ("split", 1, workload, seed): mean + far
        for workload, far in (("one", -9), ("two", 9))
        for seed, mean in ((1, 10), (2, 12), (3, 14))
    }
    plane = drawn(Line(AXIS, "dram.reads"), points(values), monkeypatch)
    assert plane.get_lines()[0].get_ydata() == pytest.approx([12])
    half = 4.303 * 2 / 3**0.5
    assert bars(plane) == [pytest.approx([12 - half, 12 + half])]
    assert "95 %" in plane.get_title(loc="left")
    # A seed that one workload lacks takes no part.
    values.pop(("split", 1, "one", 3))
    plane = drawn(Line(AXIS, "dram.reads"), points(values), monkeypatch)
    assert plane.get_lines()[0].get_ydata() == pytest.approx([11])


def test_logarithmic_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"512KiB": 2**19, "1MiB": 2**20, "4MiB": 2**22}
    values = {("split", text, "w", 1): float(size) for text, size in sizes.items()}
    plane = drawn(Line(AXIS, "dram.reads", "xy"), points(values), monkeypatch)
    assert (plane.get_xscale(), plane.get_yscale()) == ("log", "log")
    assert list(plane.get_lines()[0].get_xdata()) == [*sizes.values()]
    assert [text.get_text() for text in plane.get_xticklabels()] == [*sizes]
    values["split", "4MiB", "w", 1] = 0
    with pytest.raises(hmsim.InputError, match=naming("--log y", "positive")):
        drawn(Line(AXIS, "dram.reads", "y"), points(values), monkeypatch)
    for axis in ("policy", AXIS):
        labels = [{axis: "split"}, {axis: "1MiB"}]
        with pytest.raises(hmsim.InputError, match=naming("--log x", axis, "'split'")):
            Line(axis, "dram.reads", "x").check(labels)
    with pytest.raises(hmsim.InputError, match=naming("--log", "'z'", "xy")):
        parse_line(f"{AXIS},dram.reads", "z")
    assert naming("--log", "--plot").search(fail("sweep", sweep_file(), "--log", "x"))


@pytest.mark.parametrize(
    ("plot", "parts"),
    [
        ("weight", ("--plot weight:", "AXIS,STAT")),
        ("policies.harmonic.wieght,dram.reads", ("policies.harmonic.wieght:", f"'{AXIS}'?")),
        ("seed,dram.reads", ("--plot: seed:", f"policy, {AXIS}")),
        (f"{AXIS},dram.raeds", ("--plot: dram.raeds:", "'dram.reads'")),
    ],
)
def test_what_cannot_be_drawn_is_told_before_a_run(plot: str, parts: tuple[str, ...]) -> None:
    assert naming(*parts).search(fail("sweep", sweep_file(), "--jobs", "1", "--plot", plot))
    assert not list(Path("s/points").glob("*.json"))


def test_sigterm_ends_a_sweep_that_goes_on_later() -> None:
    sweep_file(SWEEP)
    script = (
        "import os, signal, hmsim.points.store as p\n"
        "from hmsim.cli import main\n"
        "append = p.Store.append\n"
        "def then(self, *rest, **how):\n"
        "    append(self, *rest, **how)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "p.Store.append = then\n"
        "main()\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, "sweep", "s.yaml", "--jobs", "1"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 128 + signal.SIGTERM
    assert done.stderr.splitlines()[-1].startswith("hmsim: terminated; ")
    assert len(list(Store("s").everything())) == 1
