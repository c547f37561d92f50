# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a picture: which tracks it shows, and how high each of them is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hmsim._core import InputError
from hmsim.timeline.kinds import CODES
from hmsim.timeline.modules import is_of_collections, is_of_units
from hmsim.timeline.threads import NODE
from hmsim.timeline.tracks import Timeline

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

MOST_OF_NODE = 16  # cores, and threads: those that ran longest
MOST_OF_UNITS = 128  # LUNs or banks of an NVDIMM, and their collections: those busy longest
MANY = 16  # LUNs or banks of an NVDIMM from which on rows are thin
MOST_HEIGHT = 3840  # pixels of all rows


class Row(NamedTuple):
    """Sizes of a row, in pixels."""

    height: int
    bar: int
    font: int


TALL, THIN = Row(24, 18, 12), Row(12, 9, 9)


def shown_tracks(timeline: Timeline) -> list[int]:
    """Return the tracks that a picture of a window shows, in order.

    The numbers of cores, threads and LUNs are limited. Tracks of collections, refreshes and low
    power are shown only if they are not empty.
    """
    used = set(timeline.slices["track"].tolist())
    kinds: dict[tuple[int, ...], list[int]] = {}
    for index, track in enumerate(timeline.tracks):
        rare = is_of_collections(track) or track.place[-1] < 0
        if index in used or not rare:
            kinds.setdefault(track.place[:2], []).append(index)
    busy = on_core(timeline.slices).groupby(timeline.slices["track"]).sum()
    times = timeline.slices["end_ps"] - timeline.slices["start_ps"]
    worked = times.groupby(timeline.slices["track"]).sum()
    shown = []
    for (channel, _), indices in kinds.items():
        node = channel == NODE
        units = is_of_units(timeline.tracks[indices[0]])
        rank = busy if node else worked
        longest = sorted(indices, key=lambda n: -int(rank.get(n, 0)))
        most = MOST_OF_NODE if node else MOST_OF_UNITS if units else len(indices)
        shown += longest[:most]
    return sorted(shown)


def on_core(slices: pd.DataFrame) -> pd.Series:
    """Return the length of each slice in which a thread has a core, 0 for others."""
    codes = [CODES[kind] for kind in ("core_runs", "core_copies", "running", "copying")]
    return (slices["end_ps"] - slices["start_ps"]).where(slices["kind"].isin(codes), 0)


def rows_of(timeline: Timeline, shown: Sequence[int]) -> list[Row]:
    """Return the row of each shown track. Raises InputError when there is no room for all."""
    places = [timeline.tracks[index].place[:2] for index in shown]
    count = Counter(places)
    rows = [
        THIN if count[place] > MANY and is_of_units(timeline.tracks[index]) else TALL
        for index, place in zip(shown, places)
    ]
    if sum(row.height for row in rows) > MOST_HEIGHT:
        raise InputError(
            f"{timeline.run.path}: {len(shown)} tracks are too many for a picture: "
            f"must be at most {MOST_HEIGHT // TALL.height} of full height; open "
            "timeline.json in Perfetto"
        )
    return rows


def heading(timeline: Timeline, group: str, shown: Sequence[int]) -> str:
    """Return the title of a group of tracks, which states how many of them are shown."""
    whole = [track for track in timeline.tracks if track.group == group]
    drawn = [track for track in map(timeline.tracks.__getitem__, shown) if track.group == group]
    if whole[0].place[0] == NODE:
        if len(drawn) == len(whole):
            return group
        return f"{group}: {len(drawn)} of {len(whole)}, the longest-running ones"
    units, those = (
        sum(is_of_units(track) and not is_of_collections(track) for track in tracks)
        for tracks in (whole, drawn)
    )
    return group if units == those else f"{group}: {those} of {units}, the busiest ones"
