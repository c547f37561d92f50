# SPDX-License-Identifier: BSD-3-Clause
"""A timeline in the trace-event format that Perfetto and Chrome's tracing page open."""

from __future__ import annotations

import json
from pathlib import Path

from hmsim._core import InputError
from hmsim.timeline.kinds import KINDS, NAMES
from hmsim.timeline.sheet import values_of
from hmsim.timeline.tracks import Timeline

MOST_EVENTS = 500_000  # about 65 MB
PS_PER_US = 1_000_000


def write_trace(timeline: Timeline, path: Path) -> int:
    """Write ``{"traceEvents": [...]}``; return the number of slices.

    A process is a group of tracks, a thread a track; slices are complete events (``ph: X``) whose
    ``ts`` and ``dur`` count simulated microseconds, exact to the picosecond.

    Raises InputError when there are too many slices.
    """
    slices = timeline.slices
    if len(slices) > MOST_EVENTS:
        raise InputError(
            f"{timeline.run.path}: {len(slices):,} slices are too many for one file: "
            f"must be at most {MOST_EVENTS:,}; select a part with --from and --to"
        )
    used = set(slices["track"].tolist())
    tracks = {n: track for n, track in enumerate(timeline.tracks) if n in used}
    names = dict.fromkeys(track.group for track in tracks.values())
    groups = {group: n for n, group in enumerate(names)}
    slow = timeline.slow
    with path.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ns","otherData":')
        file.write(json.dumps({"workload": timeline.run.workload, "policy": timeline.run.policy}))
        file.write(',"traceEvents":[\n')
        head = []
        for group, number in groups.items():
            head.append(_meta("process_name", number, 0, {"name": group}))
            head.append(_meta("process_sort_index", number, 0, {"sort_index": number}))
        for index, track in tracks.items():
            number = groups[track.group]
            head.append(_meta("thread_name", number, index, {"name": track.name}))
            head.append(_meta("thread_sort_index", number, index, {"sort_index": index}))
        file.write(",\n".join(head))
        for index, track in tracks.items():
            own = slices[slices["track"] == index]
            place = f'"pid":{groups[track.group]},"tid":{index}'
            for row in values_of(own, "start_ps", "end_ps", "kind", "request", "row", "cause"):
                file.write(_slice(place, slow, *row))
        file.write("\n]}\n")
    return len(slices)


def label(kind: str, row: int, cause: str, slow: str) -> str:
    """Return a slice's name; ``slow``: the noun of the slow memory."""
    if kind == "open_row":
        return f"row {row}" if row >= 0 else "row open"
    if kind in ("core_runs", "core_copies"):
        return cause if kind == "core_runs" else f"{cause} copies"
    name = KINDS[kind].label
    return f"{name} ({cause})" if cause else name.format(slow=slow)


def _meta(name: str, pid: int, tid: int, args: dict[str, object]) -> str:
    event = {"ph": "M", "name": name, "pid": pid, "tid": tid, "ts": 0, "args": args}
    return json.dumps(event, separators=(",", ":"))


def _slice(
    place: str, slow: str, start: int, end: int, code: int, request: int, row: int, cause: str
) -> str:
    kind = NAMES[code]
    name = json.dumps(label(kind, row, cause, slow))
    args = {}
    if request >= 0:
        args["request"] = request
    if row >= 0:
        args["block" if cause else "row"] = row
    return (
        f',\n{{"ph":"X",{place},"ts":{_microseconds(start)},"dur":{_microseconds(end - start)},'
        f'"name":{name},"cat":"{kind}","args":{json.dumps(args)}}}'
    )


def _microseconds(ps: int) -> str:
    return f"{ps // PS_PER_US}.{ps % PS_PER_US:06d}"
