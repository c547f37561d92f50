# SPDX-License-Identifier: BSD-3-Clause
"""Tracks of nodes: the thread that each core ran, and the states of each thread of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hmsim._core import InputError
from hmsim.runs.command_log import STATES, THREAD_FILE
from hmsim.runs.directory import RunDirectory
from hmsim.timeline.kinds import CODES
from hmsim.timeline.sheet import Sheet, Track

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

NODE = -1  # in place of a channel: its tracks come first
CORES, THREADS = 0, 1  # its parts
ON_CORE = {"running": "core_runs", "copying": "core_copies"}
TIMES, NUMBERS, TEXTS = ("begin_ps", "end_ps"), ("agent", "thread", "core"), ("name", "state")
LIMITS = {"agent": (0, 1 << 10), "thread": (0, 1 << 15), "core": (-1, 1 << 8)}
LONGEST = 14  # characters of a thread's name


def read_threads(run: RunDirectory) -> pd.DataFrame:
    """Return the log of threads, without rows where a run has none. Raises InputError."""
    import pandas as pd

    columns = (*TIMES, *NUMBERS, *TEXTS)
    if not run.has(THREAD_FILE):  # hmsim was older
        return pd.DataFrame({name: [] for name in columns})
    table = run.table(THREAD_FILE, columns)
    path = run.path / THREAD_FILE
    if not len(table):
        return table
    for name in (*TIMES, *NUMBERS):
        if table[name].dtype.kind not in "iu":
            raise InputError(f"{path}: the column '{name}' must contain whole numbers")
        least, limit = LIMITS.get(name, (0, 1 << 62))
        if not least <= int(table[name].min()) <= int(table[name].max()) < limit:
            raise InputError(f"{path}: the column '{name}' contains impossible values")
    for name in TEXTS:
        table[name] = table[name].astype(str)
    unknown = set(table["state"].unique()) - {state for state in STATES if state in CODES}
    if unknown:
        raise InputError(f"{path}: '{min(unknown)}' is not a state of a thread")
    return table


def add_threads(sheet: Sheet, records: pd.DataFrame) -> None:
    """Add the tracks of a node's cores and threads; times in picoseconds."""
    if not len(records):
        return
    several = records["agent"].nunique() > 1
    labels = _labels(records)
    on_core = records[records["core"] >= 0].sort_values("begin_ps", kind="stable")
    for core, rows in on_core.groupby("core", sort=True):
        whose = [
            f"{agent}: {labels[agent, thread]}" if several else labels[agent, thread]
            for agent, thread in zip(rows["agent"].tolist(), rows["thread"].tolist())
        ]
        kinds = rows["state"].map(ON_CORE)
        _add(sheet, Track((NODE, CORES, int(core)), "node", f"core {core}"), rows, kinds, whose)
    for (agent, thread), rows in records.groupby(["agent", "thread"], sort=True):
        where = ["" if core < 0 else f"core {core}" for core in rows["core"].tolist()]
        place = (NODE, THREADS, int(agent), int(thread))
        track = Track(place, f"threads of agent {agent}", labels[agent, thread])
        _add(sheet, track, rows, rows["state"], where)


def _labels(records: pd.DataFrame) -> dict[tuple[int, int], str]:
    """Return the name of each thread; its number is that of the statistics."""
    first = records.drop_duplicates(["agent", "thread"])
    return {
        (agent, thread): f"{name if len(name) <= LONGEST else name[: LONGEST - 1] + '…'} {thread}"
        for agent, thread, name in zip(first["agent"], first["thread"], first["name"])
    }


def _add(sheet: Sheet, track: Track, rows: pd.DataFrame, kinds: Any, causes: list[str]) -> None:
    import numpy as np

    codes = kinds.map(CODES).fillna(CODES["core_runs"]).to_numpy(dtype="int8")
    sheet.add(track, rows["begin_ps"], rows["end_ps"], codes, cause=np.asarray(causes, object))
