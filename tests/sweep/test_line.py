# SPDX-License-Identifier: BSD-3-Clause
"""Does `hmsim plot` draw the values of a table?"""

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
from messages import naming
from support import fail, succeed
from test_sweep import SWEEP, sweep_file

AXIS = "policies.harmonic.weight"


@pytest.fixture
def results() -> str:
    """Return a sweep's directory."""
    succeed("sweep", sweep_file(), "--jobs", "1")
    return "s"


def test_a_line_goes_through_the_means_of_each_policy(results: str) -> None:
    pytest.importorskip("matplotlib")
    table = hmsim.load_results(results)
    figure = hmsim.plot(table, AXIS, "dram.reads", out="own.svg")
    lines = [each for each in figure.axes[0].get_lines() if each.get_label()[0] != "_"]
    assert figure.axes[0].get_legend() is None and len(figure.legends) == 1  # beside the lines
    # Reads do not differ.
    assert [line.get_label() for line in lines] == ["split", "HMS, exact = split"]
    for line, policy in zip(lines, ("split", "hms")):
        means = table[table["policy"] == policy].groupby(AXIS)["dram.reads"].mean()
        assert dict(zip(*line.get_data())) == pytest.approx(means.to_dict())
    chosen = ("--x", AXIS, "--y", "dram.reads")
    assert succeed("plot", results, *chosen, "--out", "again.svg") == "again.svg\n"
    assert Path("again.svg").read_bytes() == Path("own.svg").read_bytes()
    assert succeed("plot", results) == "s/plot.pdf\n"
    assert Path("s/plot.pdf").read_bytes().startswith(b"%PDF")
    assert naming("s/plot.pdf", "--force").search(fail("plot", results))
    hmsim.style.save(figure, "own.png")
    assert Path("own.png").read_bytes().startswith(b"\x89PNG")


def points(values: dict[tuple[str, object, str, int], float]) -> pandas.DataFrame:
    """Return a table of points: policy, value of `AXIS`, workload, seed, and dram.reads of each."""
    axes = ["policy", AXIS, "workload", "seed"]
    table = pandas.DataFrame([*values], columns=axes)
    table["dram.reads"], table["error"] = [*values.values()], ""
    table.attrs.update({"axes": axes, "units": {"dram.reads": "requests"}})
    return table


def bars(plane: Any) -> list[list[float]]:
    """Return the lower and upper ends of the error bars, line by line."""
    return [
        [float(y) for path in each.get_segments() for _, y in path] for each in plane.collections
    ]


def test_bars_are_intervals_over_seeds_not_over_workloads() -> None:
    pytest.importorskip("matplotlib")
    # Each seed's mean over two unlike workloads: 10, 12, 14. t(0.975, 2) = 4.303, s = 2.
    values = {
        ("split", weight, workload, seed): mean + far
        for workload, far in (("one", -9), ("two", 9))
        for seed, mean in ((1, 10), (2, 12), (3, 14))
        for weight in (1, 2)
    }
    plane = hmsim.plot(points(values), AXIS, "dram.reads").axes[0]
    assert plane.get_lines()[0].get_ydata() == pytest.approx([12, 12])
    half = 4.303 * 2 / 3**0.5
    assert bars(plane) == [pytest.approx([12 - half, 12 + half] * 2)]
    # A seed that one workload lacks takes no part.
    values.pop(("split", 1, "one", 3))
    plane = hmsim.plot(points(values), AXIS, "dram.reads").axes[0]
    assert plane.get_lines()[0].get_ydata() == pytest.approx([11, 12])


def test_workloads_are_groups_of_bars_with_their_mean() -> None:
    pytest.importorskip("matplotlib")
    values: dict[tuple[str, object, str, int], float] = {
        (policy, 1, workload, seed): base * better + seed
        for policy, better in (("par_bs", 1), ("split", 2))
        for workload, base in (("mix:sort+mcf", 10), ("w.yaml", 40))
        for seed in (1, 3)
    }
    table = points(values).rename(columns={"dram.reads": "weighted_speedup"})
    table.attrs["units"] = {}
    figure = hmsim.plot(table)  # speedups by workload
    (plane,) = figure.axes
    names = [text.get_text() for text in plane.get_xticklabels()]
    assert names == ["sort+mcf", "w", "geometric\nmean"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["PAR-BS", "split"]
    heights = [bar.get_height() for bar in plane.patches]
    mean = [sum(((a + s) * (b + s)) ** 0.5 for s in (1, 3)) / 2 for a, b in ((10, 40), (20, 80))]
    assert heights == pytest.approx([12, 42, mean[0], 22, 82, mean[1]])
    assert len(bars(plane)) == 2 and bars(plane)[0][:2] == pytest.approx([12 - 12.706, 12 + 12.706])
    assert plane.get_ylabel() == "Weighted speedup"
    assert figure.get_figwidth() == hmsim.style.ONE_COLUMN
    assert hmsim.plot(table, columns=2).get_figwidth() == hmsim.style.TWO_COLUMNS
    both = table.assign(**{"nvdimm.ftl.waf": table["weighted_speedup"]})
    (plane,) = hmsim.plot(both, "nvdimm.ftl.waf", "weighted_speedup").axes
    assert plane.get_xlabel().endswith("; less is better")
    assert plane.get_ylabel().replace("\n", " ").endswith("; more is better")
    with pytest.raises(hmsim.InputError, match=naming("spedup:", "'weighted_speedup'?")):
        hmsim.plot(table, y="weighted_spedup")
    table["policies.tcm.seed"] = [1, 2] * 4
    table.attrs["axes"] = [*table.attrs["axes"], "policies.tcm.seed"]
    with pytest.raises(hmsim.InputError, match=naming("by", "policies.tcm.seed")):
        hmsim.plot(table, by="policy")


def test_axes_can_be_logarithmic() -> None:
    pytest.importorskip("matplotlib")
    sizes = {"512KiB": 2**19, "1MiB": 2**20, "4MiB": 2**22}
    values = {("split", text, "w", 1): float(size) for text, size in sizes.items()}
    plane = hmsim.plot(points(values), AXIS, "dram.reads", log="xy").axes[0]
    assert (plane.get_xscale(), plane.get_yscale()) == ("log", "log")
    assert list(plane.get_lines()[0].get_xdata()) == [*sizes.values()]
    assert [text.get_text() for text in plane.get_xticklabels()] == [*sizes]
    values["split", "4MiB", "w", 1] = 0
    with pytest.raises(hmsim.InputError, match=naming("log y", "positive")):
        hmsim.plot(points(values), AXIS, "dram.reads", log="y")
    values["split", "4MiB", "w", 1] = values["split", "all", "w", 1] = 1
    with pytest.raises(hmsim.InputError, match=naming("log x", AXIS, "'all'")):
        hmsim.plot(points(values), AXIS, "dram.reads", log="x")


def test_labels_of_logarithmic_axes_are_at_decades() -> None:
    pytest.importorskip("matplotlib")
    loads = {("split", 10**power, "w", 1): 2.0 * power for power in range(7)}
    figure = hmsim.plot(points(dict(loads)), AXIS, "dram.reads", log="x", out="decades.png")
    low, high = figure.axes[0].get_xlim()
    axis = figure.axes[0].xaxis
    ticks = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
    assert ticks == pytest.approx([10**power for power in range(7)])
    assert axis.get_major_formatter()(1e4) == "10,000"
    assert axis.get_major_formatter()(1e6) == "$10^{6}$"
    assert figure.axes[0].get_xlabel() == "Harmonic weight"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("--x", "policies.harmonic.wieght"), ("wieght", f"'{AXIS}'?")),
        (("--x", AXIS, "--y", "dram.raeds"), ("dram.raeds:", "'dram.reads'")),
        (("--x", AXIS, "--y", "dram.reads", "--by", "polcy"), ("by: polcy:", "'policy'?")),
        (("--x", AXIS, "--y", "policy"), ("policy: an axis",)),
        (("--x", AXIS, "--by", "seed"), ("seed: not drawn",)),
        (("--x", AXIS, "--log", "z"), ("log", "'z'", "xy")),
        (("--out", "p.gif"), ("p.gif", ".pdf, .svg, .png")),
    ],
)
def test_plots_that_cannot_be_drawn_are_reported(
    arguments: tuple[str, ...], parts: tuple[str, ...], results: str
) -> None:
    assert naming(*parts).search(fail("plot", results, *arguments))


def test_sigterm_ends_a_sweep_that_can_be_resumed() -> None:
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
