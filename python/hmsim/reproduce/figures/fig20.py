# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 20: all techniques together."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hmsim.reproduce.figures import firm
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import (
    ALL,
    BESIDE,
    FLASH_MIXES,
    HMS,
    MIXES,
    VERDICT,
    Runs,
    in_modes,
    mix_table,
)
from hmsim.reproduce.figures.gains import average, chosen, gains, in_mode, middle
from hmsim.reproduce.figures.style import PAGE_WIDTH, Made, legend_below, program_bars, wide
from hmsim.reproduce.figures.style import paper as stated
from hmsim.reproduce.figures.verdicts import Finding, estimate

SCHEMES = (HMS, ALL, "hms", "all")
PAPER = 27.0
# Buffers of the second system are too small for the programs' reads.
SYSTEMS = {
    "mascots16": ("buffers of 400 MiB, new NVDIMM", MIXES),
    "quick": ("buffers of 1 MiB, aged NVDIMM", FLASH_MIXES),
}


def firms(config: str) -> tuple[str, ...]:
    """Return the names of FIRM's sets of parameters to run with a system.

    Claims use those of mascots16 only, so other systems run the published set alone.
    """
    return firm.NAMES if config == "mascots16" else (firm.PUBLISHED,)


def compared(found: pd.DataFrame, mode: str, firms_: Sequence[str]) -> pd.DataFrame:
    """Return gains in a write mode: HMS and all techniques over FIRM, all techniques over HMS."""
    own = in_mode(found, mode)
    over = [
        gains(own, policy, (name,)).assign(policy=policy) for policy in SCHEMES for name in firms_
    ]
    alone = [
        gains(own, policy, (under,)).assign(policy=policy)
        for policy, under in ((ALL, HMS), ("all", "hms"))
    ]
    return pd.concat((*over, *alone), ignore_index=True).assign(writes=mode)


@figure("fig20", 20, "Fig. 20: all techniques", (PAGE_WIDTH, 4.2))
def made(runs: Runs) -> Made:
    """Mixes with mcf: gain of all techniques, and of harmonic scheduling alone, over FIRM."""
    tables, best_firm = [], firm.PUBLISHED
    for config, (_, cases) in SYSTEMS.items():
        names = firms(config)
        found = mix_table(runs, cases, in_modes((*names, *SCHEMES)), config=config)
        tables += [compared(found, mode, names).assign(config=config) for mode in (VERDICT, BESIDE)]
        if len(names) > 1:
            best_firm = firm.strongest(in_mode(found, VERDICT), "program")
    every = pd.concat(tables, ignore_index=True)
    program = chosen(every, core="program")
    main = chosen(program, writes=VERDICT, config="mascots16")
    aged = chosen(program, writes=VERDICT, config="quick")
    over, added = chosen(main, policy=ALL, over=best_firm), chosen(main, policy=ALL, over=HMS)
    best = over.groupby("program")["gain"].mean().idxmax()
    largest = estimate({best: list(chosen(over, program=best)["gain"])})
    findings = [
        Finding("R20a", average(over), average(over).mean > 0, middle(over)),
        Finding("R20b", average(added), average(added).mean > 0, middle(added)),
        Finding("R21", largest, average(over).mean > 0),
    ]

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, 2, sharey=True)
        for axes, (config, rows) in zip(panels, (("mascots16", main), ("quick", aged))):
            rows = chosen(rows, over="firm")
            titles = {"HMS": HMS, "all techniques": ALL}
            places = program_bars(
                axes, {name: chosen(rows, policy=policy) for name, policy in titles.items()}
            )
            if config == "mascots16":
                stated(axes, places["mean", "all techniques"], PAPER)
            axes.set_title(f"offline, {SYSTEMS[config][0]}", fontsize=8.5)
            axes.tick_params(axis="x", rotation=60)
        wide(panels[0])
        panels[0].set_ylabel("gain in the program's IPC over FIRM, %\n(logarithmic beyond 50 %)")
        legend_below(canvas, panels[0], 3, "the paper (mean)")

    return Made(every, paint, findings, f"All with {VERDICT} writes.")
