# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of docs/llm-decode.md: sweeps of decode steps with HBF beside HBM, and their bounds.

Bounds use decimal units: GB/s, milliseconds, bytes.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import hmsim
import pandas as pd
from hmsim.reproduce.figures.style import CYCLE, GREY, PAGE_WIDTH, legend_below
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pages import DOCS, Documents
from pages.pictures import log_axis, svg

PAGE = 4096
LINK = 16 * 96.0  # GB/s of a stack of grade 2
HBM = 16 * 51.2  # peak GB/s of a stack of HBM3
DIES = (1, 4, 16)  # hbf.dies
BANKS = 256  # of a stack, for each die
BATCH = 8
WEIGHTS = 32 * 436_207_616  # bytes of all layers, without the output head
KV_OF_TOKEN = 131_072
PLACEMENTS = (("dram", "dram", 1), *(("nvdimm", kv, d) for kv in ("dram", "nvdimm") for d in DIES))


def _array_bound(dies: int, sense: int = 4) -> float:
    """Return GB/s at which all banks sense pages."""
    return dies * BANKS * PAGE / sense / 1000


def _little(pages: int, sense: int) -> float:
    """Return GB/s at which so many pages are in flight, each for an idle read's time."""
    return pages * PAGE / (sense * 1000 + 586)


def _bound(weights: str, kv: str, dies: int, tokens: int) -> float:
    """Return the shortest step in ms for so many cached tokens."""
    rate = HBM if weights == "dram" else min(_array_bound(dies), LINK)
    size = tokens * KV_OF_TOKEN
    apart = weights != kv
    return max(WEIGHTS / rate, size / HBM) / 1e6 if apart else (WEIGHTS + size) / rate / 1e6


def _label(weights: str, kv: str, dies: int) -> str:
    if weights == "dram":
        return "all in HBM, whatever its capacity"
    where = "all in HBF" if kv == "nvdimm" else "weights in HBF, KV in HBM"
    return f"{where}, {dies * BANKS:,} banks"


def _draw_parallelism(found: pd.DataFrame) -> str:
    """Draw GB/s over pages in flight, a part for each time of a sense, with three bounds."""

    def paint(figure: Figure) -> None:
        senses = (1, 4, 20)  # us
        parts = figure.subplots(1, len(senses), sharey=True)
        for axes, sense in zip(parts, senses):
            own = found[found["nvdimm.nand.read_time"] == f"{sense}us"]
            pages = sorted(own["agent.0.outstanding"].unique())
            axes.plot(pages, [_little(each, sense) for each in pages], ":", color=GREY)
            axes.axhline(LINK, color=GREY, linestyle="-.", linewidth=1)
            for dies, colour in zip(DIES, CYCLE):
                rates = own[own["hbf.dies"] == dies].sort_values("agent.0.outstanding")
                rates = rates["agent.0.storage.bandwidth_gb_per_s"]
                label = f"{dies * BANKS:,} banks"
                axes.plot(pages, rates, "o-", ms=4, color=colour, label=label)
                bound = _array_bound(dies, sense)
                axes.axhline(bound, color=colour, linestyle="--", linewidth=1)
            log_axis(axes, "x", (64, 1024, 16384))
            log_axis(axes, "y", (10, 30, 100, 300, 1000, 3000))
            axes.set(title=f"tR = {sense} us", xlabel="pages in flight", ylim=(8, 6000))
            axes.grid(True, axis="both", alpha=0.3)
        parts[0].set_ylabel("GB/s read from a stack")
        bounds = {"array bound": "--", "link bound": "-.", "Little's law": ":"}
        more = [Line2D([], [], color=GREY, ls=each, label=name) for name, each in bounds.items()]
        legend_below(figure, parts[0], 3, more=more)

    return svg(paint, (PAGE_WIDTH, 3.1))


def _draw_placements(found: pd.DataFrame) -> str:
    """Draw the step over cached tokens, with the bound of each placement."""
    place = ["agent.0.weights", "agent.0.kv", "hbf.dies"]
    found = found.assign(tokens=BATCH * (found["agent.0.context"] + 1)).set_index(place)

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        for each, colour in zip(PLACEMENTS, CYCLE):
            own = found.loc[each].sort_values("tokens")
            times = own["agent.0.scaled.step_time_us"] / 1000
            axes.plot(own["tokens"], times, "o-", ms=4, color=colour, label=_label(*each))
            bounds = [_bound(*each, tokens) for tokens in own["tokens"]]
            axes.plot(own["tokens"], bounds, "--", color=colour, linewidth=1)
        log_axis(axes, "x", tuple(found["tokens"].unique()))
        log_axis(axes, "y", (10, 20, 50, 100, 200))
        axes.set(xlabel="cached tokens of the batch", ylabel="time to the next tokens (ms)")
        axes.grid(True, axis="both", alpha=0.3)
        more = [Line2D([], [], color=GREY, ls="--", label="bound")]
        legend_below(figure, axes, 2, more=more)

    return svg(paint, (PAGE_WIDTH, 4.2))


def pictures(_: Path) -> Documents:
    """Run both sweeps; yield the pictures."""
    for name, draw in (("parallelism", _draw_parallelism), ("placement", _draw_placements)):
        with TemporaryDirectory() as folder:
            table = hmsim.run_sweep(f"hbf_{name}", Path(folder) / "runs", jobs=1)
        yield DOCS / f"hbf-{name}.svg", draw(table)
