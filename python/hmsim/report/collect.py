# SPDX-License-Identifier: BSD-3-Clause
"""Data of each run that a report shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError
from hmsim.common import labels
from hmsim.report.block_io import Io, read_io
from hmsim.report.requests import BINS, LINE, Requests, curve, read_requests
from hmsim.runs.command_log import MODULE_FILE
from hmsim.runs.directory import RunDirectory, find_runs

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

MOST_RUNS = 32
LATENCIES = {  # of a class and direction: where the statistics are, in ns
    ("dram", False): "dram.read_latency_ns",
    ("dram", True): "dram.write_latency_ns",
    ("nvdimm", None): "nvdimm.line_latency_ns",
}
# Columns of a series whose sum is HBF's data in bytes, as in hbf.bandwidth_gb_per_s.
HBF_DATA = {"hbf.to_host.bytes": 1, "hbf.to_device.bytes": 1, "hbf.header_bytes": -1}
QUANTILES = (("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("max", 1.0))
MS = 1e-9  # in picoseconds


@dataclass(frozen=True)
class Shown:
    """A run with all data that a report draws; times are in ms, latencies in ns.

    Attributes:
        name: distinguishes it from the other runs.
        run: its directory.
        requests: summary of its request log, or None.
        series: its time series, or None.
        collecting: (ms, LUNs under collection) or None without a command log.
        io: its block requests.
    """

    name: str
    run: RunDirectory
    requests: Requests | None
    series: pd.DataFrame | None
    collecting: list[list[float]] | None
    io: list[Io]

    @property
    def slow(self) -> str:
        """The noun of its slow memory."""
        return labels.slow_memory(self.run.config)

    def latency(self, memory: str, write: bool | None) -> tuple[list[list[float]], bool]:
        """Return (ns, share of requests that took no longer), and whether the curve is complete.

        ``write`` None: both directions together.
        """
        if self.requests is not None:
            counts = [
                found
                for (kind, writes), found in self.requests.latency.items()
                if kind == memory and write in (None, writes)
            ]
            if counts:
                return curve(sum(counts)), True
        path = LATENCIES.get((memory, write))
        values = (
            [] if path is None else [(self.run.stats.get(f"{path}.{q}"), s) for q, s in QUANTILES]
        )
        return [[x, share] for x, share in values if x is not None], False

    def occupancy(self, memory: str) -> list[list[float]]:
        """Return (ms, slots held, mean over channels)."""
        if self.requests is not None and memory in self.requests.occupancy:
            return _over_time(self.requests.edges, self.requests.occupancy[memory])
        return self._means(f"{memory}.queue.occupancy")

    def levels(self, memory: str) -> list[list[float]]:
        """Return (slots, share of time in which no more are held)."""
        if self.requests is None or memory not in self.requests.levels:
            return []
        total, points = 0.0, []
        for level, share in enumerate(self.requests.levels[memory].tolist()):
            total += share
            points.append([float(level), round(min(total, 1.0), 6)])
        return points

    def bandwidth(self, memory: str) -> list[list[float]]:
        """Return (ms, GB/s of lines completed), or of data on HBF's links."""
        import numpy as np

        if self.requests is not None and memory in self.requests.bytes:
            edges = self.requests.edges
            rate = self.requests.bytes[memory] / np.maximum(np.diff(edges), 1) * 1000
            return _over_time(edges, rate)
        bytes_of = {f"{memory}.reads": LINE, f"{memory}.writes": LINE}
        if memory == "nvdimm" and self.slow == labels.HBF:
            bytes_of = HBF_DATA
        if self.series is None or not all(name in self.series for name in bytes_of):
            return []
        done = sum(self.series[name].to_numpy() * factor for name, factor in bytes_of.items())
        return _steps(self.series.index.to_numpy(), done, 1000)

    def slowest(self) -> list[list[float]]:
        """Return (ms, the longest latency of a request to slow memory that ended then, in ns)."""
        if self.requests is None or "nvdimm" not in self.requests.slowest:
            return []
        points = _over_time(self.requests.edges, self.requests.slowest["nvdimm"] / 1000)
        return [point for point in points if point[1] > 0]

    def collections(self) -> list[list[float]]:
        """Return (ms, blocks collected since measuring began)."""
        if self.series is None or "nvdimm.gc.count" not in self.series:
            return []
        times = self.series.index.to_numpy() * MS
        return _thin([[float(x), float(y)] for x, y in zip(times, self.series["nvdimm.gc.count"])])

    def _means(self, path: str) -> list[list[float]]:
        """Return (ms, mean within the interval) for each interval, from means since the start."""
        if self.series is None or path not in self.series:
            return []
        times = self.series.index.to_numpy()
        start = times[0] - (times[1] - times[0]) if len(times) > 1 else 0
        return _steps(times, self.series[path].to_numpy() * (times - start), 1.0)


def collect(directories: Sequence[str]) -> list[Shown]:
    """Return the data to show of the runs in these directories.

    Raises InputError when there are too many, or one is not in order.
    """
    runs = find_runs(directories)
    if len(runs) > MOST_RUNS:
        raise InputError(
            f"report: {len(runs)} runs are too many for one page: must be at most {MOST_RUNS}"
        )
    return [
        Shown(name, run, read_requests(run), run.series(), _collecting(run), read_io(run))
        for name, run in zip(names_of(runs), runs)
    ]


def names_of(runs: Sequence[RunDirectory]) -> list[str]:
    """Return a short name for each run: the workload, policy and seed, as far as they differ.

    Directories, and then numbers, distinguish runs whose names would be equal.
    """
    parts = [
        [run.workload for run in runs],
        [run.policy for run in runs],
        [f"seed {run.origin.get('seed', '?')}" for run in runs],
        [run.path.resolve().name for run in runs],
    ]
    chosen = [part for part in parts[:3] if len(set(part)) > 1] or [parts[1]]
    names = [", ".join(texts) for texts in zip(*chosen)]
    if len(set(names)) < len(names):
        names = [f"{name} ({folder})" for name, folder in zip(names, parts[3])]
    if len(set(names)) < len(names):
        names = [f"{name}, run {number}" for number, name in enumerate(names, 1)]
    return [_short(name) for name in names]


def differences(
    runs: Sequence[RunDirectory], base: Mapping[str, str]
) -> list[tuple[str, list[str]]]:
    """Return the parameters that differ between runs, each with its text in every run.

    For a single run: the parameters that differ from ``base``, with the text there and in the run.
    """
    configs = [dict(run.config) for run in runs]
    if len(configs) == 1:
        configs.insert(0, dict(base))
    found = []
    for name in dict.fromkeys(name for config in configs for name in config):
        texts = [config.get(name, "—") for config in configs]
        if len(set(texts)) > 1:
            found.append((name, texts))
    return found


def slow_of(shown: Sequence[Shown]) -> str:
    """Return the noun that the slow memories of runs have in common."""
    return labels.slow_memory(*(one.run.config for one in shown))


def base_of(shown: Sequence[Shown], index: int) -> int:
    """Return the first run of the same workload."""
    workload = shown[index].run.workload
    return next(n for n, other in enumerate(shown) if other.run.workload == workload)


def speedup(shown: Sequence[Shown], index: int) -> float | None:
    """Return the geometric mean over agents of the rate over that in the first run, or None."""
    own, base = shown[index].run.stats, shown[base_of(shown, index)].run.stats
    measured = [
        number
        for number, agent in enumerate(shown[index].run.agents)
        if str(agent.get("measured", "true")) != "false"
    ]
    ratios = []
    for number in measured:
        rate, first = labels.whole_rate(own, number), labels.whole_rate(base, number)
        if rate is None or not first or rate <= 0:
            return None
        ratios.append(rate / first)
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def _collecting(run: RunDirectory) -> list[list[float]] | None:
    """Return the number of LUNs under collection over time, from the command log."""
    if not run.has(MODULE_FILE):
        return None
    points, active = [[0.0, 0.0]], 0
    for rows in run.batches(MODULE_FILE, ("start_ps", "stage")):
        stages = rows["stage"].astype(str)
        jobs = rows[stages.isin(["collection_begins", "collection_ends"])]
        for at, stage in zip(jobs["start_ps"].tolist(), jobs["stage"].astype(str).tolist()):
            active = max(active + (1 if stage == "collection_begins" else -1), 0)
            if len(points) < 20 * BINS:
                points.append([at * MS, float(active)])
    return points if len(points) > 1 else None


def _over_time(edges: Any, values: Any) -> list[list[float]]:
    middles = (edges[:-1] + edges[1:]) / 2 * MS
    return [[_round(x), _round(y)] for x, y in zip(middles.tolist(), values.tolist())]


def _steps(times: Any, sums: Any, factor: float) -> list[list[float]]:
    """Return points (ms, slope of `sums` per picosecond times `factor`), at most BINS of them."""
    stride = max(1, math.ceil(len(times) / BINS))
    chosen = list(range(0, len(times), stride))
    points = []
    for before, after in zip(chosen, chosen[1:]):
        passed = float(times[after] - times[before])
        change = float(sums[after] - sums[before])
        if passed > 0 and math.isfinite(change):
            middle = (float(times[before]) + float(times[after])) / 2
            points.append([_round(middle * MS), _round(change / passed * factor)])
    return points


def _thin(points: list[list[float]]) -> list[list[float]]:
    stride = max(1, math.ceil(len(points) / BINS))
    return [[_round(x), _round(y)] for x, y in points[::stride] if math.isfinite(y)]


def _round(value: float) -> float:
    return float(f"{value:.6g}")


def _short(name: str) -> str:
    return name if len(name) <= 60 else name[:57] + "..."
