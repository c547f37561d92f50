# SPDX-License-Identifier: BSD-3-Clause
"""Measures a device's curve by simulation, and a model of it by loads that it was not made from."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from hmsim._core import InputError
from hmsim.common.intervals import mean_interval
from hmsim.common.paths import cache_directory
from hmsim.common.quantities import quantity
from hmsim.config.configuration import Config
from hmsim.curves.model import DIRECTIONS, FORMAT, DeviceCurve, saturation
from hmsim.points.point import Measurement, Point, point
from hmsim.points.run import run_points
from hmsim.runs import identity
from hmsim.runs.runner import AnyConfig, as_config, simulate

if TYPE_CHECKING:  # take a while to import
    import numpy as np
    import pandas as pd

    from hmsim._core import Simulation

Sizes = tuple[tuple[int, int], ...]  # KiB, and the weight
Prepared = tuple[dict[str, Any], int]  # parameters, and the bytes that loads access
SIZES = (4, 16, 64, 256, 1024, 4096)  # KiB
DEPTHS = (1, 2, 4, 8, 16, 32)  # threads with one transfer each
BATCHES = 5  # of an interval
ROUNDS, LEAST, MOST, BYTES = 6, 16, 1000, 32 << 20  # of a run: transfers by depth, size and data
MIXED_LEAST = 600  # transfers of a run whose sizes are drawn
REGION = 1 << 30  # bytes that the agents access when fresh
# Loads of the check: KiB and weights, depth, and the share of reads if both directions.
ONE_WAY: tuple[tuple[Sizes, int], ...] = (
    *((((kib, 1),), depth) for kib, depth in ((12, 3), (12, 24), (48, 6), (48, 12))),
    *((((768, 1),), 3), (((768, 1),), 20)),
    *((((12, 1), (768, 1)), 6), (((4, 3), (64, 1)), 16)),
)
TWO_WAYS = ((((48, 1),), 6, 0.5), (((12, 1),), 24, 0.5), (((4, 3), (256, 1)), 8, 0.7))
UNITS = {"base_latency": "us", "bandwidth": "B/us", "size": "B", "us": "us"}
CLASS = (  # of BLIS's device classes, besides bandwidths: cmd/catalog_devices.go at a8996328
    *("base_latency", "saturation_queue_depth", "single_transfer_fraction"),
    "latency_jitter_stddev",
)
CHECKED = (
    *("state", "mix", "sizes", "depth", "read_share", "direction", "size"),
    *("us", "table_us", "table_error", "formula_us", "formula_error"),
)


class BlockLog:
    """The block requests of a run; its memory requests are dropped."""

    def __init__(self) -> None:
        self._parts: list[Mapping[str, Any]] = []

    def collect(self, simulation: Simulation, last: bool = False) -> None:
        """Take what was logged since the last call."""
        simulation.take_requests()
        self._parts.append(simulation.take_io())

    def column(self, name: str) -> np.ndarray[Any, Any]:
        import numpy as np

        return np.concatenate([part[name] for part in self._parts])


@dataclass(frozen=True)
class Transfers:
    """Runs a point, and measures transfers while ``depth`` of them are in flight."""

    depth: int

    def identity(self) -> Any:
        return ["device curve", 2, self.depth, BATCHES, identity.of_code()]

    def measure(self, wanted: Point) -> Measurement:
        log = BlockLog()
        simulate(wanted.config, wanted.workload, wanted.options, lambda done: None, log=log)  # type: ignore[arg-type]
        begun, ended = log.column("submitted_ps"), log.column("done_ps")
        kept = begun.argsort(kind="stable")[self.depth : -self.depth]
        times = (ended - begun)[kept] / 1e6
        kinds, sizes = log.column("kind")[kept], log.column("bytes")[kept]
        values: dict[str, float] = {}
        for kind, size in {*zip(kinds.tolist(), sizes.tolist())}:
            own = times[(kinds == kind) & (sizes == size)]
            step = len(own) // BATCHES
            if not step:
                continue
            means = [float(own[n * step :][:step].mean()) for n in range(BATCHES)]
            name, mean = f"{DIRECTIONS[kind]}.{size}", float(own.mean())
            _, low, high = mean_interval(means)
            values |= {f"{name}.us": mean, f"{name}.jitter": float(own.std()) / mean}
            values |= {f"{name}.low": max(low, float(own.min())), f"{name}.high": high}
        return Measurement(values, {})


class Load(NamedTuple):
    """A closed loop on one state of a device."""

    state: str
    sizes: Sizes
    depth: int
    read_share: float

    @property
    def text(self) -> str:
        return ", ".join(f"{kib}KiB/{share}" for kib, share in self.sizes)

    @property
    def requests(self) -> int:
        mean = sum(kib * share for kib, share in self.sizes) / sum(own[1] for own in self.sizes)
        least = MIXED_LEAST if len(self.sizes) > 1 else LEAST
        return max(ROUNDS * self.depth, min(MOST, int(BYTES / 1024 / mean)), least)

    @property
    def mix(self) -> str:
        """What differs among its transfers: ``sizes``, ``directions``, ``both`` or ``none``."""
        sizes, ways = len(self.sizes) > 1, len(self.directions) > 1
        return "both" if sizes and ways else "sizes" if sizes else "directions" if ways else "none"

    @property
    def directions(self) -> list[str]:
        return [
            name for name, share in zip(DIRECTIONS, (self.read_share, 1 - self.read_share)) if share
        ]


def preparations(config: Config) -> dict[tuple[str, str], Prepared]:
    """Return the parameters, and the bytes that loads access, by state and direction.

    Raises InputError: the configuration has no device for block I/O.
    """
    values, nvdimm = config.resolved(), config.capacities()["nvdimm"]
    kind = values["storage.kind"]
    if kind == "none" and not nvdimm:
        raise InputError(f"{config.name}: has neither storage nor an NVDIMM or HBF for block I/O")
    key = "nvdimm" if kind == "none" else f"storage.{kind}"
    capacity = nvdimm if kind == "none" else int(float(quantity(values["storage.capacity"])))
    region = min(REGION, capacity // 2)
    plain: dict[tuple[str, str], Prepared] = {("fresh", way): ({}, region) for way in DIRECTIONS}
    if f"{key}.precondition.fill" not in values:
        return plain

    def prepared(fill: float, overwrite: float, buffer: str) -> dict[str, Any]:
        keys = {"fill": fill, "overwrite": overwrite, "pattern": "uniform", "buffer": buffer}
        return {f"{key}.precondition.{name}": value for name, value in keys.items()}

    read, write = (int(float(quantity(values[f"{key}.buffer.{way}_size"]))) for way in DIRECTIONS)
    part = min(1.0, 1.25 * region / capacity)
    found: dict[tuple[str, str], Prepared] = {
        ("fresh", "read"): (prepared(part, 0, "none"), region),
        ("fresh", "write"): (prepared(part, 0, "dirty"), region),
        ("cached", "read"): (prepared(part, 0, "resident"), min(read, region)),
        ("cached", "write"): (prepared(part, 0, "none"), min(write // 2, region)),
        ("steady", "read"): (prepared(1, 1, "none"), capacity),
        ("steady", "write"): (prepared(1, 1, "dirty"), capacity),
    }
    try:
        point(config, {"agents": [{"kind": "io_pattern"}]}, overrides=found["steady", "write"][0])
    except InputError:
        return plain
    return found


def device_curve(
    config: AnyConfig, *, jobs: int | None = None, progress: bool = False
) -> pd.DataFrame:
    """Measure a device's time per transfer by state, direction, size and transfers in flight.

    Args:
        config: as for `hmsim.run`.
        jobs: as for `hmsim.run_points`; a cache keeps finished points.
        progress: as for `hmsim.run_points`.

    Returns:
        One row per state, direction and size, in BLIS's key names where they fit, with the ends of
        95 % intervals as NAME_low and NAME_high; ``points`` has lists of depth, mean us, low, high.
        ``attrs["check"]`` has one row per direction of each load that the curve was not made from:
        simulated time, and those of the table and of the formula. ``attrs["missing"]`` names loads
        without a result, with the error.

    Raises:
        InputError: the input is at fault, or no load has a result.
    """
    import pandas as pd

    system = as_config(config)
    states = preparations(system)
    ways = [(state, float(way == "read")) for state, way in states]
    grid = [
        Load(state, ((size, 1),), depth, share)
        for state, share in ways
        for size in SIZES
        for depth in DEPTHS
    ]
    held = [Load(state, sizes, depth, share) for state, share in ways for sizes, depth in ONE_WAY]
    held += [
        Load(state, *rest)
        for state in ("fresh", "steady")
        if (state, "write") in states
        for rest in TWO_WAYS
    ]
    prepared = {load: states[load.state, load.directions[-1]] for load in (*grid, *held)}
    loads = [load for load, own in prepared.items() if max(load.sizes)[0] << 10 <= own[1]]
    points = [_point(system, each, *prepared[each]) for each in loads]
    table = run_points(points, cache_directory(), jobs=jobs, progress=progress)
    found = dict(zip(loads, table.to_dict("records")))
    missing = [
        f"{each.state}, {each.text}, depth {each.depth}, {each.read_share:g} read: {got['error']}"
        for each, got in found.items()
        if got["error"]
    ]
    rows = pd.DataFrame(_rows(grid, found))
    if rows.empty:
        raise InputError(f"{system.name}: {missing[0]}")
    rows.attrs.update(units=UNITS, missing=missing, check=_check(rows, held, found))
    return rows


def document(rows: pd.DataFrame, name: str) -> dict[str, Any]:
    """Return the content of a file of `DeviceCurve.load`, of a result of `device_curve`.

    ``kv_offload_devices`` has one class of BLIS for each state and size with both directions. A
    class has one base latency, ramp and jitter; they are those of reads.
    """
    records = rows.to_dict("records")
    own = {(row["state"], row["size"], row["direction"]): row["bandwidth"] for row in records}
    classes = {
        f"{name}_{row['state']}_{row['size'] >> 10}KiB": {
            "read_bandwidth": row["bandwidth"],
            "write_bandwidth": own[row["state"], row["size"], "write"],
            **{key: row[key] for key in CLASS},
        }
        for row in records
        if row["direction"] == "read" and (row["state"], row["size"], "write") in own
    }
    return {
        **{"format": FORMAT, "units": UNITS, "kv_offload_devices": classes, "rows": records},
        **{"check": rows.attrs["check"].to_dict("records"), "missing": rows.attrs["missing"]},
    }


def _point(config: Config, load: Load, keys: dict[str, Any], footprint: int) -> Point:
    agent = {"kind": "io_pattern", "access": "random", "threads": load.depth, "size": load.text}
    agent |= {"read_share": load.read_share, "requests": load.requests}
    agent |= {"footprint": f"{footprint >> 12 << 12}B"}
    runner = Transfers(load.depth)
    return point(config, {"agents": [agent]}, overrides=keys, axes={}, runner=runner)


def _rows(
    grid: Sequence[Load], found: Mapping[Load, Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of all sizes that have a result at every depth."""
    lines: dict[tuple[str, str], dict[int, list[dict[str, float]]]] = {}
    for load in grid:
        size, (way,) = load.sizes[0][0] << 10, load.directions
        if load in found and not found[load]["error"]:
            got = {
                part: found[load][f"{way}.{size}.{part}"]
                for part in ("us", "low", "high", "jitter")
            }
            lines.setdefault((load.state, way), {}).setdefault(size, []).append(got)
    for (state, way), by_size in lines.items():
        whole = {size: line for size, line in by_size.items() if len(line) == len(DEPTHS)}
        bases = [
            _intercept([(size, line[0][part]) for size, line in whole.items()])
            for part in ("us", "low", "high")
        ]
        for size, line in whole.items():
            rates = [
                [depth * size / got[part] for depth, got in zip(DEPTHS, line)]
                for part in ("us", "low", "high")
            ]
            most = max(range(len(DEPTHS)), key=rates[0].__getitem__)
            peak, rest = rates[0][most], line[0]["us"] - bases[0]
            yield {
                **{"state": state, "direction": way, "size": size},
                **_spread("base_latency", bases),
                **_spread("bandwidth", [each[most] for each in rates]),
                **_spread("saturation_queue_depth", [saturation(DEPTHS, each) for each in rates]),
                **_spread("single_transfer_share", [each[0] / peak for each in rates]),
                "single_transfer_fraction": min(1.0, size / rest / peak) if rest > 0 else 1.0,
                "latency_jitter_stddev": statistics.median(got["jitter"] for got in line),
                "points": [
                    [depth, got["us"], got["low"], got["high"]] for depth, got in zip(DEPTHS, line)
                ],
            }


def _intercept(times: Sequence[tuple[int, float]]) -> float:
    """Return the time at size 0 on the line through the two smallest sizes, at least 0."""
    if len(times) < 2:
        return times[0][1] if times else 0.0
    (size, time), (larger, other) = times[:2]
    return max(0.0, min(time, (time * larger - other * size) / (larger - size)))


def _spread(name: str, values: Sequence[float]) -> dict[str, float]:
    """Return a value, and the smallest and largest of it and those at the intervals' ends."""
    return {name: values[0], f"{name}_low": min(values), f"{name}_high": max(values)}


def _check(
    rows: pd.DataFrame, held: Sequence[Load], found: Mapping[Load, Mapping[str, Any]]
) -> pd.DataFrame:
    """Return the times of loads by simulation, table and formula; the rest are relative errors."""
    import pandas as pd

    content, checks = rows.to_dict("records"), []
    measured = rows.groupby(["state", "direction"])["size"].agg(["min", "max"]).to_dict("index")
    for state in dict.fromkeys(row["state"] for row in content):
        models = [DeviceCurve(content, state, formula) for formula in (False, True)]
        for load in held:
            spans = [
                measured.get((load.state, way), {"min": 1, "max": 0}) for way in load.directions
            ]
            within = all(s["min"] <= kib << 10 <= s["max"] for s in spans for kib, _ in load.sizes)
            if load.state != state or not within or found[load]["error"]:
                continue
            replayed = [replayed_means(model, load) for model in models]
            for way, size in replayed[0]:
                real = found[load][f"{way}.{size}.us"]
                table, formula = (each[way, size] for each in replayed)
                checks.append(
                    {
                        **{
                            "state": state,
                            "mix": load.mix,
                            "sizes": load.text,
                            "depth": load.depth,
                        },
                        **{"read_share": load.read_share, "direction": way, "size": size},
                        **{"us": real, "table_us": table, "table_error": abs(table / real - 1)},
                        **{"formula_us": formula, "formula_error": abs(formula / real - 1)},
                    }
                )
    return pd.DataFrame(checks, columns=CHECKED)


def replayed_means(model: DeviceCurve, load: Load) -> dict[tuple[str, int], float]:
    """Return a model's mean times of a load by direction and size, measured as `Transfers` does."""
    draw = random.Random(1)
    sizes, weights = zip(*load.sizes)
    requests = [
        (0.0, draw.choices(sizes, weights)[0] << 10, DIRECTIONS[draw.random() >= load.read_share])
        for _ in range(load.requests)
    ]
    times: dict[tuple[str, int], list[float]] = {}
    replayed = zip(requests, model.replay(requests, load.depth))
    for (_, size, way), time in [*replayed][load.depth : -load.depth]:
        times.setdefault((way, size), []).append(time)
    return {key: statistics.fmean(own) for key, own in sorted(times.items())}
