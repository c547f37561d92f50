# SPDX-License-Identifier: BSD-3-Clause
"""Finished points in a directory: a file ``points/KEY.json`` each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hmsim._core import InputError
from hmsim.common.cache import set_aside
from hmsim.common.directories import new_file, read_regular
from hmsim.common.os_errors import reason
from hmsim.common.statistic_names import renamed
from hmsim.points.point import VERSION, Outcome, Point, Scalar
from hmsim.runs import identity

LARGEST_FILE = 64 << 20  # bytes
FOLDER = "points"


class Store:
    """Finished points in the folder ``points`` of a directory: a file each."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.folder = Path(directory) / FOLDER

    def load(self, key: str) -> Outcome | None:
        """Return a point's outcome, or None. A damaged file is reported and counts as missing."""
        read = self._read(key)
        return read[1] if read else None

    def everything(self) -> Iterator[tuple[Mapping[str, Scalar], Outcome]]:
        """Yield all points, in no order, with the labels that they were run under."""
        for path in self.folder.glob("*.json"):
            read = self._read(path.stem)
            if read:
                yield read

    def _read(self, key: str) -> tuple[Mapping[str, Scalar], Outcome] | None:
        path = self.folder / f"{key}.json"
        if not path.exists():
            return None
        try:
            content = json.loads(read_regular(path, LARGEST_FILE))
            if content["version"] != VERSION:
                raise InputError(f"{path}: must have version {VERSION}, got {content['version']}")
            if content.pop("checksum") != identity.digest(content) or content["key"] != key:
                raise InputError(f"{path}: damaged: its checksum does not fit")
        except InputError as error:
            set_aside(error)
            return None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            set_aside(f"{path}: damaged: {type(error).__name__}: {error}")
            return None
        values, units = renamed(content["values"]), renamed(content["units"])
        outcome = Outcome(key, values, units, content["host"], content["error"], content["final"])
        return content["labels"], outcome

    def save(self, done: Outcome, wanted: Point) -> None:
        """Keep a finished point. Raises InputError: it cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be written: {reason(error)}") from error
        content: dict[str, Any] = {
            "version": VERSION,
            "key": done.key,
            "labels": wanted.labels(),
            "error": done.error,
            "final": done.final,
            "host": dict(done.host),
            "values": dict(done.values),
            "units": dict(done.units),
        }
        content["checksum"] = identity.digest(content)
        with new_file(self.folder / f"{done.key}.json", force=True, tidy=False) as scratch:
            scratch.write_text(json.dumps(content, indent=0, allow_nan=False), encoding="utf-8")
