# SPDX-License-Identifier: BSD-3-Clause
"""Claims about mixes, by the share of the programs' data that starts in the buffer."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pandas as pd

from hmsim.reproduce import figures
from hmsim.reproduce.figures.changes import Change
from hmsim.reproduce.figures.claims import BY_ID
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Runs
from hmsim.reproduce.figures.regimes import BUFFER, FILL, FILLED, MACHINE_KEY
from hmsim.reproduce.figures.style import CYCLE, PAGE_WIDTH, Made, legend_below

SHARES = (0.5, 0.8, 0.9, 0.95, 1.0)
DIRTY = 0.05  # of the write part, full at the start
MACHINES = {"table3": "cores that copy", "dma": "a copy engine"}
CLAIMS = ("R2a", "R2c", "R3a", "R3b", "R10", "R20a")


def changes(machine: str, share: float) -> tuple[Change, ...]:
    """Return the changes to a machine in which all programs have this share in the buffer."""
    keys = (
        (MACHINE_KEY, machine),
        (FILL, str(FILLED)),
        (BUFFER, "resident_dirty"),
        ("nvdimm.precondition.resident", str(share)),
        ("nvdimm.precondition.dirty", str(DIRTY)),
    )
    return (Change(keys, wins=True, deciding=True),)


@figure("resident", 23, "Claims by the share of data in the buffer", (PAGE_WIDTH, 5))
def made(runs: Runs) -> Made:
    """Claims about mixes, if every program finds a share of its pages in the buffer at the start.

    Pages are drawn at random, and 5 % of the write part is full. One seed.
    """
    rows = []
    for machine in MACHINES:
        for share in SHARES:
            changed = replace(runs.under(changes(machine, share)), one_seed=True)
            for name in dict.fromkeys(BY_ID[claim].figure for claim in CLAIMS):
                for each in figures.figures()[name].make(changed).findings:
                    if each.claim in CLAIMS and each.ours:
                        median = each.median.mean if each.median else None
                        keys = {"machine": machine, "claim": each.claim, "resident": share}
                        rows.append({**keys, "mean": each.ours.mean, "median": median})
    data = pd.DataFrame(rows)

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(2, 3, sharex=True)
        for axes, claim in zip(panels.flat, CLAIMS):
            for (machine, name), colour in zip(MACHINES.items(), CYCLE):
                own = data[(data["claim"] == claim) & (data["machine"] == machine)]
                x = 100 * own["resident"]
                axes.plot(x, own["mean"], "o-", color=colour, ms=4, label=f"{name}, mean")
                axes.plot(x, own["median"], "s:", color=colour, ms=3.5, label=f"{name}, median")
            axes.axhline(BY_ID[claim].paper, color="black", lw=0.8, ls="--", label="the paper")
            axes.axhline(0, color="#999999", lw=0.6)
            axes.set_title(textwrap.fill(f"{claim}: {BY_ID[claim].statement}", 32), fontsize=7.5)
        for axes in panels[1]:
            axes.set_xlabel("data in the buffer, %")
        for row in panels:
            row[0].set_ylabel("gain in IPC, %")
        legend_below(canvas, panels[0][0], 3)

    return Made(data, paint)
