# SPDX-License-Identifier: BSD-3-Clause
"""Runs with a request log, and the columns computed from it before it is deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hmsim.common.digests import file_digest
from hmsim.points.point import Measurement, Point
from hmsim.runs import identity
from hmsim.runs.request_log import RequestLog
from hmsim.runs.runner import simulate

DEPTH = 128  # entries of the queues that are looked at
LINES = 64  # of a 4 KB block
BLOCK = 4096
BINS = 200


def _code() -> list[Any]:
    return ["figures", identity.of_code(), file_digest(Path(__file__))]


def _run(point: Point) -> tuple[pd.DataFrame, Measurement]:
    log = RequestLog()
    result = simulate(point.config, point.workload, point.options, lambda done: None, log=log)
    return log.table(), Measurement(result.stats, result.units, result.host)


@dataclass(frozen=True)
class Occupancy:
    """Adds ``share.CLASS.N``: the share of time in which a class holds N entries of its queue."""

    def identity(self) -> Any:
        return [*_code(), "occupancy"]

    def measure(self, point: Point) -> Measurement:
        log, found = _run(point)
        values = dict(found.values)
        for name in ("dram", "nvdimm"):
            rows = log[log["class"] == name]
            for entries, share in enumerate(occupancy(rows, int(values["sim.ticks"]))):
                values[f"share.{name}.{entries}"] = share
        return Measurement(values, found.units, found.host)


def occupancy(rows: pd.DataFrame, duration_ps: int) -> list[float]:
    """Return the share of time with 0, 1, ... `DEPTH` of these requests in the queue.

    A request holds its entry from its admission to its end. Time is counted up to the last end.
    """
    starts, ends = rows["admitted_ps"].to_numpy(), rows["done_ps"].to_numpy()
    times = np.concatenate((starts, ends))
    steps = np.concatenate((np.ones(len(starts), int), -np.ones(len(ends), int)))
    order = np.lexsort((steps, times))  # who leaves makes room first
    held = np.cumsum(steps[order])
    lasts = np.diff(times[order], append=times.max(initial=0))
    shares = np.bincount(held.clip(0, DEPTH), weights=lasts, minlength=DEPTH + 1)
    shares[0] += max(0, duration_ps - shares.sum())
    return [float(share) for share in shares / shares.sum()]


def shares_of(memory: str) -> list[str]:
    """Return the columns that `Occupancy` adds for a class."""
    return [f"share.{memory}.{n}" for n in range(DEPTH + 1)]


def at_most(table: pd.DataFrame, memory: str, keys: Sequence[str]) -> pd.DataFrame:
    """Return a row for each run and N: keys, and per cent of time with at most N entries."""
    rows = []
    for record in table.to_dict("records"):
        ends = accumulate(record[name] for name in shares_of(memory))
        own = {name: record[name] for name in keys}
        rows += [{**own, "entries": n, "share": 100 * end} for n, end in enumerate(ends)]
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Responses:
    """Adds ``response.mean.N`` and ``response.max.N``, us, of `BINS` equal parts of the blocks."""

    def identity(self) -> Any:
        return [*_code(), "responses", BINS]

    def measure(self, point: Point) -> Measurement:
        log, found = _run(point)
        values = dict(found.values)
        blocks = responses(log[log["class"] == "nvdimm"])
        for number, part in enumerate(np.array_split(blocks, BINS)):
            if len(part):
                values[f"response.mean.{number}"] = float(part.mean())
                values[f"response.max.{number}"] = float(part.max())
        return Measurement(values, found.units, found.host)


def responses(requests: pd.DataFrame) -> np.ndarray:
    """Return the response times of whole 4 KB blocks, us, in the order of their first requests.

    A block is one request, or one for each of its lines.
    """
    requests = requests.sort_values("id")
    each = LINES if (requests["address"] % BLOCK).any() else 1
    page = requests["address"] // BLOCK
    visit = requests.groupby([requests["source"], page], sort=False).cumcount() // each
    blocks = requests.groupby([requests["source"], page, visit], sort=False)
    table = blocks.agg(begin=("arrival_ps", "min"), end=("done_ps", "max"))
    return ((table["end"] - table["begin"]) / 1e6).to_numpy()
