# SPDX-License-Identifier: BSD-3-Clause
"""Finished points in a directory: lines of logs in its folder ``points``, or a file KEY.json each.

A run of missing points appends lines to its own log, ``CHECKSUM KEY STATE BODY``. A last line
without an end is being written, or its writer was killed. Caches, which are read by key, have
files, and so have folders of earlier releases.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from hmsim._core import InputError
from hmsim.common.cache import set_aside
from hmsim.common.directories import new_file, open_regular, read_regular, sync
from hmsim.common.json_schema import NUMBER, TEXT, TableOf
from hmsim.common.os_errors import reason
from hmsim.common.statistic_names import current, renamed
from hmsim.config.node_reader import located
from hmsim.points.point import VERSION, Outcome, Point, Scalar
from hmsim.runs import identity

LARGEST_FILE = 64 << 20  # bytes, also of a line
FOLDER = "points"
SYNC = 0.5  # seconds between two times at which a log is safe from a power failure
DONE, FAILED, AGAIN = "done", "failed", "again"  # states; again: the point runs again next time
DAMAGES = (ValueError, KeyError, TypeError, AttributeError, RecursionError)

Found = tuple[Mapping[str, Scalar], Outcome]
Line = tuple[str, bytes]  # a point's state, and what a log has of it


def line_of(done: Outcome, labels: Mapping[str, Scalar]) -> Line:
    """Return a point's state and its line, which has values by unit and path."""
    units, values = dict(done.units), dict[str, dict[str, float]]()
    for path, value in done.values.items():
        values.setdefault(units.get(path, ""), {})[path] = value
    content = [VERSION, labels, done.error, dict(done.host), values]
    body = json.dumps(content, allow_nan=False, separators=(",", ":"))
    rest = f"{done.key} {_state(done)} {body}"
    return _state(done), f"{hashlib.sha256(rest.encode()).hexdigest()} {rest}\n".encode()


def _state(done: Outcome) -> str:
    return AGAIN if not done.final else FAILED if done.error else DONE


class Place(NamedTuple):
    """Where a log has a point's body, and the point's state."""

    log: Path
    start: int
    size: int
    state: str


class Store:
    """Finished points of a directory, as they are at the first question.

    Several processes may write to one directory; each sees only its own new points.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.folder = Path(directory) / FOLDER
        self._log: Path | None = None
        self._synced = 0.0

    @cached_property
    def _kept(self) -> tuple[dict[str, Place], set[str]]:
        """The places of points in logs, and the keys of points in files."""
        places: dict[str, Place] = {}
        damages: dict[str, str] = {}
        for path in sorted(self.folder.glob("*.log")):
            _scan(path, 0, places, damages)
        files = {path.stem for path in self.folder.glob("*.json")}
        for key, damage in damages.items():
            if key not in places and key not in files:  # otherwise it was run again
                set_aside(damage)
        return places, files

    def state(self, key: str) -> str | None:
        """Return `DONE`, `FAILED` or `AGAIN`; None: the point is missing."""
        place = self._kept[0].get(key)
        found = None if place else self.load(key)
        return place.state if place else _state(found) if found else None

    def load(self, key: str) -> Outcome | None:
        """Return a point's outcome, or None. A damaged file is reported and counts as missing."""
        read = self._read(key)
        return read[1] if read else None

    def outcome(self, key: str) -> Outcome:
        """Return a finished point's outcome, or, if it cannot be read, one with an error."""
        text = f"{self.folder}: the finished point cannot be read"
        return self.load(key) or Outcome(key, error=text, final=False)

    def everything(self) -> Iterator[Found]:
        """Yield all points, in no order, with the labels that they were run under."""
        for key in set().union(*self._kept):
            read = self._read(key)
            if read:
                yield read

    def _read(self, key: str) -> Found | None:
        places, files = self._kept
        path = places[key].log if key in places else self.folder / f"{key}.json"
        try:
            if key in places:
                return _in_log(places[key], key)
            return _in_file(path, key) if key in files else None
        except DAMAGES as error:
            damage = f"{path}: damaged: {type(error).__name__}: {error}"
            set_aside(error if isinstance(error, InputError) else damage)
            return None

    def append(self, lines: Sequence[Line], last: bool) -> None:
        """Keep finished points in this store's log. Raises InputError: they cannot be written.

        Lines within `SYNC` seconds of the last safe ones become safe from a power failure with the
        next ones, or when the operating system writes them; those of a ``last`` call at once.
        """
        path = self._log or self.folder / f"{secrets.token_hex(8)}.log"
        self._log = None  # nothing may follow half a line
        places, _ = self._kept  # before this log
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                start = file.tell()
                file.write(b"".join(text for _, text in lines))
                file.flush()
                if last or time.monotonic() - self._synced > SYNC:
                    os.fsync(file.fileno())
                    self._synced = time.monotonic()
            if start == 0:
                sync(self.folder)
                sync(self.folder.parent)
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be written: {reason(error)}") from error
        self._log = path
        _scan(path, start, places, {})

    def save(self, done: Outcome, wanted: Point) -> None:
        """Keep a finished point in a file. Raises InputError: it cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be written: {reason(error)}") from error
        content: dict[str, Any] = {"version": VERSION, "labels": wanted.labels(), **vars(done)}
        content["checksum"] = identity.digest(content)
        with new_file(self.folder / f"{done.key}.json", force=True, tidy=False) as scratch:
            scratch.write_text(json.dumps(content, indent=0, allow_nan=False), encoding="utf-8")


def _scan(log: Path, end: int, places: dict[str, Place], damages: dict[str, str]) -> None:
    """Add the points of a log from byte ``end`` on, and messages for damaged lines by key."""
    with open_regular(log) as file:
        file.seek(end)
        while (line := file.readline(LARGEST_FILE)).endswith(b"\n"):
            end += len(line)
            checksum, _, rest = line[:-1].partition(b" ")
            key, state, body = (*rest.decode(errors="replace").split(" ", 2), "", "")[:3]
            if hashlib.sha256(rest).hexdigest().encode() != checksum:
                damages[key] = f"{log}: damaged before byte {end}: its checksum does not fit"
            elif key not in places or places[key].state == AGAIN:
                places[key] = Place(log, end - len(body) - 1, len(body), state)


def _in_log(place: Place, key: str) -> Found:
    with open_regular(place.log) as file:
        file.seek(place.start)
        version, labels, error, host, values = json.loads(file.read(place.size))
    if version != VERSION:
        raise InputError(f"{place.log}: must have version {VERSION}, got {version}")
    units = {current(path): unit for unit, own in values.items() for path in own}
    found = {current(path): value for own in values.values() for path, value in own.items()}
    return labels, Outcome(key, found, units, host, error, place.state != AGAIN)


def _in_file(path: Path, key: str) -> Found:
    content = json.loads(read_regular(path, LARGEST_FILE))
    if content["version"] != VERSION:
        raise InputError(f"{path}: must have version {VERSION}, got {content['version']}")
    if content.pop("checksum") != identity.digest(content) or content["key"] != key:
        raise InputError(f"{path}: damaged: its checksum does not fit")
    with located(f"{path}: damaged: "):
        TableOf(NUMBER).check(content["values"], "values")
        TableOf(TEXT).check(content["units"], "units")
    values, units = renamed(content["values"]), renamed(content["units"])
    outcome = Outcome(key, values, units, content["host"], content["error"], content["final"])
    return content["labels"], outcome
