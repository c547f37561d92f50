# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 8c: latency against the randomness of reads."""

from __future__ import annotations

import random

import pandas as pd

from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Runs, synthetic_point
from hmsim.reproduce.figures.style import CYCLE, Made
from hmsim.reproduce.figures.verdicts import Estimate, Finding, estimate

SHARES = (0, 20, 40, 60, 80, 100)
REQUESTS = 20_000
LINES = (16 << 30) // 64


def growth(data: pd.DataFrame) -> Estimate:
    """Return by how many per cent latency grows from one share to the next: the least step."""
    by_share = data.pivot(index="seed", columns="random", values="latency_us")
    steps = [
        estimate({"step": list(100 * (by_share[more] / by_share[less] - 1))})
        for less, more in zip(SHARES, SHARES[1:])
    ]
    return min(steps, key=lambda step: step.low)


@figure("fig8c", 8, "Fig. 8c: randomness of reads", (6.5, 3.4))
def made(runs: Runs) -> Made:
    """Mean latency of lines read from the NVDIMM alone, queue full, by the share read at random."""
    points = []
    for seed in runs.seeds:
        numbers = random.Random(seed)
        for percent in SHARES:
            line, text = 0, []
            for _ in range(REQUESTS):
                jump = numbers.randrange(100) < percent
                line = numbers.randrange(LINES) if jump else (line + 1) % LINES
                text.append(f"{line * 64:#x} R\n")
            trace = runs.file(f"fig8c-{percent}-{seed}.trace", "".join(text))
            keys = {"kind": "memory_trace", "core": 0, "path": str(trace), "target": "nvdimm"}
            keys |= {"format": "ramulator_rw"}
            axes = {"random": percent}
            points.append(
                synthetic_point("reads", [keys], axes, seed=seed, policy_="unified_fr_fcfs")
            )
    table = runs.table(points)
    data = table[["random", "seed"]].copy()
    data["latency_us"] = table["nvdimm.line_latency_ns.mean"] / 1000
    curve = list(data.groupby("random")["latency_us"].mean())
    least = growth(data)

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        axes.plot(SHARES, curve, "o-", ms=4, color=CYCLE[0])
        axes.set_ylim(bottom=0)
        axes.set_xlabel("lines read at random, %")
        axes.set_ylabel("mean latency of a line, us")
        axes.set_title("Fig. 8c: latency against randomness\n(the paper gives no numbers)")

    return Made(data, paint, [Finding("R7", least, least.mean > 0)])
