# SPDX-License-Identifier: BSD-3-Clause
"""The command ``plot``, which draws results for papers."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from hmsim.cli.support import Force
from hmsim.common.directories import check_file
from hmsim.common.packages import need
from hmsim.config.node_reader import located


def plot(
    directory: Annotated[
        str, typer.Argument(metavar="DIR", help="What compare, sweep or fit wrote, or runs.")
    ],
    x: Annotated[
        Optional[str],
        typer.Option("--x", metavar="NAME", help="An axis, or a statistic for a trade-off."),
    ] = None,
    y: Annotated[Optional[str], typer.Option("--y", metavar="STAT", help="A statistic.")] = None,
    by: Annotated[
        Optional[str],
        typer.Option(metavar="AXIS,...", help="Axes whose combinations are lines or bars."),
    ] = None,
    log: Annotated[str, typer.Option(metavar="x|y|xy", help="Logarithmic axes.")] = "",
    columns: Annotated[
        int, typer.Option(min=1, max=2, help="Width: columns of a paper, 3.5 or 7.16 inches.")
    ] = 1,
    out: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="Picture to write: .pdf, .svg or .png. [DIR/plot.pdf]"),
    ] = None,
    force: Force = False,
) -> None:
    """Draw the results of a comparison, a sweep or a fit for a paper.

    An axis of numbers gives lines, another axis bars, a statistic as --x a trade-off with its
    Pareto front. Values are means over seeds with 95 % intervals. Without --x and --y: weighted
    speedups by workload of a comparison, the first axis of numbers of a sweep, and the distance of
    each target of a fit from the wanted value.
    """
    need("plot", "figures", "matplotlib")
    from hmsim.fits.page import TARGETS, read_targets
    from hmsim.style import look
    from hmsim.style.plot import plot as drawn
    from hmsim.sweep.results import load_results

    target = Path(out or f"{directory}/plot.pdf")
    look.kind_of(target)
    of_fit = x is None and y is None and (Path(directory) / TARGETS).is_file()
    table = read_targets(Path(directory)) if of_fit else load_results(directory)
    check_file(target, force)
    with located(f"{directory}: "):
        picture = drawn(table, x, y, by.split(",") if by else None, log=log, columns=columns)
    if of_fit:
        picture.axes[0].axhline(1, color="black", linewidth=0.8, linestyle=":")
    look.save(picture, target, force)
    print(target)
