# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 7: entries of one queue that hold DRAM requests."""

from __future__ import annotations

from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Case, Runs, mix_points
from hmsim.reproduce.figures.gains import whole
from hmsim.reproduce.figures.logs import DEPTH, Occupancy, at_most, shares_of
from hmsim.reproduce.figures.regimes import RESIDENT
from hmsim.reproduce.figures.style import CYCLE, PAGE_WIDTH, Made, legend_below
from hmsim.reproduce.figures.style import paper as stated
from hmsim.reproduce.figures.verdicts import Finding, estimate

PROGRAM = "dfsioe_r"
VARIANTS = {
    "cores that copy, from flash (headline)": Case(PROGRAM),
    "cores that copy, resident": Case(PROGRAM, regime=RESIDENT),
    "cores that copy, 16 loads": Case(PROGRAM, machine="marss"),
    "a copy engine": Case(PROGRAM, machine="dma"),
}
FEW = 24
MANY = "nvdimm.queue.share_over_104"


@figure("fig7", 7, "Fig. 7: DRAM entries in the queue", (PAGE_WIDTH, 4.4))
def made(runs: Runs) -> Made:
    """mcf and dfsioe_r on one queue of 128 entries (FR-FCFS): share of time by DRAM entries."""
    points = []
    for name, case in VARIANTS.items():
        points += mix_points(
            runs, [case], ("unified_fr_fcfs",), axes={"variant": name}, runner=Occupancy()
        )
    table = whole(runs.table(points), [*shares_of("dram"), MANY])
    data = at_most(table, "dram", ("variant", "seed"))
    means = data.groupby(["variant", "entries"], sort=False)["share"].mean()
    headline = next(iter(VARIANTS))
    ours = estimate({"dfsioe_r": list(100 * table.loc[table["variant"] == headline, MANY])})
    over = 100 * table.groupby("variant", sort=False)[MANY].mean()
    trend = over[headline] > 50

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        for name, colour, dash in zip(VARIANTS, CYCLE, ("-", "--", "-.", ":")):
            axes.step(
                range(DEPTH + 1), means[name], dash, where="post", color=colour, label=name, lw=1.6
            )
        stated(axes, FEW, 90)
        axes.axvline(FEW, color="#999999", lw=0.8, ls=":")
        axes.set_xlim(0, DEPTH)
        axes.set_ylim(0, 101)
        axes.set_xlabel("DRAM entries in the queue (upper bound, of 128)")
        axes.set_ylabel("share of time, %")
        axes.set_title("Fig. 7: DRAM requests in the queue, mcf beside dfsioe_r")
        legend_below(canvas, axes, 2, "the paper: over 90 % below 24")

    findings = [Finding("R4", ours, bool(trend))]
    return Made(means.rename("share").reset_index(), paint, findings)
