# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 8a: how full two programs keep the queue."""

from __future__ import annotations

from itertools import accumulate

import pandas as pd

from hmsim.figures.declare import figure
from hmsim.figures.experiment import (
    CONFIG,
    WINDOW_NS,
    Runs,
    Window,
    block_agent,
    captured,
    window_file,
    windows,
    workload,
)
from hmsim.figures.logs import DEPTH, Occupancy
from hmsim.figures.style import CYCLE, Made, legend_of_paper
from hmsim.figures.style import paper as stated
from hmsim.figures.verdicts import Finding, estimate
from hmsim.running.mixes import Mix, agents
from hmsim.running.points import point

PAPER = {"dfsioe_r": ("R5a", 20.0), "sort": ("R5b", 95.0)}  # share with 104 or less, %
LOOPS = {"timed": "as the capture had them", "closed": "as fast as served"}
REQUESTS = 2000  # as fast as served
MANY = 104


def busy(program: str) -> float:
    """Return how many of a capture's windows have block requests, in per cent."""
    idle, *_ = windows(program, 1, WINDOW_NS)
    return 100 * (1 - idle.share)


@figure("fig8a", place=8)
def made(runs: Runs) -> Made:
    """Block I/O of programs alone, one queue of 128 entries (FR-FCFS); share of time."""
    points = []
    for program in PAPER:
        for loop in LOOPS:
            for seed in runs.seeds:
                if loop == "timed":
                    blocks = agents(Mix(program, "mcf", ("timed",)))[2] | {"measured": True}
                    capture = Window(0, runs.scaled(captured(program), 0.3))
                    blocks["path"] = str(window_file(runs, program, seed, capture))
                else:
                    blocks = block_agent(program, runs.scaled(REQUESTS, 0.3), seed)
                points.append(
                    point(
                        CONFIG,
                        workload(f"{program} alone", [blocks]),
                        policy="unified_fr_fcfs",
                        seed=seed,
                        axes={"program": program, "loop": loop},
                        runner=Occupancy(),
                    )
                )
    table = runs.table(points)
    rows = []
    for record in table.to_dict("records"):
        ends = accumulate(record[f"share.nvdimm.{n}"] for n in range(DEPTH + 1))
        keys = {name: record[name] for name in ("program", "loop", "seed")}
        rows += [{**keys, "entries": n, "share": 100 * end} for n, end in enumerate(ends)]
    data = pd.DataFrame(rows)
    means = data.groupby(["program", "loop", "entries"], sort=False)["share"].mean()
    findings = []
    for program, (claim, _) in PAPER.items():
        own = data[
            (data["program"] == program) & (data["loop"] == "timed") & (data["entries"] == MANY)
        ]
        ours = estimate({program: [100 - share for share in own["share"]]})
        closed = 100 - means[program, "closed", MANY]
        text = (
            f"Of the whole capture, of whose windows of 8 ms {busy(program):.0f} % have requests. "
            f"As fast as it is served, it is {closed:.0f} %, as of every program."
        )
        findings.append(Finding(claim, ours, True, text))
    ordered = findings[0].ours.mean > findings[1].ours.mean  # type: ignore[union-attr]
    findings = [Finding(f.claim, f.ours, ordered, f.text) for f in findings]

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        for program, colour in zip(PAPER, CYCLE):
            for loop, dash in (("timed", "-"), ("closed", ":")):
                axes.step(
                    range(DEPTH + 1),
                    means[program, loop],
                    dash,
                    where="post",
                    color=colour,
                    label=f"{program}, {LOOPS[loop]}",
                    lw=1.6,
                )
        for program, (_, share) in PAPER.items():
            stated(axes, MANY, share)
            side = "at most" if program == "dfsioe_r" else "at least"
            axes.annotate(
                *(f"the paper, {program}: {side} {share:g} %", (MANY, share)),
                xytext=(-8, -12),
                textcoords="offset points",
                ha="right",
                fontsize=8,
            )
        axes.axvline(MANY, color="#999999", lw=0.8, ls=":")
        axes.set_xlim(0, DEPTH + 2)
        axes.set_ylim(0, 101)
        axes.set_xlabel("entries of the queue that are held, at most (of 128)")
        axes.set_ylabel("share of time, %")
        axes.set_title("Fig. 8a: how full a program alone keeps the queue")
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(
            [*handles, legend_of_paper(axes)], [*labels, "the paper"], loc="center", fontsize=8
        )

    title = "Fig. 8a: depth of the queue"
    drawn = means.rename("share").reset_index()
    return Made(title, made.__doc__ or "", drawn, findings, paint, (7.5, 4))
