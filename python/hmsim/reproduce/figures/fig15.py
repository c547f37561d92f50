# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 15a and c to e: harmonic scheduling against four schedulers of one queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import pandas as pd

from hmsim.reproduce.figures import firm
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
from hmsim.reproduce.figures.gains import (
    CORES,
    MIX,
    average,
    chosen,
    difference,
    gains,
    in_mode,
    middle,
)
from hmsim.reproduce.figures.style import (
    CYCLE,
    PAGE_WIDTH,
    Made,
    clip,
    label,
    legend_below,
    program_bars,
    wide,
)
from hmsim.reproduce.figures.style import paper as stated
from hmsim.reproduce.figures.verdicts import Estimate, Finding
from hmsim.workloads.mixes import PROGRAMS

DRAWN = (*BASELINES, HMS, "hms")
POLICIES = (*DRAWN, *firm.NAMES[1:])
PARTNERS = ("mcf", "lbm", "milc")
PANELS = {  # partner, core, claim, the paper's mean gain
    "a": ("mcf", "program", "R10", 13.0),
    "c": ("lbm", "program", "R13a", None),
    "d": ("milc", "program", "R13b", 4.0),
}


@lru_cache(maxsize=4)  # panels share partners, and to find a thousand kept runs takes a minute
def table(runs: Runs, partner: str) -> pd.DataFrame:
    """Return the runs of a panel, in both write modes. Callers leave it as it is."""
    return mix_table(runs, [Case(name, partner) for name in PROGRAMS], in_modes(POLICIES))


def baselines(runs: Runs, partner: str, core: str) -> tuple[str, ...]:
    """Return the baselines with the best of FIRM's parameters, by the gain of a core."""
    best = firm.strongest(in_mode(table(runs, partner), VERDICT), core)
    return tuple(best if name == firm.PUBLISHED else name for name in BASELINES)


def mean_gain(
    runs: Runs,
    partner: str,
    core: str,
    mode: str = VERDICT,
    policy: str = HMS,
    over: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return what HMS gains over the baselines, all in one write mode.

    ``over`` is by default what `baselines` returns. Rows whose column ``over`` is ``mean`` are of
    their mean.
    """
    found = over or baselines(runs, partner, core)
    return gains(in_mode(table(runs, partner), mode), policy, found).assign(writes=mode)


def mean_of(rows: pd.DataFrame, core: str) -> Estimate:
    """Return the mean gain of a core over the mean of the baselines."""
    return average(chosen(rows, core=core, over="mean"))


def is_ordered(rows: Mapping[str, pd.DataFrame], partners: Sequence[str]) -> bool:
    """Return whether gains fall from partner to partner, by mean and median, whole intervals."""
    steps = [difference(rows[more], rows[less]) for more, less in zip(partners, partners[1:])]
    return all(average(step).low > 0 and middle(step).mean > 0 for step in steps)


def speedups(found: pd.DataFrame, core: str) -> pd.DataFrame:
    """Return IPC over the mean of the baselines, of the same mix, seed and write mode."""
    rows = []
    both = pd.concat([in_mode(found, mode) for mode in (VERDICT, BESIDE)], ignore_index=True)
    for key, group in both.groupby([*MIX, "writes"], sort=False):
        ipc = group.set_index("policy")[CORES[core]]
        base = ipc[list(BASELINES)].mean()
        rows += [
            {**dict(zip((*MIX, "writes"), key)), "policy": name, "speedup": value / base}
            for name, value in ipc.items()
        ]
    return pd.DataFrame(rows)


def panel(runs: Runs, letter: str) -> Made:
    """Return one of the panels a, c and d."""
    partner, core, claim, paper = PANELS[letter]
    found = table(runs, partner)
    rows = mean_gain(runs, partner, core)
    ours = mean_of(rows, core)
    over_mean = chosen(rows, core=core, over="mean")
    data = speedups(found, core)
    trend = ours.mean > 0
    if letter in "cd":
        own = {
            name: chosen(mean_gain(runs, name, core), core=core, over="mean") for name in PARTNERS
        }
        others = {name: average(each).mean for name, each in own.items()}
        order = PARTNERS if letter == "c" else ("mcf", "milc")
        trend = all(others[name] > 0 for name in order) and is_ordered(own, order)

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        drawn = chosen(data, writes=VERDICT).rename(columns={"speedup": "gain"})
        series = {label(name): chosen(drawn, policy=name) for name in DRAWN}
        colours = ("#c9c9c9", "#a6a6a6", "#848484", "#5f5f5f", CYCLE[0], "#8fc4e8")
        places = program_bars(axes, series, colours)
        axes.axhline(1, color="black", lw=0.8)
        clip(axes, 3.5, "{:.1f}")
        if paper is not None:
            stated(axes, places["mean", label(HMS)], 1 + paper / 100)
        axes.set_ylabel("IPC of the program,\nover the mean of the baselines")
        axes.set_title(f"Fig. 15{letter}: programs with {partner}, one node, {VERDICT} writes")
        axes.tick_params(axis="x", rotation=30)
        legend_below(canvas, axes, 4, "" if paper is None else "the paper (mean)")

    caption = (
        f"IPC of the programs in mixes with {partner} on one node, relative to the mean of the "
        f"four baselines on one queue; all with {VERDICT} writes."
    )
    return Made(data, paint, [Finding(claim, ours, trend, middle(over_mean))], caption)


def _declare(letter: str) -> None:
    title = f"Fig. 15{letter}: harmonic scheduling, {PANELS[letter][0]}"
    figure(f"fig15{letter}", 15, title, (PAGE_WIDTH, 3.8))(lambda runs: panel(runs, letter))


for _letter in PANELS:
    _declare(_letter)


@figure("fig15e", 15, "Fig. 15e: harmonic scheduling, the partners")
def figure_e(runs: Runs) -> Made:
    """Gain of HMS in the memory-intensive partner's IPC over the baselines' mean, one node."""
    data = pd.concat(
        [
            chosen(mean_gain(runs, name, "partner", mode), core="partner", over="mean")
            for mode in (VERDICT, BESIDE)
            for name in PARTNERS
        ],
        ignore_index=True,
    )
    rows = chosen(data, writes=VERDICT)
    means = {name: average(chosen(rows, partner=name)) for name in PARTNERS}
    medians = {name: middle(chosen(rows, partner=name)) for name in PARTNERS}

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        program_bars(axes, {name: chosen(rows, partner=name) for name in PARTNERS})
        wide(axes)
        axes.set_ylabel("gain in the partner's IPC, %\n(logarithmic beyond 50 %)")
        axes.set_title(f"Fig. 15e: HMS over the mean of the baselines, {VERDICT} writes")
        axes.tick_params(axis="x", rotation=30)
        legend_below(canvas, axes, 3)

    mixes = ["program", "partner"]
    trend = all(value.low > 0 for value in (*means.values(), *medians.values()))
    findings = [Finding("R14", average(rows, mixes), trend, middle(rows, mixes))]
    return Made(data, paint, findings)
