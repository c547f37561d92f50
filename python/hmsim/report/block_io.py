# SPDX-License-Identifier: BSD-3-Clause
"""Latencies of block requests, of a log or of statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hmsim.report.requests import BINS, binned, curve
from hmsim.runs.directory import RunDirectory

FILE = "io_requests.parquet"
COLUMNS = ("agent", "kind", "submitted_ps", "done_ps")
KINDS = ("read", "write")
# Title, share of requests that take no longer, and end of the statistic.
QUANTILES = (
    *(("p50", 0.5, "p50"), ("p99", 0.99, "p99"), ("p99.9", 0.999, "p999")),
    *(("p99.99", 0.9999, ""), ("max", 1.0, "max")),
)
HEAD = ("requests", "mean (us)", *(f"{name} (us)" for name, *_ in QUANTILES))
Logged = Mapping[tuple[int, str], tuple[Any, Any]]


class Io(NamedTuple):
    """Block requests of one agent and direction; latencies in us, None where unknown.

    Attributes:
        values: as in `HEAD`.
        points: (ns, share of requests that took no longer).
        slowest: (ms, the longest latency in ns that ended then), of a log.
    """

    agent: int
    kind: str
    values: Sequence[float | None]
    points: list[list[float]]
    slowest: list[list[float]]


def read_io(run: RunDirectory) -> list[Io]:
    """Return the block requests of a run by agent and direction. Raises InputError."""
    logged = _logged(run) if run.has(FILE) else {}
    return [_exact(agent, kind, *times) for (agent, kind), times in sorted(logged.items())] or [
        *_recorded(run)
    ]


def _logged(run: RunDirectory) -> Logged:
    import numpy as np

    parts: dict[tuple[int, str], list[Any]] = {}
    for rows in run.batches(FILE, COLUMNS):
        for (agent, kind), own in rows.groupby(["agent", "kind"], observed=True):
            if kind in KINDS:
                parts.setdefault((int(agent), str(kind)), []).append(
                    own[["submitted_ps", "done_ps"]].to_numpy()
                )
    return {key: tuple(np.concatenate(each).T) for key, each in parts.items()}


def _exact(agent: int, kind: str, began: Any, done: Any) -> Io:
    import numpy as np

    taken = np.maximum(done - began, 0)
    ordered = np.sort(taken) / 1e6
    # The least latency that is not exceeded by the share.
    places = [max(int(np.ceil(share * len(ordered))) - 1, 0) for _, share, _ in QUANTILES]
    values = [float(len(taken)), float(ordered.mean()), *(float(ordered[n]) for n in places)]
    edges = np.linspace(int(done.min()), int(done.max()) + 1, BINS + 1)
    longest = np.zeros(BINS)
    np.maximum.at(longest, np.clip(np.searchsorted(edges, done, "right") - 1, 0, BINS - 1), taken)
    slowest = [
        [float(f"{at / 1e9:.6g}"), float(f"{ps / 1e3:.6g}")]
        for at, ps in zip((edges[:-1] + edges[1:]) / 2, longest)
        if ps > 0
    ]
    return Io(agent, kind, values, curve(np.bincount(binned(taken))), slowest)


def _recorded(run: RunDirectory) -> Iterator[Io]:
    for agent in range(len(run.agents)):
        for kind in KINDS:
            path = f"agent.{agent}.request_latency_us.{kind}"
            if run.stats.get(f"{path}.count"):
                ends = ("count", "mean", *(end for *_, end in QUANTILES))
                values = [run.stats.get(f"{path}.{end}") for end in ends]
                pairs = [(us, share) for us, (_, share, _) in zip(values[2:], QUANTILES)]
                points = [[us * 1000, share] for us, share in pairs if us is not None]
                yield Io(agent, kind, values, points, [])
