# SPDX-License-Identifier: BSD-3-Clause
"""The weight of harmonic scheduling, and the size of its tables."""

from __future__ import annotations

import pandas as pd

from hmsim.config.harmonic_table import DRAM_AXES, NVDIMM_AXES, cells
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import (
    BASELINES,
    BESIDE,
    HMS,
    VERDICT,
    Case,
    Runs,
    in_modes,
    mix_table,
)
from hmsim.reproduce.figures.gains import MIX, average, chosen, gains, in_mode
from hmsim.reproduce.figures.style import CYCLE, Made, curve, legend_below, wide
from hmsim.reproduce.figures.style import paper as stated
from hmsim.reproduce.figures.verdicts import Estimate, Finding, estimate

PAPER = {"dfsioe_r": (15.0, 22.0, "R12a"), "sort": (28.0, 10.0, "R12b")}
WEIGHTS = (0.2, 0.35, 0.5, 0.65, 0.8)
STAGES = 6  # of a queue's utilisation


def table_bytes() -> int:
    """Return the size of the tables as explicit rows: a byte for each key and for the value."""
    dram = sum(1 for cell in cells() if set(cell) == set(DRAM_AXES))
    nvdimm = sum(1 for cell in cells() if set(cell) == set(NVDIMM_AXES))
    queues = 2
    per_stage = queues * (1 + 1)
    return STAGES * per_stage + dram * (len(DRAM_AXES) + 1) + nvdimm * (len(NVDIMM_AXES) + 1)


@figure("weight", 15, "Weight of harmonic scheduling")
def made(runs: Runs) -> Made:
    """dfsioe_r and sort in mixes with mcf: gain of HMS over the baselines' mean, by its weight."""
    cases = [Case(name) for name in PAPER]
    base = mix_table(runs, cases, in_modes(BASELINES))
    rows = []
    for weight in WEIGHTS:
        harmonic = {"policies.harmonic.weight": weight}
        own = mix_table(runs, cases, in_modes((HMS,)), overrides=harmonic)
        both = pd.concat((base, own), ignore_index=True)
        for mode in (VERDICT, BESIDE):
            found = chosen(gains(in_mode(both, mode), HMS, BASELINES), over="mean")
            rows.append(found.assign(weight=weight, writes=mode))
    every = pd.concat(rows, ignore_index=True)
    data = chosen(every, writes=VERDICT)
    programs = chosen(data, core="program")
    findings = []
    for name, (_, _, claim) in PAPER.items():
        own = chosen(programs, program=name)
        first, last = (chosen(own, weight=w).set_index(MIX)["gain"] for w in (0.2, 0.8))
        ours = estimate({name: list(100 * ((100 + last) / (100 + first) - 1))})
        right = ours.mean > 0.5 if claim == "R12a" else ours.mean < -0.5
        findings.append(Finding(claim, ours, right))
    size = table_bytes()
    findings.append(Finding("R9", Estimate.exact(size), size == 3096))

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, 2)
        for axes, (name, (low, high, _)) in zip(panels, PAPER.items()):
            for core, colour, marker, beside in (
                ("program", CYCLE[0], "o", -0.006),
                ("partner", CYCLE[1], "s", 0.006),
            ):
                own = [chosen(data, core=core, program=name, weight=w) for w in WEIGHTS]
                curve(
                    *(axes, [weight + beside for weight in WEIGHTS], [*map(average, own)]),
                    marker=marker,
                    color=colour,
                    label="mcf" if core == "partner" else "program",
                )
            stated(axes, 0.2, low, f"{low:g} %")
            stated(axes, 0.8, high)
            axes.annotate(f"{high:g} %", (0.8, high), (-32, 0), textcoords="offset points")
            axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
            scale = ""
            if axes.get_ylim()[1] > 200:
                wide(axes)
                scale = " (log beyond 50 %)"
            axes.set_xlim(0.15, 0.85)
            axes.set_xticks(WEIGHTS)
            axes.set_xlabel("weight w of the performance term")
            axes.set_title(f"{name} beside mcf{scale}")
        panels[0].set_ylabel("gain of HMS in IPC over\nthe mean of the baselines, %")
        legend_below(canvas, panels[0], 3, "the paper")

    return Made(every, paint, findings, f"All with {VERDICT} writes.")
