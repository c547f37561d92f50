# SPDX-License-Identifier: BSD-3-Clause
"""The harmonic policy's tables: which one belongs to a configuration, and their files."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from hmsim._core import InputError, Simulation, policy_libraries
from hmsim.common.cache import set_aside
from hmsim.common.paths import cache_directory, data_directory
from hmsim.config.configuration import Config
from hmsim.config.settings import Setting, merge, read_text_file

# Version of keys and files. Raise it when a default of the hardware changes: a key hashes only what
# differs from the defaults.
VERSION = 3
FORMAT = 1  # version of the text that policies.harmonic.table takes
SUFFIX = ".table"
SHIPPED = "configs/harmonic"

# Centres of the bins, where training runs measure. Cells are in the order of the file: the last
# characteristic varies fastest.
DEPTHS = (2, 6, 12, 24, 48, 96)  # requests in flight; the bins end at 4, 8, 16, 32, 64
STRIDES = (1, 8, 72, 2112)  # lines; at 1, 16, 128
REUSES = (0.25, 0.75)
WRITE_RATIOS = tuple((2 * i + 1) / 12 for i in range(6))
RANDOMNESS = tuple((2 * i + 1) / 8 for i in range(4))
DRAM_AXES = ("stride", "reuse", "outstanding")
NVDIMM_AXES = ("write_ratio", "write_randomness", "read_randomness", "outstanding")

# A table holds the speed of the memory alone, independent of policies and the workload's state.
NEUTRAL = {
    "controller.channels": "1",
    "controller.queues": "split",
    "controller.scheduler": "fr_fcfs",
    "controller.nvdimm_scheduler": "fr_fcfs",
    "controller.arbiter": "oldest_first",
    "controller.writes": "mixed",  # DRAM's patterns are reads
    "nvdimm.present": "true",
    "nvdimm.access": "line",
    "nvdimm.unmapped_read": "flash",
    "nvdimm.buffer.manager": "on_demand",
    "nvdimm.ftl.victim": "greedy",
    "nvdimm.precondition.fill": "0",
    "nvdimm.precondition.overwrite": "0",
    "system.store_data": "false",
}
APART = (
    "policies.",
    "frontend.",
    "storage.",
    "controller.bus",
    "controller.drain_",
    "controller.starvation_limit",
    "nvdimm.gc.",
    "nvdimm.precondition.",
    "nvdimm.power.",
)


def cells() -> Iterator[dict[str, float]]:
    """Yield the characteristics of each cell, as keys of an agent of kind ``pattern``."""
    for stride in STRIDES:
        for reuse in REUSES:
            for depth in DEPTHS:
                yield dict(zip(DRAM_AXES, (stride, reuse, depth)))
    for ratio in WRITE_RATIOS:
        for writes in RANDOMNESS:
            for reads in RANDOMNESS:
                for depth in DEPTHS:
                    yield dict(zip(NVDIMM_AXES, (ratio, writes, reads, depth)))


DRAM_CELLS = len(STRIDES) * len(REUSES) * len(DEPTHS)
NVDIMM_CELLS = len(WRITE_RATIOS) * len(RANDOMNESS) ** 2 * len(DEPTHS)
NUMBER = r"[0-9]{1,9}"  # requests, or requests per millisecond
LAYOUT = re.compile(  # of a file without its comments, in one line
    rf"version {VERSION} key (\w+) requests ({NUMBER}) warmup ({NUMBER}) "
    rf"dram((?: {NUMBER}){{{DRAM_CELLS}}}) nvdimm((?: {NUMBER}){{{NVDIMM_CELLS}}})"
)


class Table(NamedTuple):
    """Rates by cell, in requests per millisecond, and the parameters of their training.

    Attributes:
        key: of the hardware, `table_key`.
        requests: measured of each cell.
        warmup: requests before them.
        dram, nvdimm: the rates in the order of `cells`.
    """

    key: str
    requests: int
    warmup: int
    dram: tuple[int, ...]
    nvdimm: tuple[int, ...]

    def text(self) -> str:
        """Return the value of the parameter ``policies.harmonic.table``."""
        parts = [f"version {FORMAT} dram", *map(str, self.dram), "nvdimm", *map(str, self.nvdimm)]
        return " ".join(parts)

    def content(self, name: str) -> bytes:
        """Return the table's file. ``name``: of the configuration, for the reader."""
        depths = " ".join(map(str, DEPTHS))
        lines = [
            "# Performance table of the harmonic policy, written by 'hmsim calibrate': what each",
            f"# class of memory alone serves of a pattern, in requests per ms, in {name}.",
            f"version {VERSION}",
            f"key {self.key}",
            f"requests {self.requests}",
            f"warmup {self.warmup}",
            f"# A line per stride (lines) and reuse of rows, with {depths} requests in flight.",
            "dram",
            *_rows(self.dram),
            "# A line per share of writes, of random writes, of random reads.",
            "nvdimm",
            *_rows(self.nvdimm),
        ]
        return "".join(line + "\n" for line in lines).encode()


def _rows(rates: Sequence[int]) -> Iterator[str]:
    for start in range(0, len(rates), len(DEPTHS)):
        yield " ".join(map(str, rates[start : start + len(DEPTHS)]))


def read_table(path: Path) -> Table:
    """Return the table in a file that `Table.content` wrote. Raises InputError that names it."""
    text = read_text_file(path).decode("latin-1")
    words = " ".join(line for line in text.splitlines() if not line.startswith("#"))
    match = LAYOUT.fullmatch(words)
    if match is None:
        raise InputError(f"{path}: is not a whole table of version {VERSION}: train it again")
    key, *texts = match.groups()
    (requests,), (warmup,), dram, nvdimm = (tuple(map(int, each.split())) for each in texts)
    if not max(dram) or not max(nvdimm):
        raise InputError(f"{path}: all rates of a class are 0: one must be above 0")
    return Table(key, requests, warmup, dram, nvdimm)


def training_config(config: Config) -> Config:
    """Return the configuration under which the tables of this one are trained.

    It has the same hardware with one channel, without the settings that do not affect the tables.
    """
    kept = [s for s in config.settings_in_force() if not s.name.startswith(APART)]
    own = f"policies.{_given(config)['controller.page_policy']}."
    kept += [s for s in config.settings_in_force() if s.name.startswith(own)]
    neutral = [Setting(name, text, "training") for name, text in NEUTRAL.items()]
    return replace(config, settings=tuple(merge(kept, neutral)), bundle=(), overrides=())


def table_key(config: Config) -> str:
    """Return the hash of a configuration's settings that affect its tables and are not defaults.

    A new parameter whose default changes nothing does not change existing keys.
    """
    training = training_config(config)
    resolved, defaults = training.resolved(), _defaults(tuple(policy_libraries()))
    shaping = sorted(
        (setting.name, resolved[setting.name])
        for setting in training.settings
        if resolved[setting.name] != defaults[setting.name]
    )
    return hashlib.sha256(json.dumps([VERSION, shaping]).encode()).hexdigest()[:32]


def cache_file(key: str) -> Path:
    """Return the cache file of a table that was trained on this machine."""
    return cache_directory() / "harmonic" / f"{key}{SUFFIX}"


def find_table(config: Config) -> tuple[Table, Path] | None:
    """Return the table of a configuration, a shipped or a cached one, and its file.

    A damaged cached table counts as absent. Raises InputError when a shipped one is damaged.
    """
    key = table_key(config)
    marked = f"key {key}\n"
    for path in sorted((data_directory() / SHIPPED).glob(f"*{SUFFIX}")):
        if marked in read_text_file(path).decode("ascii", errors="replace"):
            return read_table(path), path
    path = cache_file(key)
    if not path.is_file():
        return None
    try:
        table = read_table(path)
        if table.key != key:
            raise InputError(f"{path}: its key {table.key[:40]} differs from its name")
    except InputError as damage:
        set_aside(damage)
        return None
    return table, path


def table_parameter(config: Config) -> str | None:
    """Return the name of the bus arbiter's empty table parameter, or None if it needs no table."""
    if "controller.arbiter" in dict(config.objects):
        return None
    given = _given(config)
    name = f"policies.{given['controller.arbiter']}.table"
    return name if given.get(name) == "" else None


def _given(config: Config) -> dict[str, str]:
    """Return the text of every parameter, as set or by default. To resolve them takes 1 ms."""
    return {**_defaults(tuple(policy_libraries())), **dict(config.flat())}


@lru_cache(maxsize=1)
def _defaults(libraries: tuple[str, ...]) -> dict[str, str]:
    """Return the default of every parameter, those of libraries of policies included."""
    return {info["name"]: info["default"] for info in Simulation.parameters()}


def with_text(config: Config, name: str, table: Table, where: str | os.PathLike[str]) -> Config:
    """Return the configuration with a table as the value of parameter ``name``."""
    setting = Setting(name, table.text(), os.fspath(where))
    return replace(config, overrides=(*config.overrides, setting))
