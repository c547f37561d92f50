# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 17: mean response time with frames of an item, of a page, and page-aware scheduling."""

from __future__ import annotations

from hmsim.reproduce.figures.buffers import LABELS, OUTSTANDING, SCHEMES, SYSTEM, change, table
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Runs
from hmsim.reproduce.figures.gains import by_program, chosen
from hmsim.reproduce.figures.style import PAGE_WIDTH, Made, grouped_bars, legend_below
from hmsim.reproduce.figures.style import paper as stated
from hmsim.reproduce.figures.verdicts import Finding, estimate
from hmsim.workloads.mixes import PROGRAMS

PAPER = {"item": 158.42, "page": 89.73}


@figure("fig17", 17, "Fig. 17: response time", (PAGE_WIDTH, 4.2))
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
        Finding("R17a", ours["item"], right),
        Finding("R17b", ours["page"], right),
        Finding("R17c", ratio, right),
    ]
    many, middle = change(chosen(data, outstanding=SYSTEM), "response_us", -1)
    findings.append(Finding("R17d", many, many.mean > 0, middle))

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, 2, sharey=True)
        for axes, (outstanding, what) in zip(panels, OUTSTANDING.items()):
            own = chosen(data, outstanding=outstanding).rename(columns={"response_us": "gain"})
            series = {
                LABELS[name]: by_program(chosen(own, scheme=name), PROGRAMS) for name in SCHEMES
            }
            places = grouped_bars(axes, PROGRAMS, series, intervals=False)
            axes.set_yscale("log")
            axes.set_ylim(0.3, 3e5)
            for scheme, value in PAPER.items():
                stated(axes, places["bayes", LABELS[scheme]], value)
            axes.set_title(what)
            axes.tick_params(axis="x", rotation=45)
        panels[0].set_ylabel("mean response of a 4 KB block, us\n(logarithmic)")
        legend_below(canvas, panels[1], 4, "the paper (bayes)")

    return Made(data, paint, findings, "Offline.")
