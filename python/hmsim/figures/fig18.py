# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 18: what page-aware scheduling is worth, by the size of the buffer."""

from __future__ import annotations

import pandas as pd

from hmsim.figures.buffers import REQUESTS, block_point, sizes
from hmsim.figures.declare import figure
from hmsim.figures.experiment import Runs
from hmsim.figures.gains import chosen
from hmsim.figures.style import CYCLE, PAGE_WIDTH, Made, legend_below
from hmsim.figures.style import paper as stated
from hmsim.figures.verdicts import Estimate, Finding, estimate
from hmsim.running.mixes import PROGRAMS

PAPER = {4: 12.0, 512: 15.0}
LIMITS = ("4", "16", "queue")
TRIGGERS = {"any_miss": "switch at any miss (the paper)", "thrash": "switch at thrash (default)"}


@figure("fig18", place=18)
def made(runs: Runs) -> Made:
    """Rate of block I/O of the programs alone, page frames: PAS over FCFS, mean of the programs."""
    requests = runs.scaled(REQUESTS, 0.2)
    table = runs.table(
        block_point(program, size, scheme, limit, requests, seed, trigger=trigger)
        for limit in LIMITS
        for program in PROGRAMS
        for size in sizes(runs)
        for scheme, trigger in (("page", "any_miss"), *(("PAS", each) for each in TRIGGERS))
        for seed in runs.seeds[:1]  # they hardly differ
    )
    keys = ["outstanding", "size_mib", "program", "seed"]
    rate = table.set_index([*keys, "scheme", "trigger"])["agent.0.rate"]
    rate = rate.unstack(["scheme", "trigger"])
    parts = []
    for trigger in TRIGGERS:
        gain = 100 * (rate["PAS", trigger] / rate["page", "any_miss"] - 1)
        parts.append(gain.rename("gain").reset_index().assign(trigger=trigger))
    data = pd.concat(parts, ignore_index=True)

    def mean(**values: object) -> Estimate:
        rows = chosen(data, **values)
        return estimate({str(name): list(group["gain"]) for name, group in rows.groupby("program")})

    found = {
        size: {
            limit: mean(size_mib=size, outstanding=limit, trigger="any_miss") for limit in LIMITS
        }
        for size in PAPER
    }
    ends = {size: by_limit["queue"] for size, by_limit in found.items()}
    findings = []
    for claim, size in (("R18a", 4), ("R18b", 512)):
        listed = ", ".join(f"{v.mean:+.0f} % with {n}" for n, v in found[size].items())
        text = (
            f"By the limit of outstanding commands: {listed} (any_miss). The gain depends on that "
            "limit alone: at the queue's depth there is nothing to order. Blocks are read once, so "
            "the size of the buffer has no effect."
        )
        findings.append(Finding(claim, ends[size], ends[size].mean > 0.5, text))

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, 2, sharey=True)
        for axes, (trigger, what) in zip(panels, TRIGGERS.items()):
            for limit, colour, marker in zip(LIMITS, CYCLE, "osd"):
                values = [
                    mean(size_mib=size, outstanding=limit, trigger=trigger) for size in sizes(runs)
                ]
                name = "128 (queue)" if limit == "queue" else limit
                axes.errorbar(
                    sizes(runs),
                    [v.mean for v in values],
                    [[v.mean - v.low for v in values], [v.high - v.mean for v in values]],
                    marker=marker,
                    ms=4,
                    capsize=2,
                    color=colour,
                    label=f"{name} commands outstanding",
                )
            for size, value in PAPER.items():
                stated(axes, size, value)
            axes.set_xscale("log", base=2)
            axes.set_xticks(sizes(runs), [str(size) for size in sizes(runs)])
            axes.set_xlabel("size of the buffer, MiB")
            axes.set_title(what)
        panels[0].set_ylabel("gain of PAS in I/O rate, %")
        legend_below(canvas, panels[1], 2, "the paper (mean)")

    title = "Fig. 18: page-aware scheduling by the size of the buffer"
    return Made(title, made.__doc__ or "", data, findings, paint, (PAGE_WIDTH, 4))
