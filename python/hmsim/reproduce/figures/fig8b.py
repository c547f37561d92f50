# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 8b: latency against outstanding I/Os."""

from __future__ import annotations

from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Runs, synthetic_point
from hmsim.reproduce.figures.style import CYCLE, Made, powers
from hmsim.reproduce.figures.verdicts import Finding

OUTSTANDING = (1, 2, 4, 8, 16, 32, 64)
REQUESTS = 20_000


@figure("fig8b", 8, "Fig. 8b: outstanding I/Os", (6.5, 3.6))
def made(runs: Runs) -> Made:
    """Mean latency of 64-byte lines read from the NVDIMM alone, by the number outstanding."""
    points = []
    for pattern in ("random", "sequential"):
        for number in OUTSTANDING:
            keys = {"kind": "synthetic", "core": 0, "target": "nvdimm", "pattern": pattern}
            keys |= {"outstanding": number, "requests": REQUESTS, "footprint": "16GiB"}
            axes = {"pattern": pattern, "outstanding": number}
            points.append(synthetic_point("reads", [keys], axes, policy_="unified_fr_fcfs"))
    table = runs.table(points)
    data = table[["pattern", "outstanding"]].copy()
    data["latency_us"] = table["nvdimm.line_latency_ns.mean"] / 1000
    curves = {name: list(rows["latency_us"]) for name, rows in data.groupby("pattern", sort=False)}
    rising = all(all(a < b for a, b in zip(c, c[1:])) for c in curves.values())

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        for (name, values), colour, marker in zip(curves.items(), CYCLE, "os"):
            axes.plot(OUTSTANDING, values, marker=marker, ms=4, color=colour)
            axes.annotate(
                f"{name} lines",
                (64, values[-1]),
                (8, 0),
                textcoords="offset points",
                va="center",
                color=colour,
            )
        powers(axes, OUTSTANDING)
        axes.set_yscale("log")
        axes.set_xlim(0.9, 180)
        axes.set_xlabel("reads outstanding")
        axes.set_ylabel("mean latency of a line, us")
        axes.set_title("Fig. 8b: latency against outstanding reads\n(the paper gives no numbers)")

    return Made(data, paint, [Finding("R6", None, rising)])
