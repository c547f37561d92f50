# SPDX-License-Identifier: BSD-3-Clause
"""Gain of mcf from a second queue, by the number of lines that other threads have in flight."""

from __future__ import annotations

from typing import Any

import pandas as pd

from hmsim.points.point import point
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Runs, system, workload
from hmsim.reproduce.figures.style import CYCLE, PAGE_WIDTH, Made, curve, legend_below
from hmsim.reproduce.figures.verdicts import estimate

DEPTH = 128  # entries of the one queue
LINES = (32, 64, 96, 104, 112, 116, 120, 124, 126, 128, 132, 144, 160, 192, 256)
PAGES = 96  # of each reader; the job starts over
WRITTEN = 2048  # pages: eight times the write part of the buffer, so that it is full
POLICIES = ("unified_fr_fcfs,drained", "split,drained")
OVERRIDES = {
    "frontend.time_limit": "4ms",
    "nvdimm.access": "line",  # an engine's command for a page would take one entry
    # A window so large that it never limits a thread's lines in flight; only the chosen number of
    # lines does.
    "frontend.core.window": 65536,
    "frontend.node.copy_instructions": 1,
}
MCF = {
    "kind": "llc_trace",
    "core": 0,
    "format": "hmsim",
    "instructions": 20_000_000,  # more than it does in a run
    "window": 128,
}
JOB = {"kind": "job", "format": "job", "flushers": 0}


def threads(step: str, number: int = 1, pages: int = 1, of: int = PAGES) -> str:
    """Return a program of threads that each read or write ``pages`` own pages at a time.

    Successive pages are in different LUNs, in turn.
    """
    lines = []
    for thread in range(number):
        lines.append(f"thread {step}s{thread}")
        lines += [f"{step} {page * number + thread} {pages}" for page in range(0, of, pages)]
    return "\n".join(lines) + "\n"


def families(lines: int) -> dict[str, tuple[str, int, dict[str, Any]]]:
    """Return setups with ``lines`` lines in flight: a program, its cores, and the node's keys."""
    engine = {"frontend.node.machine": "dma", "frontend.node.dma_lines": lines}
    found: dict[str, tuple[str, int, dict[str, Any]]] = {
        "one reader": (threads("read"), 1, {"frontend.node.mshrs": lines}),
        "an engine that reads": (threads("read", pages=32), 1, engine),
        "an engine that writes": (threads("write", pages=32, of=WRITTEN), 1, engine),
    }
    if lines % 4 == 0:
        found["four readers"] = (threads("read", 4), 4, {"frontend.node.mshrs": lines // 4})
    return found


def table(runs: Runs) -> pd.DataFrame:
    """Return mcf's IPC under both policies: a row for each family, number of lines and seed."""
    points = []
    for lines in LINES:
        for family, (text, cores, keys) in families(lines).items():
            program = runs.file(f"{family.replace(' ', '-')}.job", text)
            agents = workload(
                f"{family} beside mcf",
                [{**MCF, "path": "twin:mcf"}, {**JOB, "path": str(program), "cores": f"1-{cores}"}],
            )
            for policy in POLICIES:
                config = system(policy, {**OVERRIDES, **keys}, "quick")
                axes: dict[str, Any] = {"family": family, "lines": lines, "queues": policy}
                points += [point(config, agents, seed=seed, axes=axes) for seed in runs.seeds]
    return runs.table(points)


@figure("lines", 22, "A second queue, by lines in flight", (PAGE_WIDTH, 4.2))
def made(runs: Runs) -> Made:
    """Gain of a second queue for mcf with threads that only read or only write pages."""
    found = table(runs)
    keys = ["family", "lines", "seed"]
    ipc = found.pivot(index=keys, columns="queues", values="core.0.ipc")
    gain = (100 * (ipc[POLICIES[1]] / ipc[POLICIES[0]] - 1)).rename("gain")
    data = gain.reset_index()

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        names = list(dict.fromkeys(data["family"]))
        for name, colour, marker in zip(names, CYCLE, "os^D"):
            own = data[data["family"] == name]
            gains = [estimate({name: list(rows["gain"])}) for _, rows in own.groupby("lines")]
            beyond = [lines - DEPTH for lines in sorted(set(own["lines"]))]
            curve(axes, beyond, gains, marker=marker, color=colour, label=name)
        axes.axvline(0, color="#999999", lw=0.8, ls=":")
        axes.axhline(0, color="black", lw=0.8)
        axes.set_yscale("symlog", linthresh=10)
        axes.set_ylim(bottom=-10)
        axes.set_yticks([0, 10, 100, 1000, 10_000], ["0", "10", "100", "1,000", "10,000"])
        axes.set_xlabel("lines in flight minus the queue's 128 entries")
        axes.set_ylabel("gain in mcf's IPC by a second queue, %\n(logarithmic beyond 10 %)")
        axes.set_title("One queue hurts programs when other lines fill it")
        legend_below(canvas, axes, 2)

    caption = (
        "FR-FCFS, `configs/quick.yaml` with a command for each line, 4 ms, writes drained. One "
        "queue slows mcf as soon as NVDIMM lines leave it fewer entries than it has misses in "
        "flight (some tens), and starves it when they leave none. A second queue costs the other "
        "threads nothing, because they wait for flash."
    )
    return Made(data, paint, caption=caption)
