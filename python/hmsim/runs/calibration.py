# SPDX-License-Identifier: BSD-3-Clause
"""Training of the harmonic policy's tables, offline, by simulation.

Each cell is one run of one class of memory alone: a closed loop of requests that holds the cell's
characteristics. A cell's result depends neither on the process that runs it nor on the order of
cells.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hmsim import _core
from hmsim._core import InputError, Simulation
from hmsim.common.cache import keep
from hmsim.common.digests import file_digest
from hmsim.common.progress import Bars, inform, warn
from hmsim.config.configuration import Config
from hmsim.config.harmonic_table import (
    DRAM_CELLS,
    Table,
    cache_file,
    cells,
    find_table,
    table_key,
    table_parameter,
    training_config,
    with_text,
)
from hmsim.config.settings import read_text_file

REQUESTS = 50_000  # measured for each cell (docs/schedulers.md) ...
WARMUP = 10_000  # ... after so many
SEED = 1
KEPT = 16  # cells after which the work is saved
PS_PER_MS = 1_000_000_000


def train(
    config: Config,
    requests: int = REQUESTS,
    warmup: int = WARMUP,
    jobs: int | None = None,
    progress: bool = False,
) -> Table:
    """Train the tables of a configuration.

    An interrupted training resumes: finished cells are kept in the cache.

    Args:
        config: any configuration with an NVDIMM.
        requests, warmup: numbers of requests per cell, measured and before the measurement.
        jobs: parallel simulations; by default one per processor. Results do not depend on it.
        progress: report progress on standard error: bars on a terminal, otherwise lines.

    Raises:
        InputError: the configuration has no NVDIMM.
    """
    from concurrent.futures import ThreadPoolExecutor, as_completed  # most runs train nothing

    if config.resolved()["nvdimm.present"] != "true":
        raise InputError("calibrate: needs slow memory in the configuration (nvdimm.present: true)")
    key = table_key(config)
    training = training_config(config)
    wanted = list(cells())
    unfinished = _Unfinished(key, requests, warmup)
    rates = unfinished.rates
    stop = threading.Event()
    missing = [index for index in range(len(wanted)) if index not in rates]
    workers = jobs or len(os.sched_getaffinity(0))
    with Bars(progress) as bars, ThreadPoolExecutor(workers) as pool:

        def work(index: int) -> int:
            if stop.is_set():
                return 0
            flat = (training if index >= DRAM_CELLS else _without_nvdimm(training)).flat()
            return _rate(flat, wanted[index], requests, warmup)

        futures = {pool.submit(work, index): index for index in missing}
        try:
            for future in as_completed(futures):
                rates[futures[future]] = future.result()
                bars.report("training the harmonic policy's table", len(rates) / len(wanted))
                if len(rates) % KEPT == 0:
                    unfinished.save()
        except BaseException:
            for future, index in futures.items():
                if future.done() and not future.cancelled() and future.exception() is None:
                    rates[index] = future.result()
            stop.set()
            for future in futures:
                future.cancel()
            unfinished.save()
            raise
    unfinished.discard()
    ordered = [rates[index] for index in range(len(wanted))]
    return Table(key, requests, warmup, tuple(ordered[:DRAM_CELLS]), tuple(ordered[DRAM_CELLS:]))


def with_table(
    config: Config, calibrate: bool = True, jobs: int | None = None, progress: bool = False
) -> Config:
    """Return the configuration with the table that its bus arbiter needs, if it needs one.

    A table that is neither shipped nor cached is trained once. Raises InputError if there is no
    table and ``calibrate`` is false.
    """
    name = table_parameter(config)
    if name is None:
        return config
    found = find_table(config)
    if found is None:
        if not calibrate:
            raise InputError(
                f"{name}: no table exists for this DRAM, flash, buffer and queue depth; "
                "'hmsim calibrate' trains one"
            )
        warn(f"{config.name}: training a table of the harmonic policy, once; the cache keeps it")
        table = train(config, jobs=jobs, progress=progress)
        store(table, config.name)
        found = table, cache_file(table.key)
    else:
        inform(f"{config.name}: the table of the harmonic policy is {found[1]}")
    return with_text(config, name, *found)


def store(table: Table, name: str) -> None:
    """Cache a table; an unwritable cache is ignored."""
    keep(cache_file(table.key), table.content(name))


def _without_nvdimm(config: Config) -> Config:
    absent = next(s for s in config.settings if s.name == "nvdimm.present")._replace(text="false")
    return replace(config, settings=(*config.settings, absent))


def _rate(
    flat: Sequence[tuple[str, str]], cell: Mapping[str, float], requests: int, warmup: int
) -> int:
    """Return a cell's throughput after the warm-up, in requests per millisecond.

    The throughput follows from two equal runs, of which one ends after the warm-up.
    """
    target = "dram" if "stride" in cell else "nvdimm"
    # A fixed stream, so that tables do not depend on how agents choose theirs.
    keys = {"kind": "pattern", "target": target, "random_stream": 0, **cell}

    def time_of(count: int) -> int:
        agent = [(name, str(value)) for name, value in {**keys, "requests": count}.items()]
        simulation = Simulation(list(flat), [agent], SEED, 0, 0, lambda _agent, _offset: b"", [0])
        while not simulation.run(count):
            pass
        return simulation.now

    time = time_of(warmup + requests) - (time_of(warmup) if warmup else 0)
    if time <= 0:
        raise InputError(f"calibrate: {requests} requests are too few to measure")
    return requests * PS_PER_MS // time


class _Unfinished:
    """The cells that an interrupted training has finished, in a file of the cache."""

    def __init__(self, key: str, requests: int, warmup: int) -> None:
        extension = Path(str(_core.__file__))
        self.path = cache_file(key).with_suffix(f".{requests}-{warmup}.unfinished")
        self._build = file_digest(extension)
        self.rates: dict[int, int] = {}
        damaged = (InputError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
        with contextlib.suppress(*damaged):
            content = json.loads(read_text_file(self.path))
            if content["build"] == self._build:
                self.rates = {int(cell): int(rate) for cell, rate in content["rates"].items()}

    def save(self) -> None:
        """Store the finished cells; an unwritable cache is ignored."""
        keep(self.path, json.dumps({"build": self._build, "rates": self.rates}).encode())

    def discard(self) -> None:
        """Remove the cached file. Call when all cells are finished."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
