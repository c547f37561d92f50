# SPDX-License-Identifier: BSD-3-Clause
"""Table II: what two queues instead of one are worth."""

from __future__ import annotations

import pandas as pd

from hmsim.figures.declare import figure
from hmsim.figures.experiment import ONE_QUEUE, Case, Runs, mix_points
from hmsim.figures.gains import average, by_program, chosen, gains, spread, whole
from hmsim.figures.style import BLUE, ORANGE, Made, grouped_bars, legend_of_paper, wide
from hmsim.figures.style import paper as stated
from hmsim.figures.verdicts import Estimate, Finding
from hmsim.running.mixes import PROGRAMS

PAPER = {
    ("offline", "partner"): 91.96,
    ("offline", "program"): 9.26,
    ("online", "partner"): 89.68,
    ("online", "program"): 9.08,
}
CLAIMS = dict(zip(PAPER, ("R2a", "R2c", "R2b", "R2d")))
COLOURS = (BLUE, ORANGE, "#8fc4e8", "#f6d48a")


def table(runs: Runs) -> pd.DataFrame:
    """Return the runs: one queue, two queues, and one queue of as many entries as two have."""
    cases = [Case(name, online=online) for online in (False, True) for name in PROGRAMS]
    points = mix_points(runs, cases, (ONE_QUEUE, "split_fcfs", "unified_256_fcfs"))
    return whole(runs.table(points))


@figure("table2", place=2)
def made(runs: Runs) -> Made:
    """Mixes with mcf, FCFS: gain in IPC of two queues of 128 entries over one of 128."""
    found = table(runs)
    split = gains(found, "split_fcfs", (ONE_QUEUE,)).assign(setting="two queues")
    more = gains(found, "unified_256_fcfs", (ONE_QUEUE,)).assign(setting="256 entries")
    data = pd.concat((split, more), ignore_index=True)
    means = {key: average(chosen(split, environment=key[0], core=key[1])) for key in PAPER}
    findings = []
    for key, claim in CLAIMS.items():
        rows = chosen(split, environment=key[0], core=key[1])
        entries = average(chosen(more, environment=key[0], core=key[1])).mean
        text = f"By program: {spread(rows)}. One queue of 256 entries: {entries:+.0f} %."
        findings.append(Finding(claim, means[key], means[key].mean > 0, text))
    mcf, data_gain = means["offline", "partner"].mean, means["offline", "program"].mean
    ratio = mcf / data_gain if data_gain > 0 else float("inf")
    text = (
        "In the runs that come when the capture had them, the program's own core waits behind its "
        "NVDIMM lines in the same queue as mcf does, so it gains as much: the paper's program "
        "waits for its I/O anyway, ours computes on."
    )
    findings.append(Finding("R2e", Estimate.exact(ratio), mcf > data_gain, text))

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, 2, sharey=True)
        groups = [*PROGRAMS, "mean"]
        for axes, environment in zip(panels, ("offline", "online")):
            series, errors = {}, {}
            for setting, rows in (("two queues of 128", split), ("one queue of 256", more)):
                for core in ("partner", "program"):
                    own = chosen(rows, environment=environment, core=core)
                    values = [*by_program(own, PROGRAMS), average(own)]
                    name = f"{'mcf' if core == 'partner' else 'program'}, {setting}"
                    series[name] = [v.mean for v in values]
                    errors[name] = [(v.low, v.high) for v in values]
            places = grouped_bars(axes, groups, series, errors, COLOURS)
            for core, name in (("partner", "mcf"), ("program", "program")):
                place = places["mean", f"{name}, two queues of 128"]
                stated(axes, place, PAPER[environment, core])
            axes.set_title(f"Table II, {environment}")
            axes.tick_params(axis="x", rotation=45)
        wide(panels[0])
        panels[0].set_ylabel("gain in IPC over one queue of 128, %\n(logarithmic beyond 50 %)")
        handles, labels = panels[0].get_legend_handles_labels()
        panels[1].legend(
            [*handles, legend_of_paper(panels[1])], [*labels, "the paper (mean)"], fontsize=8
        )

    return Made("Table II: queue division", made.__doc__ or "", data, findings, paint, (10, 4.2))
