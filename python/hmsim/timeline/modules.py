# SPDX-License-Identifier: BSD-3-Clause
"""Tracks inside NVDIMMs: flash channels, LUNs, banks of other media, collections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hmsim._core import InputError
from hmsim.runs.directory import RunDirectory
from hmsim.timeline.kinds import CODES
from hmsim.timeline.sheet import Sheet, Track, values_of

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

# Parts of a channel, after those of its buses; those of its further NVDIMMs follow.
FLASH_CHANNELS, UNITS, COLLECTIONS = 2, 3, 4
PARTS = 3
MOST_LUNS = 1 << 16  # of an NVDIMM that the simulator takes


class Place(NamedTuple):
    """An NVDIMM of a channel."""

    channel: int
    device: int

    def part(self, which: int) -> tuple[int, int]:
        """Return the place of one of the device's parts among the tracks."""
        return self.channel, which + PARTS * self.device

    def group(self, what: str) -> str:
        """Return the name of a group of the NVDIMM's tracks."""
        own = f"module {self.device}, " if self.device else ""
        return f"channel {self.channel}, {own}{what}"


def is_of_collections(track: Track) -> bool:
    """Return whether a track shows garbage collections."""
    part = track.place[1]
    return part >= COLLECTIONS and part % PARTS == COLLECTIONS % PARTS


def is_of_units(track: Track) -> bool:
    """Return whether a track shows a LUN or bank, or its garbage collections."""
    part = track.place[1]
    return part >= UNITS and part % PARTS != FLASH_CHANNELS % PARTS


def add_modules(
    sheet: Sheet, run: RunDirectory, records: pd.DataFrame, begin: int, end: int
) -> None:
    """Add the log's records of all NVDIMMs; times in picoseconds.

    An NVDIMM whose flash did anything has a track for each of its LUNs.

    Raises InputError when the configuration does not say how many LUNs share a flash channel.
    """
    for (channel, device), own in records.groupby(["channel", "device"], sort=True):
        place = Place(int(channel), int(device))
        stages = own["stage"].astype(str)
        _add_flash_channels(sheet, run, place, own, stages)
        for unit, mine in own.groupby("unit", sort=True):
            _add_unit(sheet, place, int(unit), mine, begin, end)
            _add_collections(sheet, place, int(unit), mine, begin, end)


def _add_flash_channels(
    sheet: Sheet, run: RunDirectory, place: Place, records: pd.DataFrame, stages: pd.Series
) -> None:
    on_bus = records[stages.isin(["command", "data_out", "status"]).to_numpy()]
    if not len(on_bus):
        return
    luns = run.number("nvdimm.nand.chips") * run.number("nvdimm.nand.dies")
    array = luns * run.number("nvdimm.nand.channels")
    if array > MOST_LUNS:
        raise InputError(f"{run.path / 'config.yaml'}: nvdimm.nand: {array} LUNs are impossible")
    for unit in range(array):
        sheet.declare(_track_of_lun(place, unit))
    bus = on_bus["unit"].to_numpy() // max(luns, 1)
    names = on_bus["stage"].astype(str).to_numpy().astype(object)
    names[(names == "command") & (on_bus["operation"].astype(str) == "program").to_numpy()] = (
        "data_in"
    )
    codes = [CODES[name] for name in names]
    for number in sorted(set(bus.tolist())):
        which = bus == number
        track = Track(
            (*place.part(FLASH_CHANNELS), number), place.group("flash"), f"flash channel {number}"
        )
        own = on_bus[which]
        sheet.add(
            track,
            own["start_ps"],
            own["end_ps"],
            _array(codes)[which],
            row=own["block"].to_numpy(),
            cause=own["cause"].astype(str).to_numpy(),
        )


def _add_unit(
    sheet: Sheet, place: Place, unit: int, records: pd.DataFrame, begin: int, end: int
) -> None:
    """Add the operations of the cells. Records of one multi-plane operation become one slice."""
    flash = Slices()
    columns = ("start_ps", "end_ps", "stage", "operation", "cause", "block")
    for start, stop, stage, operation, cause, block in values_of(records, *columns):
        what = (f"flash_{operation}", cause, block)
        if stage in ("cells", "resume"):
            flash.open(start, what)
        elif stage == "done":
            flash.close(start, what, begin)
        elif stage == "suspend":
            if flash.close(start, what, begin):
                flash.slice(start, stop, ("suspending", cause, block))
        elif stage == "media":
            flash.slice(start, stop, (f"media_{operation}", cause, -1))
    flash.finish(end)
    media = flash.rows and flash.rows[0][2].startswith("media")
    bank = Track((*place.part(UNITS), unit), place.group("media"), f"bank {unit}")
    flash.add_to(sheet, bank if media else _track_of_lun(place, unit))


def _track_of_lun(place: Place, unit: int) -> Track:
    return Track((*place.part(UNITS), unit), place.group("flash"), f"LUN {unit}")


def _add_collections(
    sheet: Sheet, place: Place, unit: int, records: pd.DataFrame, begin: int, end: int
) -> None:
    jobs = Slices()
    mine = records[records["stage"].astype(str).isin(["collection_begins", "collection_ends"])]
    for at, stage, cause, block in values_of(mine, "start_ps", "stage", "cause", "block"):
        what = ("levelling" if cause == "levelling" else "collection", cause, block)
        if stage == "collection_begins":
            jobs.open(at, what)
        else:
            jobs.close(at, what, begin)
    jobs.finish(end)
    track = Track((*place.part(COLLECTIONS), unit), place.group("flash"), f"GC of LUN {unit}")
    jobs.add_to(sheet, track)


class Slices:
    """Slices of one track, built one after another from opening and closing records."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, str, str, int]] = []
        self._since: int | None = None
        self._what: tuple[str, str, int] = ("", "", -1)
        self._seen = False

    def open(self, at: int, what: tuple[str, str, int]) -> None:
        """Begin a slice. If one is open, the record is of another plane of the open slice."""
        if self._since is None:
            self._since, self._what = at, what
        self._seen = True

    def close(self, at: int, what: tuple[str, str, int], begin: int) -> bool:
        """End the open slice. A slice that began before the log starts at ``begin``."""
        since = self._since
        if since is None and not self._seen:
            since, self._what = begin, what
        self._since, self._seen = None, True
        if since is not None:
            self.rows.append((since, at, *self._what))
        return since is not None

    def slice(self, start: int, end: int, what: tuple[str, str, int]) -> None:
        """Add a whole slice, after the last one."""
        self.rows.append((start, end, *what))

    def finish(self, end: int) -> None:
        """End the open slice at the log's end, ``end``."""
        if self._since is not None:
            self.rows.append((self._since, max(end, self._since), *self._what))
            self._since = None

    def add_to(self, sheet: Sheet, track: Track) -> None:
        """Add the slices to a track."""
        if self.rows:
            start, end, kind, cause, block = zip(*self.rows)
            codes = [CODES.get(name, CODES["command"]) for name in kind]
            sheet.add(track, start, end, _array(codes), row=_array(block), cause=list(cause))


def _array(values: Any) -> Any:
    import numpy as np

    return np.asarray(values)
