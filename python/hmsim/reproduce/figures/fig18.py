# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 18: gain of page-aware scheduling by the size of the buffer."""

from __future__ import annotations

import pandas as pd

from hmsim.reproduce.figures import experiment
from hmsim.reproduce.figures.buffers import REQUESTS, SIZES, SYSTEM, block_point, sizes
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.gains import CORES, average, chosen, middle, whole
from hmsim.reproduce.figures.style import CYCLE, PAGE_WIDTH, Made, curve, legend_below, powers
from hmsim.reproduce.figures.style import paper as stated
from hmsim.reproduce.figures.verdicts import Estimate, Finding
from hmsim.workloads.mixes import PROGRAMS

PAPER = {4: 12.0, 512: 15.0}
LIMITS = ("4", "5", "32", "33", SYSTEM)  # divisors of a page's 64 lines, and one step beside
TITLES = {**{limit: limit for limit in LIMITS}, SYSTEM: "no limit of"}
METRIC, RATE, IPC = "fig18_metric", "rate", "ipc"  # a choice of readings
IPC_SCHEMES = {"page": experiment.SPLIT_FCFS.name, "PAS": experiment.SPLIT_PAS.name}
TRIGGERS = {"any_miss": "switch at any miss (the paper)", "thrash": "switch at thrash (default)"}


def by_ipc(runs: experiment.Runs) -> pd.DataFrame:
    """Return what PAS adds to the IPC of programs beside mcf, in per cent, by size and seed."""
    points = []
    for size in PAPER:
        buffer = {f"nvdimm.buffer.{part}_size": f"{size}MiB" for part in ("read", "write")}
        for scheme, policy in IPC_SCHEMES.items():
            axes = {"size_mib": size, "scheme": scheme}
            cases = experiment.MIXES if size >= SIZES[-1] else experiment.FLASH_MIXES
            points += experiment.mix_points(runs, cases, (policy,), buffer, axes)
    table = whole(runs.table(points))
    keys = ["program", "size_mib", "seed"]
    ipc = table.pivot(index=keys, columns="scheme", values=CORES["program"])
    return (100 * (ipc["PAS"] / ipc["page"] - 1)).rename("gain").reset_index()


@figure("fig18", 18, "Fig. 18: page-aware scheduling by the size of the buffer", (PAGE_WIDTH, 4))
def made(runs: experiment.Runs) -> Made:
    """Gain of PAS over FCFS in the block I/O rate of each program alone, page frames; mean.

    If the scheduler switches at any miss, it gains only with limits that divide the 64 lines of a
    page (4, 32): one command more, and the gain is gone.
    """
    requests = runs.scaled(REQUESTS, 0.2)
    table = runs.table(
        block_point(program, size, scheme, limit, requests, seed, trigger=trigger)
        for limit in LIMITS
        for program in PROGRAMS
        for size in sizes(runs)
        for scheme, trigger in (("page", "any_miss"), *(("PAS", each) for each in TRIGGERS))
        for seed in runs.seeds
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
        return average(chosen(data, **values))

    by_rate = chosen(data, outstanding=SYSTEM, trigger="any_miss")
    judged = by_ipc(runs) if runs.choice(METRIC, RATE) == IPC else by_rate
    ends = {size: average(chosen(judged, size_mib=size)) for size in PAPER}
    right = {4: ends[4].mean > 0, 512: ends[512].mean >= max(0, ends[4].mean)}
    findings = []
    for claim, size in (("R18a", 4), ("R18b", 512)):
        programs = middle(chosen(judged, size_mib=size))
        findings.append(Finding(claim, ends[size], right[size], programs))

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, 2, sharey=True)
        for axes, (trigger, what) in zip(panels, TRIGGERS.items()):
            for limit, colour, marker in zip(LIMITS, CYCLE, "osdv^"):
                values = [
                    mean(size_mib=size, outstanding=limit, trigger=trigger) for size in sizes(runs)
                ]
                curve(
                    *(axes, sizes(runs), values),
                    marker=marker,
                    color=colour,
                    label=f"{TITLES[limit]} commands outstanding",
                )
            for size, value in PAPER.items():
                stated(axes, size, value)
            powers(axes, sizes(runs))
            axes.set_xlabel("size of the buffer, MiB")
            axes.set_title(what)
        panels[0].set_ylabel("gain of PAS in I/O rate, %")
        legend_below(canvas, panels[1], 2, "the paper (mean)")

    return Made(data, paint, findings)
