# SPDX-License-Identifier: BSD-3-Clause
"""Latencies, queue lengths and throughput of a request log, computed in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError
from hmsim.runs.directory import RunDirectory

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

FILE = "requests.parquet"
COLUMNS = ("arrival_ps", "admitted_ps", "done_ps", "channel", "source", "class", "write")
CLASSES = (("dram", False), ("dram", True), ("nvdimm", False), ("nvdimm", True))
BINS = 400  # of time
OCTAVE = 16  # bins of a latency between a number and its double
MOST_OCTAVES = 64
LINE = 64  # bytes


@dataclass
class Requests:
    """Summary of a request log.

    Attributes:
        latency: by class and direction, numbers of requests by latency's bin.
        by_source: by source and class: numbers of requests by latency's bin, and the sum in ps.
        edges: of the bins of time, in ps.
        occupancy: by class, slots held in each bin of time, mean over channels.
        levels: by class, share of time by number of held slots of a channel.
        bytes: by class, bytes done in each bin of time.
        slowest: by class, the longest latency (ps) that ended in each bin of time.
    """

    latency: dict[tuple[str, bool], Any] = field(default_factory=dict)
    by_source: dict[tuple[int, str], tuple[Any, int]] = field(default_factory=dict)
    edges: Any = None
    occupancy: dict[str, Any] = field(default_factory=dict)
    levels: dict[str, Any] = field(default_factory=dict)
    bytes: dict[str, Any] = field(default_factory=dict)
    slowest: dict[str, Any] = field(default_factory=dict)


def read_requests(run: RunDirectory) -> Requests | None:
    """Return the summary of the run's request log, or None without one. Raises InputError."""
    if not run.has(FILE):
        return None
    import numpy as np

    found = Requests()
    first, last = _span(run)
    found.edges = first + (last - first) * np.arange(BINS + 1) // BINS
    held: dict[tuple[str, int], list[tuple[Any, Any]]] = {}
    for rows in run.batches(FILE, COLUMNS, later=("link_ps",)):
        _add(found, rows, held)
    _count_slots(found, held)
    return found


def _span(run: RunDirectory) -> tuple[int, int]:
    first, last = 1 << 62, 0
    for rows in run.batches(FILE, ("arrival_ps", "admitted_ps", "done_ps")):
        for name in rows.columns:
            if rows[name].dtype.kind not in "iu":
                raise InputError(
                    f"{run.path / FILE}: the column '{name}' must contain whole numbers"
                )
        if not (
            (rows["arrival_ps"] <= rows["admitted_ps"])
            & (rows["admitted_ps"] <= rows["done_ps"])
            & (rows["arrival_ps"] >= 0)
            & (rows["done_ps"] < 1 << 62)
        ).all():
            raise InputError(f"{run.path / FILE}: contains impossible times")
        first = min(first, int(rows["arrival_ps"].min()))
        last = max(last, int(rows["done_ps"].max()))
    return (first, last) if first < last else (0, BINS)


def _add(found: Requests, rows: pd.DataFrame, held: dict[tuple[str, int], list[Any]]) -> None:
    import numpy as np

    taken = (rows["done_ps"] - rows["arrival_ps"] + rows["link_ps"]).to_numpy()
    bins = binned(taken)
    names = rows["class"].astype(str).to_numpy()
    writes = rows["write"].to_numpy().astype(bool)
    sources = rows["source"].to_numpy()
    when = np.clip(
        np.searchsorted(found.edges, rows["done_ps"].to_numpy(), "right") - 1, 0, BINS - 1
    )
    size = MOST_OCTAVES * OCTAVE + 1
    for name, write in CLASSES:
        which = (names == name) & (writes == write)
        if which.any():
            counts = np.bincount(bins[which], minlength=size)
            found.latency[name, write] = found.latency.get((name, write), 0) + counts
    for name in dict.fromkeys(kind for kind, _ in CLASSES):
        which = names == name
        if not which.any():
            continue
        done = np.bincount(when[which], minlength=BINS) * LINE
        found.bytes[name] = found.bytes.get(name, 0) + done
        slowest = found.slowest.setdefault(name, np.zeros(BINS, "int64"))
        np.maximum.at(slowest, when[which], taken[which])
        for source in np.unique(sources[which])[:64].tolist():
            mine = which & (sources == source)
            counts, total = found.by_source.get((source, name), (0, 0))
            found.by_source[source, name] = (
                counts + np.bincount(bins[mine], minlength=size),
                total + int(taken[mine].sum()),
            )
        for channel, part in rows[which].groupby("channel"):
            pair = (part["admitted_ps"].to_numpy(), part["done_ps"].to_numpy())
            held.setdefault((name, int(channel)), []).append(pair)


def binned(taken: Any) -> Any:
    """Return the bin of each latency in ps."""
    import numpy as np

    return np.clip((np.log2(np.maximum(taken, 1)) * OCTAVE).astype(int), 0, MOST_OCTAVES * OCTAVE)


def _count_slots(found: Requests, held: dict[tuple[str, int], list[Any]]) -> None:
    import numpy as np

    span = int(found.edges[-1] - found.edges[0])
    channels = len({channel for _, channel in held}) or 1
    for (name, _), parts in held.items():
        taken = np.sort(np.concatenate([part[0] for part in parts]))
        freed = np.sort(np.concatenate([part[1] for part in parts]))
        # Slot-time up to each edge: that of all taken before, less that of all freed before.
        total = _since(taken, found.edges) - _since(freed, found.edges)
        mean = np.diff(total) / np.maximum(np.diff(found.edges), 1) / channels
        found.occupancy[name] = found.occupancy.get(name, 0) + mean
        times = np.concatenate([taken, freed])
        change = np.concatenate([np.ones(len(taken), int), -np.ones(len(freed), int)])
        order = np.lexsort((change, times))
        level = np.maximum(np.cumsum(change[order]), 0)
        lasts = np.diff(np.append(times[order], found.edges[-1]))
        share = np.bincount(level, weights=lasts) / span
        share[0] += max(int(times.min()) - int(found.edges[0]), 0) / span
        before = found.levels.get(name, np.zeros(1))
        both = np.zeros(max(len(share), len(before)))
        both[: len(share)] += share / channels
        both[: len(before)] += before
        found.levels[name] = both


def _since(times: Any, edges: Any) -> Any:
    """Return for each edge the sum of (edge - time) over all earlier times."""
    import numpy as np

    # Relative to the first edge and in floating point: sums of many picoseconds outgrow integers.
    relative = (times - edges[0]).astype(float)
    sums = np.concatenate([[0.0], np.cumsum(relative)])
    count = np.searchsorted(times, edges, "left")
    return count * (edges - edges[0]).astype(float) - sums[count]


def curve(counts: Any) -> list[list[float]]:
    """Return (ns, share of requests that took no longer) for each bin that holds any."""
    import numpy as np

    filled = np.nonzero(counts)[0]
    shares = np.cumsum(counts)[filled] / counts.sum()
    points, before = [], 0.0
    for place, share in zip(filled.tolist(), shares.tolist()):
        # It rises within the bins that hold requests, and only there.
        points.append([2.0 ** (place / OCTAVE) / 1000, before])
        points.append([2.0 ** ((place + 1) / OCTAVE) / 1000, share])
        before = share
    return [[float(f"{x:.4g}"), float(f"{y:.6g}")] for x, y in points]


def quantile(counts: Any, share: float) -> float:
    """Return the latency in ns, the upper end of its bin, that this share does not exceed."""
    import numpy as np

    sums = np.cumsum(counts)
    index = int(np.searchsorted(sums, share * sums[-1]))
    return float(2.0 ** ((index + 1) / OCTAVE) / 1000)
