# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 20: all techniques together."""

from __future__ import annotations

import pandas as pd

from hmsim.figures.declare import figure
from hmsim.figures.experiment import BESIDE, VERDICT, Case, Runs, in_modes, mix_points
from hmsim.figures.gains import average, by_program, chosen, gains, in_mode, spread, whole
from hmsim.figures.style import CYCLE, Made, grouped_bars, legend_of_paper, wide
from hmsim.figures.style import paper as stated
from hmsim.figures.verdicts import Finding, estimate
from hmsim.running.mixes import PROGRAMS

POLICIES = ("firm", "hms", "all")
PAPER = 27.0
SYSTEMS = {"mascots16": "buffers of 400 MiB, new NVDIMM", "quick": "buffers of 1 MiB, aged NVDIMM"}


def gain(rows: pd.DataFrame, over: str) -> float:
    return average(chosen(rows, over=over)).mean


def compared(found: pd.DataFrame, mode: str) -> pd.DataFrame:
    """Return what HMS and all techniques gain over FIRM, and over HMS, in a write mode."""
    own = in_mode(found, mode)
    over = [gains(own, policy, ("firm",)).assign(policy=policy) for policy in ("hms", "all")]
    alone = gains(own, "all", ("hms",)).assign(policy="all")
    return pd.concat((*over, alone), ignore_index=True).assign(writes=mode)


@figure("fig20", place=20)
def made(runs: Runs) -> Made:
    """Mixes with mcf: gain of all techniques, and of harmonic scheduling alone, over FIRM."""
    tables = []
    for config in SYSTEMS:
        online = (False, True) if config == "mascots16" else (False,)
        cases = [Case(name, online=each) for each in online for name in PROGRAMS]
        found = whole(runs.table(mix_points(runs, cases, in_modes(POLICIES), config=config)))
        tables += [compared(found, mode).assign(config=config) for mode in (VERDICT, BESIDE)]
    every = pd.concat(tables, ignore_index=True)
    data = chosen(every, writes=VERDICT)
    beside = chosen(every, writes=BESIDE, config="mascots16", environment="offline")
    beside = chosen(beside, core="program", policy="all")
    main = chosen(data, config="mascots16", environment="offline", core="program")
    firm = chosen(main, policy="all", over="firm")
    added = chosen(main, over="hms")
    online = chosen(data, config="mascots16", environment="online", core="program", policy="all")
    aged = chosen(data, config="quick", core="program", policy="all")
    best = firm.groupby("program")["gain"].mean().idxmax()
    findings = [
        Finding(
            *("R20a", average(firm), average(firm).mean > 0),
            f"By program: {spread(firm)}. Online {gain(online, 'firm'):+.0f} %; small buffers and "
            f"an aged NVDIMM {gain(aged, 'firm'):+.0f} %. With {BESIDE} writes "
            f"{gain(beside, 'firm'):+.0f} %.",
        ),
        Finding(
            *("R20b", average(added), average(added).mean > 0.5),
            "With 400 MiB buffers and a new NVDIMM there is nothing to thrash and nothing to "
            f"collect. Small buffers, aged: {gain(aged, 'hms'):+.1f} %. With {BESIDE} writes "
            f"{gain(beside, 'hms'):+.1f} %. The program's core does "
            "not wait for its blocks here, so what is done for blocks is not in its IPC.",
        ),
        Finding(
            *("R21", estimate({best: list(chosen(firm, program=best)["gain"])})),
            average(firm).mean > 0,
            f"{best}; the range is {spread(firm)}, that of the paper 10 to 35 %.",
        ),
    ]

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, 3, sharey=True)
        groups = [*PROGRAMS, "mean"]
        for axes, (config, environment) in zip(
            panels, (("mascots16", "offline"), ("mascots16", "online"), ("quick", "offline"))
        ):
            rows = chosen(data, config=config, environment=environment, core="program", over="firm")
            series, errors = {}, {}
            for policy, name in (("hms", "HMS"), ("all", "all techniques")):
                own = chosen(rows, policy=policy)
                values = [*by_program(own, PROGRAMS), average(own)]
                series[name] = [v.mean for v in values]
                errors[name] = [(v.low, v.high) for v in values]
            places = grouped_bars(axes, groups, series, errors, CYCLE)
            if (config, environment) == ("mascots16", "offline"):
                stated(axes, places["mean", "all techniques"], PAPER)
            axes.set_title(f"{environment}, {SYSTEMS[config]}", fontsize=8.5)
            axes.tick_params(axis="x", rotation=60)
        wide(panels[0])
        panels[0].set_ylabel("gain in the program's IPC over FIRM, %\n(logarithmic beyond 50 %)")
        handles, labels = panels[0].get_legend_handles_labels()
        panels[0].legend(
            [*handles, legend_of_paper(panels[0])], [*labels, "the paper (mean)"], fontsize=8
        )

    title = "Fig. 20: all techniques"
    caption = f"{made.__doc__} All with {VERDICT} writes."
    return Made(title, caption, every, findings, paint, (11, 4.2))
