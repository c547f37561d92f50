# SPDX-License-Identifier: BSD-3-Clause
"""Traces of last-level cache misses as columns, for measurements in bulk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmsim._core import InputError
from hmsim.traces.escapes import DELTA_SHIFT, ESCAPE, LINE_BITS
from hmsim.traces.file import TraceFile
from hmsim.traces.records import FILL, FORMATS, LINE, NVDIMM, WRITE_BACK, AnyPath, find_format, read

BATCH = 1 << 18  # accesses
MISS_FORMATS = [each.name for each in FORMATS.values() if each.kind == "misses"]

Numbers = NDArray[np.int64]


class Columns(NamedTuple):
    """Accesses in order: instructions before each, of all vCPUs; line; kind; memory."""

    time: Numbers
    line: Numbers
    kind: Numbers
    nvdimm: NDArray[np.bool_]
    now: int  # instructions executed up to the last access


def columns(path: AnyPath) -> Iterator[Columns]:
    """Yield a trace of misses in pieces of bounded size. Raises InputError."""
    name = find_format(path, None)
    if name not in MISS_FORMATS:
        raise InputError(f"{path}: must be a trace of misses ({', '.join(MISS_FORMATS)})")
    if name == "hmsim":
        file = TraceFile(path)
        yield from of_words(file.records(), file.header.two_memories)
        return
    lines: list[tuple[int, int, int]] = []
    now = 0
    for access in read(path, name):
        now = access.time
        lines.append((now, access.address // LINE, WRITE_BACK if access.write else FILL))
        if len(lines) == BATCH:
            yield _of_rows(lines, now)
            lines.clear()
    if lines:
        yield _of_rows(lines, now)


def _of_rows(rows: list[tuple[int, int, int]], now: int) -> Columns:
    table = np.array(rows, dtype=np.int64)
    return Columns(table[:, 0], table[:, 1], table[:, 2], np.zeros(len(rows), dtype=np.bool_), now)


def of_words(pieces: Iterable[bytes], two_memories: bool) -> Iterator[Columns]:
    """Yield the columns of 8-byte records, as defined in docs/trace-format.md."""
    now = 0
    for piece in pieces:
        words = np.frombuffer(piece, dtype="<u8")
        kind = (words >> np.uint64(LINE_BITS) & np.uint64(3)).astype(np.int64)
        low = (words & np.uint64((1 << LINE_BITS) - 1)).astype(np.int64)
        high = (words >> np.uint64(DELTA_SHIFT)).astype(np.int64)
        escape = kind == ESCAPE
        steps = np.where(escape, np.where(high == 0, low, 0), high)
        time = now + np.cumsum(steps)
        now = int(time[-1]) if len(time) else now
        data = ~escape
        line = low[data]
        nvdimm = line >= NVDIMM if two_memories else np.zeros(len(line), dtype=np.bool_)
        yield Columns(time[data], np.where(nvdimm, line - NVDIMM, line), kind[data], nvdimm, now)
