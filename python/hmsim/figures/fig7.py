# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 7: how many entries of one queue are DRAM's."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pandas as pd

from hmsim.figures.declare import figure
from hmsim.figures.experiment import CONFIG, Case, Runs, mixes
from hmsim.figures.gains import SHARE, whole
from hmsim.figures.logs import DEPTH, Occupancy
from hmsim.figures.style import CYCLE, Made, legend_of_paper
from hmsim.figures.style import paper as stated
from hmsim.figures.verdicts import Finding, estimate

CASE = Case("dfsioe_r")
VARIANTS: dict[str, dict[str, Any]] = {
    "as the capture had them (headline)": {},
    "closed loop, 4 threads of 64 lines": {"replay": "closed"},
    "closed loop, 2 threads of 64 lines": {"replay": "closed", "threads": 2},
    "closed loop, 4 threads of 10 lines": {"replay": "closed", "window": 10},
}
FEW = 24
MANY = "nvdimm.queue.share_over_104"


@figure("fig7", place=7)
def made(runs: Runs) -> Made:
    """mcf beside dfsioe_r on one queue of 128 entries (FR-FCFS); share of time."""
    from hmsim.running.points import point

    points = []
    for name, keys in VARIANTS.items():
        for seed in runs.seeds:
            timed = keys.get("replay") != "closed"
            case = Case(CASE.program, timed=timed, blocks=keys)
            points += [
                point(
                    CONFIG,
                    agents,
                    policy="unified_fr_fcfs",
                    seed=seed,
                    axes={"variant": name, SHARE: share},
                    runner=Occupancy(),
                )
                for agents, share in mixes(runs, case, seed)
            ]
    shares = [f"share.dram.{n}" for n in range(DEPTH + 1)]
    table = whole(runs.table(points), [*shares, MANY])
    rows = []
    for record in table.to_dict("records"):
        ends = accumulate(record[name] for name in shares)
        rows += [
            {"variant": record["variant"], "seed": record["seed"], "entries": n, "share": 100 * end}
            for n, end in enumerate(ends)
        ]
    data = pd.DataFrame(rows)
    means = data.groupby(["variant", "entries"], sort=False)["share"].mean()
    headline = next(iter(VARIANTS))
    ours = estimate({"dfsioe_r": list(100 * table.loc[table["variant"] == headline, MANY])})
    over = 100 * table.groupby("variant", sort=False)[MANY].mean()
    others = "; ".join(
        f"{name}: {over[name]:.0f} % and {means[name, FEW - 1]:.0f} %" for name in VARIANTS
    )
    text = f"Time with more than 104 of the NVDIMM, and with fewer than 24 of DRAM: {others}."
    trend = over[headline] > 50

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        for name, colour, dash in zip(VARIANTS, CYCLE, ("-", "--", "-.", ":")):
            axes.step(
                range(DEPTH + 1), means[name], dash, where="post", color=colour, label=name, lw=1.6
            )
        stated(axes, FEW, 90, "the paper: over 90 % below 24")
        axes.axvline(FEW, color="#999999", lw=0.8, ls=":")
        axes.set_xlim(0, DEPTH)
        axes.set_ylim(0, 101)
        axes.set_xlabel("entries of the queue that are DRAM's, at most (of 128)")
        axes.set_ylabel("share of time, %")
        axes.set_title("Fig. 7: DRAM requests in the queue, mcf beside dfsioe_r")
        handles, labels = axes.get_legend_handles_labels()
        axes.legend([*handles, legend_of_paper(axes)], [*labels, "the paper"], loc="lower right")

    findings = [Finding("R4", ours, bool(trend), text)]
    title = "Fig. 7: DRAM's entries of the queue"
    drawn = means.rename("share").reset_index()
    return Made(title, made.__doc__ or "", drawn, findings, paint, (7.5, 4))
