# SPDX-License-Identifier: BSD-3-Clause
"""The pictures and tables of docs/hbf-decoding.md: decoding with HBF beside HBM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hmsim.common.tables import number
from hmsim.reproduce.figures.style import CYCLE, GREY, PAGE_WIDTH, legend_below
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pages import DOCS, Documents, below, hbf_runs
from pages.hbf_runs import DIES, IN_FLIGHT, LINK, SENSE_TIMES, Churn, Placement, Step
from pages.pictures import log_axis, svg
from pages.tables import table

Parallel = Sequence[tuple[int, int, int, float]]
Placed = Sequence[tuple[Placement, int, Step]]


def _table(head: str, rows: Iterable[Sequence[object]]) -> str:
    """Return a table whose first column is text and whose other columns are numbers."""
    texts = ([cell if isinstance(cell, str) else number(cell) for cell in row] for row in rows)
    return "\n" + table(head.split(" | "), texts).rstrip()


def _draw_parallelism(found: Parallel) -> str:
    """Draw GB/s over pages in flight, a part for each time of a sense, with three bounds."""

    def paint(figure: Figure) -> None:
        parts = figure.subplots(1, len(SENSE_TIMES), sharey=True)
        for axes, sense in zip(parts, SENSE_TIMES):
            little = [hbf_runs.little(pages, sense) for pages in IN_FLIGHT]
            axes.plot(IN_FLIGHT, little, ":", color=GREY)
            axes.axhline(LINK, color=GREY, linestyle="-.", linewidth=1)
            for banks, colour in zip(DIES, CYCLE):
                rates = [rate for s, b, _, rate in found if (s, b) == (sense, banks)]
                axes.plot(IN_FLIGHT, rates, "o-", ms=4, color=colour, label=f"{banks:,} banks")
                axes.axhline(
                    hbf_runs.array_bound(banks, sense), color=colour, linestyle="--", linewidth=1
                )
            log_axis(axes, "x", (64, 1024, 16384))
            log_axis(axes, "y", (10, 30, 100, 300, 1000, 3000))
            axes.set(title=f"tR = {sense} us", xlabel="pages in flight", ylim=(8, 6000))
            axes.grid(True, axis="both", alpha=0.3)
        parts[0].set_ylabel("GB/s read from a stack")
        bounds = {"array bound": "--", "link bound": "-.", "Little's law": ":"}
        more = [Line2D([], [], color=GREY, ls=each, label=name) for name, each in bounds.items()]
        legend_below(figure, parts[0], 3, more=more)

    return svg(paint, (PAGE_WIDTH, 3.1))


def _draw_placements(found: Placed) -> str:
    """Draw the step over cached tokens, with the bound of each placement."""

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        for place, colour in zip(hbf_runs.PLACEMENTS, CYCLE):
            tokens = [t for p, t, _ in found if p == place]
            times = [step.milliseconds for p, _, step in found if p == place]
            axes.plot(tokens, times, "o-", ms=4, color=colour, label=place.label)
            bounds = [place.bound(each) for each in tokens]
            axes.plot(tokens, bounds, "--", color=colour, linewidth=1)
        log_axis(axes, "x", tuple(hbf_runs.BATCH * (each + 1) for each in hbf_runs.CONTEXTS))
        log_axis(axes, "y", (10, 20, 50, 100, 200))
        axes.set(xlabel="cached tokens of the batch", ylabel="time to the next tokens (ms)")
        axes.grid(True, axis="both", alpha=0.3)
        more = [Line2D([], [], color=GREY, ls="--", label="bound")]
        legend_below(figure, axes, 2, more=more)

    return svg(paint, (PAGE_WIDTH, 4.2))


def _placement_rows(found: Placed) -> Iterator[Sequence[object]]:
    counts = sorted({tokens for _, tokens, _ in found})
    for place in hbf_runs.PLACEMENTS:
        steps = {tokens: step for p, tokens, step in found if p == place}
        yield [place.label, *(steps[count].milliseconds for count in counts)]


def _churn_row(name: str, each: Churn) -> Sequence[object]:
    return [name, each.mean, each.p95, each.amplification, str(each.collections)]


def page(_: Path) -> Documents:
    """Run everything; yield the pictures and the page."""
    parallel = list(hbf_runs.parallelism())
    yield DOCS / "hbf-parallelism.svg", _draw_parallelism(parallel)
    placed = list(hbf_runs.placements())
    yield DOCS / "hbf-placement.svg", _draw_placements(placed)
    with TemporaryDirectory() as folder:
        orders = [
            (f"{streams}, `{order}`", senses, rate)
            for streams, order, senses, rate in hbf_runs.line_orders(Path(folder))
        ]
    tokens = " | ".join(f"{hbf_runs.BATCH * (each + 1):,} tokens" for each in hbf_runs.CONTEXTS)
    offered = " | ".join(f"{each:,} pages offered" for each in hbf_runs.OFFERED)
    banks = " | ".join(f"{each:,} banks" for each in DIES)
    lines = [
        "",
        "Time to the next tokens in ms (4 us, batch 8, by tokens in the cache):",
        _table(f"placement | {tokens}", _placement_rows(placed)),
        "",
        "Weights in HBF (256 banks), keys and values in HBM, 65,536 tokens, in ms:",
        _table(
            f"host queue | {offered}", ([name, *times] for name, times in hbf_runs.host_queues())
        ),
        "",
        "One channel (array bound 16.4 GB/s) whose pages are read by lines of 64 B in turn:",
        _table("pages of a bank, order | senses a page | GB/s", iter(orders)),
        "",
        "One channel, sequences that end after 32 tokens, in ms:",
        _table(
            "work of the host | mean step | p95 | write amplification | collections",
            (_churn_row(*each) for each in hbf_runs.collections()),
        ),
        "",
        "All data in HBF, 65,536 tokens, one reading at a time, in ms:",
        _table(f"reading | {banks}", ([name, *times] for name, times in hbf_runs.readings())),
    ]
    yield below(DOCS / "hbf-decoding.md", "hbf", "\n".join(lines) + "\n")
