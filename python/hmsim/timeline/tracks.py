# SPDX-License-Identifier: BSD-3-Clause
"""From a run's command log to tracks of slices, one slice at a time on each."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hmsim._core import InputError
from hmsim.common import labels
from hmsim.runs.command_log import COMMAND_FILE, MODULE_FILE
from hmsim.runs.directory import RunDirectory, read_run
from hmsim.timeline.channels import add_channels
from hmsim.timeline.modules import add_modules
from hmsim.timeline.sheet import Sheet, Track
from hmsim.timeline.threads import add_threads, read_threads

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

COMMAND_COLUMNS = ("cycle", "command", "channel", "rank", "bank", "row", "request")
MODULE_COLUMNS = (
    *("start_ps", "end_ps", "channel", "device"),
    *("stage", "operation", "cause", "unit", "block", "page"),
)


@dataclass(frozen=True)
class Timeline:
    """Events of a run, or of a part of it.

    Attributes:
        run: the directory.
        tracks: all tracks that are not empty in the run, and one for each LUN.
        slices: as returned by `Sheet.table`.
        begin_ps, end_ps: the period that the log covers.
        full: whether the run continued after the end of a log.
        channels_end_ps: end of the log's records of channels; threads may continue.
        commands: the rows of ``commands.parquet``.
        period_ps: the channel's clock period.
    """

    run: RunDirectory
    tracks: list[Track]
    slices: pd.DataFrame
    begin_ps: int
    end_ps: int
    full: bool
    channels_end_ps: int
    commands: pd.DataFrame = field(repr=False)
    period_ps: int = 0

    @property
    def slow(self) -> str:
        """The noun of the slow memory."""
        return labels.slow_memory(self.run.config)

    def first(self, slices: int) -> Timeline:
        """Return the longest part from the beginning that holds at most ``slices`` slices."""
        if len(self.slices) <= slices:
            return self
        starts = self.slices["start_ps"].sort_values(ignore_index=True)
        return self.window(self.begin_ps, int(starts[slices]))

    def window(self, begin_ps: int, end_ps: int) -> Timeline:
        """Return the part from one time to another; slices that reach beyond it are cut."""
        inside = (self.slices["end_ps"] > begin_ps) & (self.slices["start_ps"] < end_ps)
        slices = self.slices[inside].copy()
        slices["start_ps"] = slices["start_ps"].clip(lower=begin_ps)
        slices["end_ps"] = slices["end_ps"].clip(upper=end_ps)
        return replace(self, slices=slices, begin_ps=begin_ps, end_ps=end_ps)


def read_timeline(directory: str | os.PathLike[str]) -> Timeline:
    """Return the timeline of a run directory. Raises InputError, also when it has no log."""

    run = read_run(directory)
    for file in (COMMAND_FILE, MODULE_FILE):
        if not run.has(file):
            raise InputError(
                f"{run.path}: has no command log ({file}); make one with "
                "'hmsim run ... --command-log --out DIR'"
            )
    commands = run.table(COMMAND_FILE, COMMAND_COLUMNS)
    modules = run.table(MODULE_FILE, MODULE_COLUMNS)
    _check(run, commands, modules)
    threads = read_threads(run)
    log = run.origin.get("command_log", {})
    full = bool(log.get("full"))
    period = _positive(run, "dram.timing.tCK")
    ticks = int(run.stats.get("sim.ticks", 0))
    starts = [int(commands["cycle"].min()) * period] if len(commands) else []
    starts += [int(modules["start_ps"].min())] if len(modules) else []
    starts += [int(threads["begin_ps"].min())] if len(threads) else []
    begin = min(starts, default=0)
    ends = [(int(commands["cycle"].max()) + 1) * period] if len(commands) else []
    ends += [int(modules["start_ps"].max())] if len(modules) else []
    end = max(ends, default=0)
    warm = bool(run.origin.get("warmup_ps") or run.origin.get("warmup_instructions"))
    if not full and not warm:
        begin, end = 0, max(end, ticks)
    sheet = Sheet()
    add_threads(sheet, threads)
    add_channels(sheet, run, commands, period, begin, end)
    add_modules(sheet, run, modules, begin, end)
    tracks, slices = sheet.table()
    last = max(end, int(slices["end_ps"].max()) if len(slices) else end)
    cut = full or bool(log.get("threads_full"))
    return Timeline(run, tracks, slices, begin, last, cut, end, commands, period)


def _check(run: RunDirectory, commands: pd.DataFrame, modules: pd.DataFrame) -> None:
    """Raise InputError for rows that no run writes."""
    for file, table, times in (
        (COMMAND_FILE, commands, ("cycle",)),
        (MODULE_FILE, modules, ("start_ps", "end_ps")),
    ):
        path = run.path / file
        for name in table.columns:
            text = name in ("command", "stage", "operation", "cause")
            if not text and len(table) and table[name].dtype.kind not in "iu":
                raise InputError(f"{path}: the column '{name}' must contain whole numbers")
        for name in times:
            if len(table) and not 0 <= int(table[name].min()) <= int(table[name].max()) < 1 << 62:
                raise InputError(f"{path}: the column '{name}' contains impossible times")
        if len(table) and (table["channel"].min() < 0 or table["channel"].max() > 4096):
            raise InputError(f"{path}: the column 'channel' contains impossible channels")
    if len(commands) and not commands.groupby("channel")["cycle"].is_monotonic_increasing.all():
        raise InputError(f"{run.path / COMMAND_FILE}: its commands are out of order")


def _positive(run: RunDirectory, name: str) -> int:
    value = run.number(name)
    if value <= 0:
        raise InputError(f"{run.path / 'config.yaml'}: {name}: must be positive, got {value}")
    return value
