# SPDX-License-Identifier: BSD-3-Clause
"""Writes twins of profiles as trace files."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from hmsim._core import InputError
from hmsim.clones import LONGEST_TWIN
from hmsim.clones.clone import twin, words
from hmsim.clones.profile import PAGE_LINES, Profile
from hmsim.common.directories import new_file
from hmsim.traces.columns import Columns, Numbers, of_words
from hmsim.traces.escapes import ESCAPE, LINE_BITS
from hmsim.traces.file import RENUMBERED_PAGES, TWO_MEMORIES, TraceWriter, check_name
from hmsim.traces.reader import compressed
from hmsim.traces.records import FILL, AnyPath

SECTORS_PER_PAGE = 8
LEVEL = 3  # of compression: twins are made in a moment
SHARES = (0.01, 100.0)  # of intensity


def synthesise(
    profile: Profile,
    target: AnyPath,
    instructions: int,
    intensity: float = 1.0,
    seed: int = 1,
    blocks: bool = False,
    force: bool = False,
    report: Callable[[], None] | None = None,
) -> dict[str, float]:
    """Write a twin of a profile as a trace; the file appears whole or not at all.

    Args:
        profile: the statistics that the twin has.
        target: the file. For a block trace, a name in .zst, .gz or .xz selects compression.
        instructions: to cover.
        intensity: factor on accesses per instruction.
        seed: another seed gives another trace with the same statistics.
        blocks: write the accesses of the NVDIMM as a block trace (``mqsim``) instead: one request
            per visit to a page, one nanosecond per instruction.
        force: replace an existing file.
        report: called now and then.

    Returns:
        ``instructions`` and ``records`` (accesses, or block requests).

    Raises:
        InputError: an argument, or the file, is at fault.
    """
    if not SHARES[0] <= intensity <= SHARES[1]:
        raise InputError(f"intensity: must be in {SHARES[0]:g} .. {SHARES[1]:g}, got {intensity:g}")
    if not 1 <= instructions <= LONGEST_TWIN:
        raise InputError(f"instructions: must be in 1 .. 2^46, got {instructions}")
    if blocks and not profile.nvdimm_pages:
        raise InputError("blocks: the profile must have accesses of an NVDIMM")
    two = profile.nvdimm_pages > 0
    flags = TWO_MEMORIES if two else RENUMBERED_PAGES
    counted = _Counted()
    pieces = words(twin(profile, instructions, intensity, seed), report)
    if not blocks:
        check_name(target)
    with new_file(target, force) as scratch:
        if blocks:
            with compressed(scratch, Path(target).suffix, LEVEL) as file:
                for text in counted.lines(block_lines(of_words(pieces, two), seed - 1)):
                    file.write(text)
        else:
            with scratch.open("wb") as records:
                writer = TraceWriter(records, LEVEL)
                for piece in counted.words(pieces):
                    writer.write(piece)
                writer.close(flags, label=b"twin")
    return {"instructions": instructions, "records": counted.number}


class _Counted:
    number = 0

    def words(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            kinds = np.frombuffer(piece, dtype="<u8") >> np.uint64(LINE_BITS) & np.uint64(ESCAPE)
            self.number += int((kinds != ESCAPE).sum())
            yield piece

    def lines(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.number += piece.count(b"\n")
            yield piece


def block_lines(pieces: Iterable[Columns], device: int = 0) -> Iterator[bytes]:
    """Yield the NVDIMM's accesses as lines of ``mqsim``: a request for each visit to a page."""
    waiting: dict[bool, tuple[Numbers, Numbers]] = {}
    empty = np.zeros(0, dtype=np.int64)
    for columns in itertools.chain(pieces, [None]):
        rows = []
        for read in (True, False):
            line, time = waiting.get(read, (empty, empty))
            if columns is not None:
                chosen = columns.nvdimm & ((columns.kind == FILL) == read)
                line = np.concatenate((line, columns.line[chosen]))
                time = np.concatenate((time, columns.time[chosen]))
            if not len(line):
                continue
            page = line // PAGE_LINES
            starts = np.flatnonzero(np.concatenate(([True], page[1:] != page[:-1])))
            cut = len(line) if columns is None else int(starts[-1])
            waiting[read] = (line[cut:], time[cut:])
            starts = starts[starts < cut]
            if len(starts):
                rows.append(_requests(line[:cut], time[:cut], starts, read))
        if rows:
            table = np.concatenate(rows)
            table = table[np.argsort(table[:, 0], kind="stable")]
            yield "".join(f"{t} {device} {s} {n} {r}\n" for t, s, n, r in table.tolist()).encode()


def _requests(line: Numbers, time: Numbers, starts: Numbers, read: bool) -> Numbers:
    first = np.minimum.reduceat(line, starts) // SECTORS_PER_PAGE
    last = np.maximum.reduceat(line, starts) // SECTORS_PER_PAGE
    kind = np.full(len(starts), int(read))
    return np.stack((time[starts], first, last - first + 1, kind), axis=1)
