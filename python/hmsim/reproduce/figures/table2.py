# SPDX-License-Identifier: BSD-3-Clause
"""Table II: gain of two queues over one."""

from __future__ import annotations

import math

import pandas as pd

from hmsim.reproduce.figures import style
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import ONE_QUEUE, Case, Runs, mix_table
from hmsim.reproduce.figures.gains import average, chosen, gains, middle
from hmsim.reproduce.figures.regimes import MACHINE, MACHINES
from hmsim.reproduce.figures.style import paper as stated
from hmsim.reproduce.figures.verdicts import LEAST_EFFECT, Estimate, Finding, estimate
from hmsim.style.look import BLUE, ORANGE
from hmsim.workloads.mixes import PROGRAMS

PAPER = {"partner": (91.96, "R2a"), "program": (9.26, "R2c")}
NAMES = {"partner": "mcf", "program": "program"}
COLOURS = (BLUE, ORANGE, "#8fc4e8", "#f6d48a")
TITLES = {"dma": "a copy engine", "table3": "cores that copy", "marss": "cores that copy, marss"}
DRAWN = (MACHINE, "dma")


def table(runs: Runs) -> pd.DataFrame:
    """Return the runs: one queue, two queues, and one queue of as many entries as two have."""
    cases = [Case(name, machine=machine) for machine in MACHINES for name in PROGRAMS]
    return mix_table(runs, cases, (ONE_QUEUE, "split_fcfs", "unified_256_fcfs"))


def ratio(rows: pd.DataFrame, of: str = "mean") -> Estimate:
    """Return the gain of mcf divided by that of the programs, seed by seed.

    The ratio is NaN unless both gain with every seed, by more than the least effect. A ratio with a
    loss compares nothing, and a ratio of two gains near zero is noise.

    Args:
        rows: gains of mcf and of the programs.
        of: statistic over the programs, mean or median.
    """
    by_program = rows.groupby(["core", "seed", "program"])["gain"].mean()
    gained = by_program.groupby(["core", "seed"]).agg(of).unstack("core")
    if not (gained[["partner", "program"]] > LEAST_EFFECT).all(axis=None):
        return Estimate.exact(math.nan)
    return estimate({"ratio": list(gained["partner"] / gained["program"])})


@figure("table2", 2, "Table II: queue division", (style.PAGE_WIDTH, 4.6))
def made(runs: Runs) -> style.Made:
    """Mixes with mcf, FCFS: gain in IPC of two queues of 128 entries over one of 128."""
    found = table(runs)
    split = gains(found, "split_fcfs", (ONE_QUEUE,)).assign(setting="two queues")
    more = gains(found, "unified_256_fcfs", (ONE_QUEUE,)).assign(setting="256 entries")
    data = pd.concat((split, more), ignore_index=True)
    means, findings = {}, []
    for core, (_, claim) in PAPER.items():
        rows = chosen(split, machine=MACHINE, core=core)
        means[core] = average(rows)
        findings.append(Finding(claim, means[core], means[core].mean > 0, middle(rows)))
    right = means["partner"].mean > means["program"].mean > 0
    rows = chosen(split, machine=MACHINE)
    findings.append(Finding("R2e", ratio(rows), right, ratio(rows, "median")))

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, 2, sharey=True)
        for axes, machine in zip(panels, DRAWN):
            series = {
                f"{NAMES[core]}, {setting}": chosen(rows, machine=machine, core=core)
                for setting, rows in (("two queues of 128", split), ("one queue of 256", more))
                for core in PAPER
            }
            places = style.program_bars(axes, series, COLOURS)
            if machine == MACHINE:
                for core, (value, _) in PAPER.items():
                    stated(axes, places["mean", f"{NAMES[core]}, two queues of 128"], value)
            axes.set_title(f"Table II, offline: {TITLES[machine]}")
            axes.tick_params(axis="x", rotation=45)
        style.wide(panels[0])
        panels[0].set_ylabel("gain in IPC over one queue of 128, %\n(logarithmic beyond 50 %)")
        style.legend_below(canvas, panels[0], 3, "the paper (mean)")

    return style.Made(data, paint, findings)
