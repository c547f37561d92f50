# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 17: mean response time with frames of an item, of a page, and page-aware scheduling."""

from __future__ import annotations

import pandas as pd

from hmsim.figures.buffers import OUTSTANDING, SCHEMES, SYSTEM, table
from hmsim.figures.declare import figure
from hmsim.figures.experiment import Runs
from hmsim.figures.gains import chosen
from hmsim.figures.style import CYCLE, PAGE_WIDTH, Made, grouped_bars, legend_below
from hmsim.figures.style import paper as stated
from hmsim.figures.verdicts import Estimate, Finding, estimate, median
from hmsim.running.mixes import PROGRAMS

PAPER = {"item": 158.42, "page": 89.73}
LABELS = {"item": "item, FCFS", "page": "page, FCFS", "PAS": "page, PAS"}


def shorter(rows: pd.DataFrame) -> tuple[Estimate, Estimate]:
    """Return by how many per cent PAS shortens the response of page frames.

    The first is the mean of programs and sizes, the second the median program.
    """
    keys = ["program", "size_mib", "seed"]
    page = chosen(rows, scheme="page").set_index(keys)["response_us"]
    pas = chosen(rows, scheme="PAS").set_index(keys)["response_us"]
    gain = 100 * (1 - pas / page)
    return (
        estimate({str(name): list(g) for name, g in gain.groupby(["program", "size_mib"])}),
        median({str(name): list(g) for name, g in gain.groupby("program")}),
    )


@figure("fig17", place=17)
def made(runs: Runs) -> Made:
    """4 KB blocks of each program alone, in a closed loop; means over the sizes of the buffer."""
    found = table(runs)
    found["response_us"] = found["nvdimm.response_time_us.mean"]
    data = found[["outstanding", "program", "seed", "size_mib", "scheme", "response_us"]]
    bayes = chosen(data, program="bayes", outstanding=SYSTEM)
    ours = {
        scheme: estimate({scheme: list(chosen(bayes, scheme=scheme)["response_us"])})
        for scheme in SCHEMES
    }
    by_seed = bayes.groupby(["seed", "scheme"])["response_us"].mean().unstack("scheme")
    ratio = estimate({"bayes": list(by_seed["item"] / by_seed["page"])})
    right = ours["item"].mean > ours["page"].mean
    findings = [
        Finding(
            *("R17a", ours["item"], right),
            "A frame of 64 bytes keeps one line of a page. Lines that wait together share a read; "
            "lines that arrive later read the page again.",
        ),
        Finding(
            *("R17b", ours["page"], right),
            "In a closed loop two pages fill the queue of 128 lines. A lone block takes 71 us, "
            "and bayes at its own pace is close to that; the paper's number is between the two.",
        ),
        Finding("R17c", ratio, right, "See R17a."),
    ]
    few, _ = shorter(chosen(data, outstanding="4"))
    many, middle = shorter(chosen(data, outstanding=SYSTEM))
    text = (
        f"With 4 commands outstanding {few.mean:.1f} %, with the default of 32 "
        f"{many.mean:+.1f} % (switch at any miss)."
    )
    findings.append(Finding("R17d", many, many.mean > 0, text, middle))

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, 2, sharey=True)
        for axes, (outstanding, what) in zip(panels, OUTSTANDING.items()):
            series = {}
            for scheme in SCHEMES:
                own = chosen(data, outstanding=outstanding, scheme=scheme)
                means = own.groupby("program")["response_us"].mean()
                series[LABELS[scheme]] = [float(means[name]) for name in PROGRAMS]
            places = grouped_bars(axes, PROGRAMS, series, colours=CYCLE)
            axes.set_yscale("log")
            axes.set_ylim(0.3, 3e5)
            for scheme, value in PAPER.items():
                stated(axes, places["bayes", LABELS[scheme]], value)
            axes.set_title(what)
            axes.tick_params(axis="x", rotation=45)
        panels[0].set_ylabel("mean response of a 4 KB block, us\n(logarithmic)")
        legend_below(canvas, panels[1], 4, "the paper (bayes)")

    title = "Fig. 17: response time"
    return Made(title, f"{made.__doc__} Offline.", data, findings, paint, (PAGE_WIDTH, 4.2))
