# SPDX-License-Identifier: BSD-3-Clause
"""Latency against bandwidth of any configurations, beside measured families."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from hmsim._core import InputError
from hmsim.common import labels
from hmsim.config.configuration import Config
from hmsim.points.point import Point
from hmsim.reproduce.card import families
from hmsim.reproduce.card.curves import Curve, CurvePoint, has, measured
from hmsim.reproduce.card.method import machine_of, read
from hmsim.runs.options import options
from hmsim.style import look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARES = (families.ALONE, 0.05, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)  # of the unpaced rate
STREAMS, MOST_STREAMS, LINES = 4, 64, 16  # of a channel, of all, in flight of each
CHASE = {"dram": (1000, "20us"), "nvdimm": (200, "1ms")}  # loads, warm-up
LIMITS = {"dram": "100us", "nvdimm": "50ms"}  # frontend.time_limit
DASHES = ("-", "--", ":", "-.")  # by share of reads
CEILING = 6
LEGEND = 0.1  # inches that an entry of the legend adds
MARKERS = "x+12"  # of measured families
WIDE = 8  # ratio of extremes from which an axis is logarithmic
COLUMNS = ("system", "reads", "offered_gb_per_s", "gb_per_s", "ns", "loads")
Run = Callable[[Sequence[Point]], pd.DataFrame]  # `hmsim.run_points` into some directory


class System(NamedTuple):
    """A memory of a configuration, ``dram`` or ``nvdimm``."""

    name: str
    config: Config
    memory: str

    @property
    def load(self) -> families.Load:
        """Streams and chase, for its channels."""
        count = STREAMS * int(self.config.resolved()["controller.channels"])
        count = min(max(count, 2 * STREAMS), MOST_STREAMS)
        return families.Load(count, LINES, *CHASE[self.memory], target=self.memory)

    def point(self, reads: float, offered: float, whole: float | None) -> Point:
        agents = families.workload(self.config, self.load, reads, offered, whole)
        axes = (("reads", reads), ("offered", offered), ("whole", whole or 0.0))
        return Point(self.config, agents, options(1, self.load.warmup), axes)


def systems(name: str, load: Callable[[str], Config], memories: Sequence[str]) -> list[System]:
    """Return the memories that a configuration has; ``load`` takes the limit of a run's time."""
    found = []
    for memory in memories:
        config = load(LIMITS[memory])
        if config.capacities()[memory]:
            noun = "DRAM" if memory == "dram" else labels.slow_memory(config.resolved())
            found.append(System(f"{name}, {noun}", config, memory))
    return found


def curves(chosen: Sequence[System], reads: Sequence[float], run: Run) -> pd.DataFrame:
    """Run the points of all systems and shares of reads; offered loads are of the unpaced rate."""
    pairs = [(each, share) for each in chosen for share in reads]
    first = _rows([(*pair, families.UNPACED, None) for pair in pairs], run)
    wanted = [
        (*pair, share, whole) for pair, whole in zip(pairs, first["gb_per_s"]) for share in SHARES
    ]
    found, size = _rows(wanted, run), len(SHARES)
    parts = [(found[n * size : (n + 1) * size], first[n : n + 1]) for n in range(len(pairs))]
    return pd.concat([each for pair in parts for each in pair], ignore_index=True)


def _rows(wanted: Sequence[tuple[System, float, float, float | None]], run: Run) -> pd.DataFrame:
    done = run([system.point(*rest) for system, *rest in wanted])  # type: ignore[arg-type]
    rows = []
    for (system, reads, offered, whole), stats in zip(wanted, done.to_dict("records")):
        if stats["error"]:
            raise InputError(f"{system.name}: {stats['error']}")
        got = families.measured(stats, system.load.agents, offered, system.memory)
        load = offered * whole if whole and offered > 0 else 0.0
        rows.append((system.name, reads, load, got.gb_per_s, got.ns, got.loads))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def family(name: str, reads: Sequence[float]) -> pd.DataFrame:
    """Return a measured family at the shares of reads that it has, less its machine's constant."""
    machine = read("method.yaml")["machines"][machine_of(name)]
    constant = sum(machine["constant"].values())
    rows = [
        (f"{name}, less {constant:g} ns", share, 0.0, point.gb_per_s, point.ns - constant, 0)
        for share in reads
        if has(name, share)
        for point in measured(name, round(100 * share), machine["clock_ghz"]).all
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def curve_of(rows: pd.DataFrame) -> Curve:
    """Return the curve of one system's rows at one share of reads."""
    pairs = zip(rows["gb_per_s"], rows["ns"])
    return Curve([CurvePoint(*pair) for pair in pairs])


def draw(found: pd.DataFrame, theirs: Sequence[pd.DataFrame], columns: int) -> Figure:
    """Draw systems by colour, shares of reads by dashes, measured families in grey.

    The picture ends at `CEILING` times the largest unloaded latency.
    """
    shares = [*dict.fromkeys(found["reads"])]
    dashes = dict(zip(shares, DASHES))
    names = [*dict.fromkeys(found["system"])]
    picture = look.figure(columns, 2.0 + LEGEND * (len(names) + len(theirs) + len(shares)))
    with look.matplotlib().rc_context(look.SETTINGS):
        plane = picture.subplots()
        for place, rows in enumerate(theirs):
            grey: dict[str, Any] = {
                "color": "#aaaaaa",
                "marker": MARKERS[place % len(MARKERS)],
                "lw": 0.7,
            }
            for share, own in rows.groupby("reads", sort=False):
                plane.plot(own["gb_per_s"], own["ns"], dashes[share], ms=2.5, zorder=1, **grey)
            plane.plot([], [], label=rows["system"].iloc[0], **grey)
        for (name, share), own in found.groupby(["system", "reads"], sort=False):
            place = names.index(name)
            keys: dict[str, Any] = {"color": look.COLOURS[place % len(look.COLOURS)], "ms": 2.5}
            keys["marker"] = look.SHAPES[place % len(look.SHAPES)]
            plane.plot(own["gb_per_s"], own["ns"], dashes[share], **keys)
            if share == shares[0]:
                plane.plot([], [], label=name, **keys)
        for share in shares if len(shares) > 1 else ():
            plane.plot([], [], dashes[share], color="black", label=f"{100 * share:g} % reads")
        plane.set(xlabel="Bandwidth (GB/s)", ylabel="Latency (ns)")
        both = pd.concat([found, *theirs])
        unloaded = both.groupby(["system", "reads"])["ns"].min()
        most = both.groupby("system")["gb_per_s"].max()
        if unloaded.max() > WIDE * unloaded.min():
            plane.set_ylim(0.7 * unloaded.min(), CEILING * unloaded.max())
            look.decades(plane, "y")
        else:
            plane.set_ylim(0, CEILING * unloaded.max())
        if most.max() > WIDE * most.min():
            look.decades(plane, "x")
    look.legend(picture, plane)
    return picture
