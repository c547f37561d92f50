# SPDX-License-Identifier: BSD-3-Clause
"""The command ``curve``."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from hmsim._core import InputError
from hmsim.cli.support import (
    Configs,
    Force,
    Jobs,
    Sets,
    configuration,
    limited,
    print_table,
    resumable,
)
from hmsim.common.directories import check_file, new_file
from hmsim.common.packages import need
from hmsim.common.paths import cache_directory
from hmsim.config.node_reader import located
from hmsim.runs.runner import named_system

MEMORIES = ("dram", "nvdimm")
PARTS = (0.5, 0.8)  # of the largest bandwidth: shown latencies


def curve(
    config: Configs,
    memory: Annotated[
        Optional[list[str]],
        typer.Option(metavar="dram|nvdimm", help="Only this memory of each; may be repeated."),
    ] = None,
    reads: Annotated[
        str, typer.Option(metavar="SHARE,...", help="Shares of reads of the streams.")
    ] = "1,0.5,0",
    measured: Annotated[
        Optional[list[str]],
        typer.Option(metavar="NAME", help="A measured family to draw in grey; may be repeated."),
    ] = None,
    sets: Sets = None,
    columns: Annotated[
        int, typer.Option(min=1, max=2, help="Width: columns of a paper, 3.5 or 7.16 inches.")
    ] = 1,
    jobs: Jobs = None,
    out: Annotated[
        str, typer.Option(metavar="FILE", help="Picture to write: .pdf, .svg or .png.")
    ] = "curve.pdf",
    force: Force = False,
) -> None:
    """Draw latency against bandwidth of configurations.

    Streams load each memory of a configuration, from 5 % of their unpaced rate to all of it, beside
    a chase of dependent reads over the whole memory, whose mean latency is drawn. FILE.csv has the
    points. A cache keeps finished points. Latencies of measured families are less the declared time
    in cores, network and controller, which hmsim does not simulate (docs/anchors.md).
    """
    need("curve", "figures", "matplotlib")
    from hmsim.points.run import run_points
    from hmsim.reproduce.card import latency
    from hmsim.style import look

    shares = list(dict.fromkeys(_share(text) for text in reads.split(",")))
    if len(shares) > len(latency.DASHES):
        raise InputError(f"--reads: must be at most {len(latency.DASHES)} shares, got '{reads}'")
    memories = memory or MEMORIES
    if wrong := [each for each in memories if each not in MEMORIES]:
        raise InputError(f"--memory: must be dram or nvdimm, got '{wrong[0]}'")
    look.kind_of(out)
    data = Path(f"{out}.csv")
    for path in (Path(out), data):
        check_file(path, force)
    with located("--measured: "):
        theirs = [latency.family(name, shares) for name in measured or ()]
    chosen = [
        system
        for name in config
        for system in latency.systems(
            name,
            lambda limit, name=name: named_system(  # type: ignore[misc]
                name, lambda file: configuration(file, limited(sets, limit, None))
            ),
            memories,
        )
    ]
    if not chosen:
        raise InputError(f"--memory: no configuration has {' or '.join(memories)}")
    with resumable("finished points are kept in the cache"):
        found = latency.curves(
            chosen,
            shares,
            lambda points: run_points(points, cache_directory(), jobs=jobs, progress=True),
        )
    look.save(latency.draw(found, theirs, columns), out, force)
    with new_file(data, force) as scratch:
        found.to_csv(scratch, index=False, float_format="%.6g")
    rows = []
    for (name, share), own in found.groupby(["system", "reads"], sort=False):
        line = latency.curve_of(own)
        rows.append((name, 100 * share, line.unloaded, *map(line.at, PARTS), line.most))
    parts = [f">at {part:.0%} (ns)" for part in PARTS]
    print_table(("", ">reads (%)", ">unloaded (ns)", *parts, ">most (GB/s)"), rows)
    print(f"{out}, {data}")


def _share(text: str) -> float:
    try:
        if 0 <= (share := float(text)) <= 1:
            return share
    except ValueError:
        pass
    raise InputError(f"--reads: must be shares from 0 to 1, got '{text}'")
