# SPDX-License-Identifier: BSD-3-Clause
"""Twins as trace files, and what a workload that names a profile is given instead of a trace."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from hmsim._core import InputError, parse_integer, version
from hmsim.clones.causal import causal_words
from hmsim.clones.clone import twin, words
from hmsim.clones.profile import PAGE_LINES, Profile
from hmsim.clones.profile_file import is_profile, load
from hmsim.common.cache import set_aside
from hmsim.common.directories import file_digest, new_file
from hmsim.common.paths import cache_directory
from hmsim.config import settings
from hmsim.traces.columns import Columns, Numbers, of_words
from hmsim.traces.escapes import ESCAPE, LINE_BITS
from hmsim.traces.file import CAUSES, RENUMBERED_PAGES, TWO_MEMORIES, TraceWriter, check_name
from hmsim.traces.reader import compressed
from hmsim.traces.records import FILL, FORMATS, AnyPath

SECTORS_PER_PAGE = 8
PROFILE_PATH = re.compile(
    r"(?P<file>.+\.yaml)(@(?P<seed>[0-9]{1,9}))?(:(?P<part>[a-z_]+))?", re.DOTALL
)
TWINS = ("hmsim", "mqsim")  # formats of twins
TWIN_PARTS = ("dram", "plain", "whole")
MOST_TWINS = 9999
BLOCK_PAGES = 1 << 14  # 64 MiB: more than buffers hold, should the trace start over
MOST_TIMES = 64
LEVEL = 3  # of compression: twins are made in a moment
LONGEST = 1 << 46  # instructions
SHARES = (0.01, 100.0)  # of intensity


def synthesise(
    profile: Profile,
    target: AnyPath,
    instructions: int,
    intensity: float = 1.0,
    seed: int = 1,
    blocks: bool = False,
    plain: bool = False,
    force: bool = False,
    report: Callable[[], None] | None = None,
) -> dict[str, float]:
    """Write a twin of a profile as a trace; the file appears whole or not at all.

    Args:
        profile: what to be like.
        target: the file; of a block trace a name in .zst, .gz or .xz compresses.
        instructions: to cover.
        intensity: factor on accesses per instruction.
        seed: another one gives another trace of the same figures.
        blocks: write what goes to the NVDIMM as a block trace (``mqsim``) instead, a request for
            each visit to a page, at one nanosecond an instruction.
        plain: leave out the causes that the profile has.
        force: replace an existing file.
        report: called now and then.

    Returns:
        ``instructions`` and ``records`` (accesses, or block requests).

    Raises:
        InputError: an argument, or the file, is at fault.
    """
    if not SHARES[0] <= intensity <= SHARES[1]:
        raise InputError(f"intensity: {intensity:g} lies outside {SHARES[0]:g} .. {SHARES[1]:g}")
    if not 1 <= instructions <= LONGEST:
        raise InputError(f"instructions: {instructions} lies outside 1 .. 2^46")
    if blocks and not profile.nvdimm_pages:
        raise InputError("the profile has no accesses of an NVDIMM, so no blocks")
    causes = profile.causes is not None and not blocks and not plain
    two = profile.nvdimm_pages > 0 or causes
    flags = (TWO_MEMORIES if two else RENUMBERED_PAGES) | (CAUSES if causes else 0)
    counted = _Counted()
    if causes:
        pieces = causal_words(profile, instructions, intensity, seed, report)
    else:
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


def materialised(
    path: Path,
    blocks: bool,
    instructions: int = 0,
    seed: int = 1,
    dram_only: bool = False,
    plain: bool = True,
) -> Path:
    """Return a trace of a profile's twin, made now or before; the cache keeps it.

    Args:
        path: the profile.
        blocks: a block trace instead; twins of seeds other than 1 lie on devices of their own.
        instructions: to cover; 0: as many as the profile was measured over, for blocks so many
            times that they may touch `BLOCK_PAGES`.
        seed: which twin.
        dram_only: without the accesses of the NVDIMM.
        plain: without causes.

    Raises:
        InputError: the profile is at fault, or the cache cannot be written.
    """
    content = settings.read_text_file(path)
    choice = f"{instructions} {blocks} {seed} {dram_only} {plain}"
    parts = (content, version.encode(), choice.encode())
    key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    name = f"{path.stem}-{key}" + (".mqsim.zst" if blocks else ".hmsim.zst")
    target = cache_directory() / "twins" / name
    if _is_whole(target):  # so the profile was found to be in order
        return target
    profile = load(path)
    wanted = "dram" if dram_only else "nvdimm" if blocks else ""
    streams = {name: s for name, s in profile.streams.items() if name.startswith(wanted)}
    if not streams or (blocks and dram_only):
        raise InputError(f"{path}: has no accesses of {wanted.upper()} to make such a trace of")
    profile = replace(profile, streams=streams)
    if dram_only:
        profile.nvdimm_pages = 0
    length = instructions or profile.instructions
    if blocks and not instructions:
        length *= min(MOST_TIMES, max(1, BLOCK_PAGES // max(1, profile.nvdimm_pages)))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{os.fspath(target.parent)}: {error.strerror}") from error
    plain = plain or dram_only
    synthesise(profile, target, length, seed=seed, blocks=blocks, plain=plain, force=True)
    with new_file(_digest_of(target), force=True) as scratch:
        scratch.write_text(file_digest(target), encoding="ascii")
    return target


def _digest_of(twin: Path) -> Path:
    """Return the file that holds the SHA-256 of a twin in the cache."""
    return twin.with_name(f"{twin.name}.sha256")


def _is_whole(twin: Path) -> bool:
    """Whether the cache holds a twin, with the content that was written."""
    digest = _digest_of(twin)
    if not (twin.is_file() and digest.is_file()):
        return False
    try:
        if settings.read_text_file(digest).decode("ascii", "replace") != file_digest(twin):
            raise InputError(f"{twin}: damaged: its SHA-256 is not the one in {digest.name}")
    except InputError as damage:
        set_aside(damage)
        return False
    return True


def resolve(path: Path, keys: Mapping[str, str]) -> Path:
    """Return what an agent with such keys reads when its path names a profile: a twin's trace.

    ``PROFILE.yaml@N`` is its N-th twin, ``PROFILE.yaml:dram`` one without accesses of the NVDIMM,
    ``PROFILE.yaml:whole`` one of as many instructions as the profile was measured over, whatever
    the agent's limit, ``PROFILE.yaml:plain`` one without causes, which only jobs are given. Any
    other path is returned as it is. Raises InputError.
    """
    match = PROFILE_PATH.fullmatch(os.fspath(path))
    if match is None or not is_profile(match["file"]):
        return path
    limit = _instructions(keys)
    name = keys.get("format", "")
    seed = int(match["seed"] or 1)
    if name in FORMATS and name not in TWINS:
        raise InputError(f"{path}: a profile's twin is of format hmsim, or mqsim, not {name}")
    if not 1 <= seed <= MOST_TWINS:
        raise InputError(f"{path}: there is no twin {seed}, only 1 .. {MOST_TWINS}")
    if match["part"] not in (None, *TWIN_PARTS):
        known = ", ".join(TWIN_PARTS)
        raise InputError(f"{path}: there is no part '{match['part']}', only {known}")
    blocks = name == "mqsim"
    limited = match["part"] != "whole" and 0 <= limit <= LONGEST
    return materialised(
        Path(match["file"]),
        blocks,
        limit if limited else 0,
        seed,
        match["part"] == "dram",
        plain=keys.get("kind") != "job" or match["part"] == "plain",
    )


def _instructions(keys: Mapping[str, str]) -> int:
    """Return an agent's limit; 0 without one, and for a wrong one, of which the agent tells."""
    try:
        return parse_integer(keys.get("instructions", "0"))
    except InputError:
        return 0


def base_cpi(path: Path) -> float:
    """Return the base CPI of the profile that a path names, as `resolve` reads it.

    0 where it has none, and for any other path. Raises InputError.
    """
    match = PROFILE_PATH.fullmatch(os.fspath(path))
    if match is None or not is_profile(match["file"]):
        return 0.0
    measured = b"base_cpi" in settings.read_text_file(Path(match["file"]))  # cheaper than parsing
    return load(match["file"]).base_cpi if measured else 0.0
