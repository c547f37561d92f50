# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 5: schedulers on one queue against no interference."""

from __future__ import annotations

import pandas as pd

from hmsim.reproduce.figures import firm
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import BESIDE, VERDICT, Case, Runs, in_modes, mix_table
from hmsim.reproduce.figures.gains import average, chosen, gains, in_mode, middle
from hmsim.reproduce.figures.regimes import MACHINE
from hmsim.reproduce.figures.style import PAGE_WIDTH, Made, legend_below, program_bars, wide
from hmsim.reproduce.figures.style import paper as stated
from hmsim.reproduce.figures.verdicts import Finding
from hmsim.workloads.mixes import PROGRAMS

POLICIES = ("tcm", "oracle", *firm.NAMES)
PAPER = {"TCM": 69.0, "FIRM": 51.0}
TITLES = {MACHINE: "cores that copy", "dma": "a copy engine"}


def compared(found: pd.DataFrame, mode: str) -> pd.DataFrame:
    """Return gains in a write mode: no interference over TCM and FIRM, and FIRM over TCM."""
    own = in_mode(found, mode)
    over = gains(own, "oracle", ("tcm", *firm.NAMES))
    over = over[over["over"] != "mean"].assign(policy="oracle")
    firms = [gains(own, name, ("tcm",)).assign(policy=name) for name in firm.NAMES]
    return pd.concat((over, *firms), ignore_index=True).assign(writes=mode)


@figure("fig5", 5, "Fig. 5: schedulers and no interference", (PAGE_WIDTH, 4.2))
def made(runs: Runs) -> Made:
    """Mixes with mcf: gain of a separate bus and queue for each class over one queue."""
    cases = [Case(name, machine=machine) for machine in TITLES for name in PROGRAMS]
    found = mix_table(runs, cases, in_modes(POLICIES))
    modes = [compared(found, mode) for mode in (VERDICT, BESIDE)]
    data = pd.concat(modes, ignore_index=True)
    over = chosen(data, policy="oracle", writes=VERDICT)
    best = firm.strongest(in_mode(chosen(found, machine=MACHINE), VERDICT), "both")
    findings = []
    for claim, policy, other in (
        ("R3a", "oracle", "tcm"),
        ("R3b", "oracle", best),
        ("R3c", best, "tcm"),
    ):
        own = chosen(modes[0], policy=policy, over=other, machine=MACHINE)
        mean = average(chosen(own, core="both"))
        median = middle(chosen(own, core="both"))
        findings.append(Finding(claim, mean, mean.mean > 0, median))

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, 2, sharey=True)
        for axes, machine in zip(panels, TITLES):
            own = chosen(over, machine=machine, core="both")
            places = program_bars(
                axes, {f"over {name.upper()}": chosen(own, over=name) for name in ("tcm", "firm")}
            )
            if machine == MACHINE:
                for name, value in PAPER.items():
                    stated(axes, places["mean", f"over {name}"], value)
            axes.set_title(f"Fig. 5, offline: {TITLES[machine]}")
            axes.tick_params(axis="x", rotation=45)
        wide(panels[0])
        panels[0].set_ylabel(
            "gain of no interference in IPC, %\n(mean of mcf and program;\nlogarithmic beyond 50 %)"
        )
        legend_below(canvas, panels[0], 3, "the paper (mean)")

    return Made(data, paint, findings, f"All with {VERDICT} writes.")
