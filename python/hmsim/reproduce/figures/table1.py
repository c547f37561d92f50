# SPDX-License-Identifier: BSD-3-Clause
"""Table I, as context: the time of one access."""

from __future__ import annotations

import random

import pandas as pd

from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Runs, synthetic_point
from hmsim.reproduce.figures.style import PAGE_WIDTH, Made, legend_of_paper, paper
from hmsim.reproduce.figures.verdicts import Estimate, Finding
from hmsim.style.look import BLUE, ORANGE

PAPER = {  # us: read, write
    "NVDIMM (paper: eXFlash)": (150.0, 4.66),
    "PCIe SSD": (400.0, 15.0),
    "SATA SSD": (800.0, 65.0),
}
SECTORS = 8  # of a 4 KB block
PAGES = 65_536


@figure("table1", 1, "Table I: time of one access", (PAGE_WIDTH, 2.8))
def made(runs: Runs) -> Made:
    """Random 4 KB blocks, one at a time, on an otherwise idle NVDIMM."""
    numbers = random.Random(1)
    pages = [numbers.randrange(PAGES) for _ in range(2000)]
    points = []
    for kind, read in (("read", 1), ("write", 0)):
        text = "".join(f"{n} 0 {page * SECTORS} {SECTORS} {read}\n" for n, page in enumerate(pages))
        trace = runs.file(f"table1-{kind}.trace", text)
        keys = {"kind": "block_trace", "core": 0, "path": str(trace), "format": "mqsim"}
        points.append(
            synthetic_point(kind, [{**keys, "threads": 1, "driver": "pmbd"}], {"access": kind})
        )
    table = runs.table(points)
    ours = dict(zip(table["access"], table["nvdimm.response_time_us.mean"]))
    devices = {"NVDIMM (hmsim)": (ours["read"], ours["write"]), **PAPER}
    data = pd.DataFrame(
        [(name, *values) for name, values in devices.items()],
        columns=["device", "read_us", "write_us"],
    )

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        names = list(devices)[::-1]
        for shift, colour, column, kind in ((0.2, BLUE, 0, "read"), (-0.2, ORANGE, 1, "write")):
            for row, name in enumerate(names):
                value = devices[name][column]
                if name.endswith("(hmsim)"):
                    axes.barh(row + shift, value, 0.36, color=colour, label=kind)
                    axes.text(value * 1.1, row + shift, f"{kind} {value:.3g} us", va="center")
                else:
                    paper(axes, value, row + shift, f"{kind} {value:g} us")
        axes.set_yticks(range(len(names)), names)
        axes.set_xscale("log")
        axes.set_xlim(0.2, 3000)
        axes.set_xlabel("time of a 4 KB access, us (logarithmic)")
        axes.grid(axis="x")
        axes.grid(visible=False, axis="y")
        handle = legend_of_paper(axes)
        axes.legend(handles=[handle], labels=["stated in the paper"], loc="lower left")
        axes.set_title("Table I: one access at a time")

    good = ours["write"] < ours["read"] / 10
    return Made(data, paint, [Finding("R1", Estimate.exact(ours["read"]), good)])
