# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 15a and c to e: harmonic scheduling against four schedulers of one queue."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from hmsim.figures.declare import figure
from hmsim.figures.experiment import (
    BASELINES,
    BESIDE,
    HMS,
    VERDICT,
    Case,
    Runs,
    in_modes,
    mix_points,
)
from hmsim.figures.gains import (
    CORES,
    MIX,
    average,
    by_program,
    chosen,
    gains,
    in_mode,
    spread,
    whole,
)
from hmsim.figures.style import (
    CYCLE,
    PAGE_WIDTH,
    Made,
    clip,
    grouped_bars,
    label,
    legend_below,
    wide,
)
from hmsim.figures.style import paper as stated
from hmsim.figures.verdicts import Estimate, Finding, estimate
from hmsim.running.mixes import PROGRAMS

POLICIES = (*BASELINES, HMS, "hms")
PANELS = {  # partner, core, claim, the paper's mean gain
    "a": ("mcf", "program", "R10", 13.0),
    "c": ("lbm", "program", "R13a", None),
    "d": ("milc", "program", "R13b", 4.0),
}


@lru_cache(maxsize=4)  # panels share partners, and to find a thousand kept runs takes a minute
def table(runs: Runs, partner: str) -> pd.DataFrame:
    """Return the runs of a panel, in both write modes. Callers leave it as it is."""
    cases = [Case(name, partner) for name in PROGRAMS]
    return whole(runs.table(mix_points(runs, cases, in_modes(POLICIES))))


def mean_gain(
    runs: Runs, partner: str, core: str, mode: str = VERDICT, policy: str = HMS
) -> tuple[pd.DataFrame, Estimate]:
    """Return the gains of HMS over the baselines, all in one write mode, and their mean."""
    rows = gains(in_mode(table(runs, partner), mode), policy, BASELINES)
    return rows.assign(writes=mode), average(chosen(rows, core=core, over="mean"))


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
    rows, ours = mean_gain(runs, partner, core)
    data = speedups(found, core)
    per = {name: average(chosen(rows, core=core, over=name)).mean for name in BASELINES}
    text = (
        f"Over {', '.join(f'{label(n)} {v:+.0f} %' for n, v in per.items())}. By program: "
        f"{spread(chosen(rows, core=core, over='mean'))}. With {BESIDE} writes "
        f"{mean_gain(runs, partner, core, BESIDE)[1].mean:+.1f} %; by `hms` "
        f"{mean_gain(runs, partner, core, policy='hms')[1].mean:+.1f} %."
    )
    trend = ours.mean > 0
    if letter in "cd":
        own = {name: mean_gain(runs, name, core) for name in ("mcf", "lbm", "milc")}
        others = {name: mean.mean for name, (_, mean) in own.items()}
        if letter == "c":
            trend = others["mcf"] > others["lbm"] > others["milc"]
        else:
            trend = others["mcf"] > others["milc"]
        rest = {
            name: average(
                rows_[
                    (rows_["core"] == core)
                    & (rows_["over"] == "mean")
                    & (rows_["program"] != "dfsioe_r")
                ]
            ).mean
            for name, (rows_, _) in own.items()
        }
        text += " Partners: " + ", ".join(f"{n} {v:+.0f} %" for n, v in others.items()) + "."
        listed = ", ".join(f"{n} {v:+.1f} %" for n, v in rest.items())
        text += f" Without dfsioe_r: {listed}."

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        groups = [*PROGRAMS, "mean"]
        series, errors = {}, {}
        for name in POLICIES:
            own = chosen(data, policy=name, writes=VERDICT).rename(columns={"speedup": "gain"})
            values = [*by_program(own, PROGRAMS), average(own)]
            series[label(name)] = [v.mean for v in values]
            errors[label(name)] = [(v.low, v.high) for v in values]
        colours = ("#c9c9c9", "#a6a6a6", "#848484", "#5f5f5f", CYCLE[0], "#8fc4e8")
        places = grouped_bars(axes, groups, series, errors, colours)
        axes.axhline(1, color="black", lw=0.8)
        top = 3.5
        high = [(x, series[n][groups.index(g)]) for (g, n), x in places.items()]
        if max(value for _, value in high) > top:
            clip(axes, top, high, "{:.1f}")
        if paper is not None:
            stated(axes, places["mean", label(HMS)], 1 + paper / 100)
        axes.set_ylabel("IPC of the program,\nover the mean of the baselines")
        axes.set_title(f"Fig. 15{letter}: programs beside {partner}, one node, {VERDICT} writes")
        axes.tick_params(axis="x", rotation=30)
        legend_below(canvas, axes, 4, "" if paper is None else "the paper (mean)")

    caption = (
        f"IPC of the programs beside {partner}, one node, over the mean of the four "
        f"baselines' on one queue, all with {VERDICT} writes."
    )
    title = f"Fig. 15{letter}: harmonic scheduling, {partner}"
    return Made(title, caption, data, [Finding(claim, ours, trend, text)], paint, (PAGE_WIDTH, 3.8))


@figure("fig15a", place=15)
def figure_a(runs: Runs) -> Made:
    """Big data beside mcf, one node."""
    return panel(runs, "a")


@figure("fig15c", place=15)
def figure_c(runs: Runs) -> Made:
    """Big data beside lbm, one node."""
    return panel(runs, "c")


@figure("fig15d", place=15)
def figure_d(runs: Runs) -> Made:
    """Big data beside milc, one node."""
    return panel(runs, "d")


@figure("fig15e", place=15)
def figure_e(runs: Runs) -> Made:
    """IPC of the memory-intensive partner: gain of HMS over the mean of the baselines, one node."""
    partners = ("mcf", "lbm", "milc")
    data = pd.concat(
        [
            chosen(mean_gain(runs, name, "partner", mode)[0], core="partner", over="mean")
            for mode in (VERDICT, BESIDE)
            for name in partners
        ],
        ignore_index=True,
    )
    rows, beside = chosen(data, writes=VERDICT), chosen(data, writes=BESIDE)
    means = {name: average(chosen(rows, partner=name)) for name in partners}
    every = estimate(
        {
            f"{program} {partner}": list(group["gain"])
            for (program, partner), group in rows.groupby(["program", "partner"])
        }
    )
    listed = [
        f"{name} {value.mean:+.0f} % ({spread(chosen(rows, partner=name))})"
        for name, value in means.items()
    ]
    others = [f"{name} {average(chosen(beside, partner=name)).mean:+.0f} %" for name in partners]
    of_mixes = rows.groupby(["program", "partner"])["gain"].mean()
    text = (
        f"{'; '.join(listed)}. The partner loses in {int((of_mixes < 0).sum())} of "
        f"{len(of_mixes)} mixes. With {BESIDE} writes {', '.join(others)}. The paper gives no "
        "number."
    )

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        groups = [*PROGRAMS, "mean"]
        series, errors = {}, {}
        for name in partners:
            own = chosen(rows, partner=name)
            values = [*by_program(own, PROGRAMS), means[name]]
            series[name] = [v.mean for v in values]
            errors[name] = [(v.low, v.high) for v in values]
        grouped_bars(axes, groups, series, errors, CYCLE)
        wide(axes)
        axes.set_ylabel("gain in the partner's IPC, %\n(logarithmic beyond 50 %)")
        axes.set_title(f"Fig. 15e: HMS over the mean of the baselines, {VERDICT} writes")
        axes.tick_params(axis="x", rotation=30)
        legend_below(canvas, axes, 3)

    trend = all(value.low > 0 for value in means.values())
    title = "Fig. 15e: harmonic scheduling, the partners"
    return Made(
        *(title, figure_e.__doc__ or "", data, [Finding("R14", every, trend, text)], paint),
        size=(PAGE_WIDTH, 3.6),
    )
