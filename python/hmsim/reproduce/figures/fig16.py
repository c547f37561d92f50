# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 16: hit ratios of frames of an item, of a page, and of a page with page-aware scheduling."""

from __future__ import annotations

from typing import Any

import pandas as pd

from hmsim.reproduce.figures import buffers
from hmsim.reproduce.figures.buffers import LABELS, OUTSTANDING, SYSTEM, change, ratio_columns
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Runs
from hmsim.reproduce.figures.gains import chosen
from hmsim.reproduce.figures.style import CYCLE, PAGE_WIDTH, Made, legend_below, powers
from hmsim.reproduce.figures.verdicts import Finding, estimate

POINTS: dict[str, dict[str, Any]] = {
    "item": {"marker": "s", "ms": 4.5},
    "page": {"marker": "o", "ms": 5},
    "PAS": {"marker": "d", "ms": 5.5},
}
KINDS = {"with merged": "-", "strict": ":"}
APART = 0.15  # octaves between the points of two curves at one size


@figure("fig16", 16, "Fig. 16: hit ratio of the buffer", (PAGE_WIDTH, 5.4))
def made(runs: Runs) -> Made:
    """Block I/O of each program alone, in a closed loop; means over those that read, or write."""
    found = buffers.table(runs)
    parts = []
    for access in ("read", "write"):
        for strict in (False, True):
            rows = ratio_columns(found, access, strict)
            parts.append(rows.assign(access=access, kind="strict" if strict else "with merged"))
    columns = ["outstanding", "program", "seed", "size_mib", "scheme"]
    data = pd.concat(parts, ignore_index=True)[[*columns, "access", "kind", "ratio"]]
    bayes = chosen(data, program="bayes", access="read", kind="with merged", outstanding=SYSTEM)
    means = bayes.groupby("scheme")["ratio"].mean()
    by_seed = bayes.groupby(["seed", "scheme"])["ratio"].mean().unstack("scheme")
    by_seed = by_seed["page"] / by_seed["item"].where(by_seed["item"] > 0)
    findings = [
        Finding(*("R15", estimate({"bayes": list(by_seed)}), bool(means["page"] > means["item"])))
    ]
    for claim, access in (("R16a", "read"), ("R16b", "write")):
        own = chosen(data, access=access)
        merged, middle = change(chosen(own, kind="with merged", outstanding=SYSTEM), "ratio")
        findings.append(Finding(claim, merged, merged.mean > 0, middle))

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(2, 2, sharex=True, sharey=True)
        for row, access in zip(panels, ("read", "write")):
            for axes, (outstanding, what) in zip(row, OUTSTANDING.items()):
                # Each curve is moved sideways, so that its points stay visible if curves coincide.
                moved = -APART * (len(POINTS) * len(KINDS) - 1) / 2
                for (scheme, marker), colour in zip(POINTS.items(), CYCLE):
                    for kind, dash in KINDS.items():
                        own = chosen(
                            data, access=access, outstanding=outstanding, scheme=scheme, kind=kind
                        )
                        curve = 100 * own.groupby("size_mib")["ratio"].mean()
                        axes.plot(
                            curve.index * 2**moved,
                            curve,
                            dash,
                            **marker,
                            color=colour,
                            mec=colour,
                            mfc=colour if dash == "-" else "white",
                            label=f"{LABELS[scheme]}{', strict' if dash == ':' else ''}",
                        )
                        moved += APART
                powers(axes, buffers.sizes(runs))
                axes.set_ylim(-3, 103)
                axes.set_title(f"{access}s, {what}")
            row[0].set_ylabel(f"{access} hit ratio, %")
        for axes in panels[1]:
            axes.set_xlabel("size of each buffer, MiB (points moved apart)")
        legend_below(canvas, panels[0][0], 3)

    caption = (
        "Strict hits find their data in the buffer; merged hits also find a flash read in "
        "progress. FCFS and PAS differ only in strict reads with 4 commands outstanding. The "
        "paper: page over item 10.88 times (bayes); PAS over FCFS +5 % (reads), +4 % (writes)."
    )
    return Made(data, paint, findings, caption)
