# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 8a: occupancy of the queue under two programs."""

from __future__ import annotations

from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Case, Runs, mix_points
from hmsim.reproduce.figures.gains import chosen, whole
from hmsim.reproduce.figures.logs import DEPTH, Occupancy, at_most, shares_of
from hmsim.reproduce.figures.regimes import FLASH, REGIMES, RESIDENT
from hmsim.reproduce.figures.style import CYCLE, PAGE_WIDTH, Made, legend_below
from hmsim.reproduce.figures.style import paper as stated
from hmsim.reproduce.figures.verdicts import LEAST_EFFECT, Finding, estimate

PAPER = {"dfsioe_r": ("R5a", 20.0), "sort": ("R5b", 95.0)}  # share with 104 or less, %
TITLES = {FLASH: "from flash", RESIDENT: "resident"}
MANY = 104


@figure("fig8a", 8, "Fig. 8a: depth of the queue", (PAGE_WIDTH, 4.4))
def made(runs: Runs) -> Made:
    """Each program alone on one queue of 128 entries (FR-FCFS): share of time by NVDIMM entries."""
    cases = [Case(name, partner="", regime=regime) for name in PAPER for regime in TITLES]
    points = mix_points(runs, cases, ("unified_fr_fcfs",), runner=Occupancy())
    table = whole(runs.table(points), shares_of("nvdimm"), job=0)
    data = at_most(table, "nvdimm", ("program", "regime", "seed"))
    means = data.groupby(["program", "regime", "entries"], sort=False)["share"].mean()
    findings = []
    for program, (claim, _) in PAPER.items():
        regime = REGIMES[program]
        own = chosen(data, program=program, regime=regime, entries=MANY)
        ours = estimate({program: [100 - share for share in own["share"]]})
        findings.append(Finding(claim, ours, True))
    first, second = (each.ours.mean for each in findings)  # type: ignore[union-attr]
    ordered = first - second > LEAST_EFFECT
    used = all(means[name, REGIMES[name], 0] < 100 for name in PAPER)
    findings = [Finding(f.claim, f.ours, ordered and used) for f in findings]

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        for program, colour in zip(PAPER, CYCLE):
            for regime in TITLES:
                axes.step(
                    range(DEPTH + 1),
                    means[program, regime],
                    "-" if regime == REGIMES[program] else ":",
                    where="post",
                    color=colour,
                    label=f"{program}, {TITLES[regime]}",
                    lw=1.6,
                )
        for program, (_, share) in PAPER.items():
            stated(axes, MANY, share)
            side, apart = ("at most", 6) if program == "dfsioe_r" else ("at least", -12)
            axes.annotate(
                *(f"the paper, {program}: {side} {share:g} %", (MANY, share)),
                xytext=(-8, apart),
                textcoords="offset points",
                ha="right",
                fontsize=8,
            )
        axes.axvline(MANY, color="#999999", lw=0.8, ls=":")
        axes.set_xlim(0, DEPTH + 2)
        axes.set_ylim(0, 101)
        axes.set_xlabel("occupied queue entries (upper bound, of 128)")
        axes.set_ylabel("share of time, %")
        axes.set_title("Fig. 8a: queue occupancy of a program alone")
        legend_below(canvas, axes, 2, "the paper")

    return Made(means.rename("share").reset_index(), paint, findings)
