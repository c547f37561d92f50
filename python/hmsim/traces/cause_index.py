# SPDX-License-Identifier: BSD-3-Clause
"""Indexes of traces with causes, which let a window open without reading the records before it.

An index (traces/cause_index.h) is made when a window is first opened, and is cached under the
checksums of the trace's blocks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import zstandard

from hmsim._core import InputError, cause_index
from hmsim.common.cache import keep, set_aside
from hmsim.common.directories import read_regular
from hmsim.common.paths import cache_directory

SUFFIX = ".1.index"  # names the layout
MOST = 1 << 30  # bytes, packed or not


def of_trace(path: str, identity: bytes, read: Callable[[int], bytes]) -> bytes:
    """Return the index of a trace with causes, from the cache or made now.

    Args:
        path: the trace, as messages name it.
        identity: header and block checksums of the trace.
        read: returns bytes of its unpacked form from an offset on.

    Returns an empty index if the trace is damaged; a run reports the damage when it reads it.
    """
    kept = _file(identity)
    if kept is not None and kept.is_file():
        try:
            return _unpacked(kept)
        except InputError as damage:
            set_aside(damage)
    try:
        index = cause_index(path, read)
    except InputError:
        return b""
    if kept is not None:
        keep(kept, _packed(index))
    return index


def _file(identity: bytes) -> Path | None:
    try:
        folder = cache_directory() / "captures"
    except InputError:
        return None
    return folder / f"{hashlib.sha256(identity).hexdigest()}{SUFFIX}"


def _unpacked(kept: Path) -> bytes:
    packed = read_regular(kept, MOST)
    try:
        size = zstandard.frame_content_size(packed)
        if not 0 <= size <= MOST:
            raise InputError(f"{kept}: damaged: its size is wrong")
        return zstandard.ZstdDecompressor().decompress(packed, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise InputError(f"{kept}: damaged: {error}") from error


def _packed(index: bytes) -> bytes:
    packer = zstandard.ZstdCompressor(level=3, write_checksum=True, write_content_size=True)
    return packer.compress(index)
