# SPDX-License-Identifier: BSD-3-Clause
"""Time of jobs' threads by state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from hmsim.common.markup import Markup, join, tag
from hmsim.common.tables import number
from hmsim.report.bars import stacked
from hmsim.report.collect import Shown, slow_of
from hmsim.report.tables import name_cell, table_of

MS = 1e-9  # in picoseconds
# Labels in bars and tables, and the statistics; copying is a part of running.
STATES = {
    "running": "running",
    "copying": "copying",
    "ready": "run_queue",
    "reading": "reading",
    "read ahead": "read_ahead",
    "writing": "writing",
    "throttled": "throttled",
    "syncing": "syncing",
    "waiting": "waiting",
    "sleeping": "sleeping",
}


def jobs(shown: Sequence[Shown]) -> Markup | None:
    """Return a bar of each job in each run, and tables; None where no run has jobs."""
    parts = []
    for workload in dict.fromkeys(one.run.workload for one in shown):
        chosen = [(n, one) for n, one in enumerate(shown) if one.run.workload == workload]
        for agent, keys in enumerate(chosen[0][1].run.agents):
            own = [(n, one) for n, one in chosen if f"agent.{agent}.time.running" in one.run.stats]
            if own:
                title = f"{workload}, agent {agent} ({_name(str(keys.get('path', '?')))})"
                parts += _job(title, agent, own)
    if not parts:
        return None
    text = (
        "Time of all threads of a job together, up to its first end. Running: "
        "computing and waiting for single misses. Copying: part of running that "
        f"its cores spent on {slow_of(shown)} lines. Reading and writing: asleep "
        "while an engine copied. Read-ahead: asleep until a prefetched page "
        "arrived. 'hmsim timeline' shows the same over time, for runs made with "
        "--command-log."
    )
    return join(tag("p", text), *parts)


def times(stats: Mapping[str, float], path: str) -> list[float]:
    """Return the ms of each of `STATES`, where running leaves out copying."""
    found = [stats.get(f"{path}.{name}", 0.0) * MS for name in STATES.values()]
    return [max(found[0] - found[1], 0.0), *found[1:]]


def _name(path: str) -> str:
    """Return the name of a program's file, or for a twin that of its profile."""
    return re.sub("-[0-9a-f]{16}$", "", PurePath(path).name.split(".")[0])


def _job(title: str, agent: int, own: Sequence[tuple[int, Shown]]) -> list[Markup]:
    rows = [(n, one.name, times(one.run.stats, f"agent.{agent}.time")) for n, one in own]
    bars = stacked(f"{title}: time of its threads (ms)", list(STATES), rows, number)
    results = (
        ("makespan (ms)", "makespan_us", 1e-3),
        ("IPC including waits", "ipc", 1.0),
        ("instructions", "progress", 1.0),
    )
    lines = []
    for index, one in own:
        values = [(one.run.stats.get(f"agent.{agent}.{name}"), f) for _, name, f in results]
        cells = [tag("td", number(None if v is None else v * f)) for v, f in values]
        lines.append(tag("tr", name_cell(index, one), *cells))
    head = ("run", *(title for title, _, _ in results))
    return [bars, table_of(title, head, lines), _threads(title, agent, own)]


def _threads(title: str, agent: int, own: Sequence[tuple[int, Shown]]) -> Markup:
    rows = []
    for index, one in own:
        thread = 0
        while f"agent.{agent}.thread.{thread}.running" in one.run.stats:
            values = times(one.run.stats, f"agent.{agent}.thread.{thread}")
            cells = [tag("td", number(v), data_value=repr(v)) for v in (*values, sum(values))]
            rows.append(
                tag("tr", name_cell(index, one), tag("td", str(thread), data_value=thread), *cells)
            )
            thread += 1
    if not rows:
        return tag("p", "For more than 64 threads only sums are recorded.", class_="note")
    table = table_of(f"{title}: ms", ("run", "thread", *STATES, "sum"), rows, sort=True)
    return tag("details", tag("summary", "Thread by thread"), table)
