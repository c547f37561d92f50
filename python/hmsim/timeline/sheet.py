# SPDX-License-Identifier: BSD-3-Clause
"""Slices on tracks, collected a column at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hmsim.timeline.kinds import CODES

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd


@dataclass(frozen=True, order=True)
class Track:
    """Line of a timeline.

    Attributes:
        place: sort key of the track.
        group: owner of the track: ``node``, ``channel 0``, ``channel 0, flash``.
        name: ``core 1``, ``data bus``, ``bank 3``, ``flash channel 1``, ``LUN 2``, ``GC of LUN 2``.
    """

    place: tuple[int, ...]
    group: str
    name: str


def values_of(table: pd.DataFrame, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Return the rows of some columns, as numbers and texts of Python."""
    return zip(*(table[column].tolist() for column in columns))


class Sheet:
    """Collector of slices. A column may be a single value that all slices share."""

    def __init__(self) -> None:
        self._tracks: dict[Track, int] = {}
        self._parts: list[dict[str, Any]] = []

    def declare(self, track: Track) -> None:
        """Add a track, which is shown even without slices."""
        self._tracks.setdefault(track, len(self._tracks))

    def add(
        self,
        track: Track,
        start: Any,
        end: Any,
        kind: Any,
        *,
        request: Any = -1,
        row: Any = -1,
        cause: Any = "",
    ) -> None:
        """Add slices to a track, except slices that take no time.

        Args:
            track: track of the slices.
            start: begins of the slices, an array of picoseconds.
            end: ends of the slices.
            kind: one name of `KINDS`, or an array of codes.
            request: ids of the requests that the slices serve; -1: none.
            row: DRAM rows, logical pages (data bus) or flash blocks of the slices; -1: none.
            cause: reason of all slices, a text, or an array of reasons.
        """
        import numpy as np
        import pandas as pd

        begins = np.asarray(start, dtype="int64")
        ends = np.asarray(end, dtype="int64")
        keep = ends > begins
        if not keep.any():
            return
        self.declare(track)
        number = self._tracks[track]
        count = int(keep.sum())

        def column(values: Any, dtype: str) -> Any:
            array = np.asarray(values)
            return np.full(count, values, dtype) if array.ndim == 0 else array[keep].astype(dtype)

        reasons = (
            pd.Categorical([cause] * count)
            if isinstance(cause, str)
            else pd.Categorical(np.asarray(cause, dtype=object)[keep])
        )
        self._parts.append(
            {
                "track": np.full(count, number, "int32"),
                "start_ps": begins[keep],
                "end_ps": ends[keep],
                "kind": column(CODES[kind] if isinstance(kind, str) else kind, "int8"),
                "request": column(request, "int64"),
                "row": column(row, "int64"),
                "cause": reasons,
            }
        )

    def table(self) -> tuple[list[Track], pd.DataFrame]:
        """Return the tracks in order and the slices in order of track and time.

        Columns: ``track`` (index of the list), ``start_ps``, ``end_ps``, ``kind`` (code of KINDS),
        ``request``, ``row``, ``cause``.
        """
        import numpy as np
        import pandas as pd
        from pandas.api.types import union_categoricals

        tracks = sorted(self._tracks)
        place = np.empty(len(tracks), "int32")
        for index, track in enumerate(tracks):
            place[self._tracks[track]] = index
        names = ("track", "start_ps", "end_ps", "kind", "request", "row")
        if not self._parts:
            return [], pd.DataFrame({name: np.empty(0, "int64") for name in (*names, "cause")})
        table = pd.DataFrame(
            {name: np.concatenate([part[name] for part in self._parts]) for name in names}
        )
        table["cause"] = union_categoricals([part["cause"] for part in self._parts])
        table["track"] = place[table["track"].to_numpy()]
        return tracks, table.sort_values(["track", "start_ps"], kind="stable", ignore_index=True)
