# SPDX-License-Identifier: BSD-3-Clause
"""Memories of a machine as one ELF file that a simulator loads."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

CHUNK = 1 << 16  # bytes that are all zeros, or are kept
GAP = 1 << 20  # bytes of zeros between two segments, at least
PAGE = 4096
# ELF64 headers (System V ABI, gABI 4.1, chapters 4 and 5), little-endian: an x86-64 executable.
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")
IDENTITY = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
EXECUTABLE, X86_64, LOADED, ANYTHING = 2, 62, 1, 7


def segments(memory: mmap.mmap) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each non-zero part, in order; parts are at least GAP apart."""
    zeros = bytes(CHUNK)
    begin = end = -1
    for place in range(0, len(memory), CHUNK):
        chunk = memory[place : place + CHUNK]
        if chunk == zeros[: len(chunk)]:
            continue
        if begin < 0:
            begin = place
        elif place - end >= GAP:
            yield begin, end
            begin = place
        end = place + len(chunk)
    if begin >= 0:
        yield begin, end


def write_image(out: Path, entry: int, memories: Sequence[tuple[int, Path]]) -> int:
    """Write a file whose segments are the non-zero parts of memories; return its size.

    ``memories``: physical address of each, and the file of its bytes. ``entry``: physical address.
    """
    with out.open("wb") as image:
        found: list[tuple[int, int, int, Path]] = []
        for start, path in memories:
            with path.open("rb") as file, _mapped(file.fileno()) as memory:
                found += [(start, begin, end, path) for begin, end in segments(memory)]
        place = -(-(HEADER.size + SEGMENT.size * len(found)) // PAGE) * PAGE
        image.write(
            HEADER.pack(
                *(IDENTITY, EXECUTABLE, X86_64, 1, entry, HEADER.size, 0, 0, HEADER.size),
                *(SEGMENT.size, len(found), 0, 0, 0),
            )
        )
        for start, begin, end, _ in found:
            size, address = end - begin, start + begin
            image.write(SEGMENT.pack(LOADED, ANYTHING, place, address, address, size, size, PAGE))
            place += size
        image.write(bytes(-image.tell() % PAGE))
        for _, begin, end, path in found:
            with path.open("rb") as file, _mapped(file.fileno()) as memory:
                for part in range(begin, end, GAP):
                    image.write(memory[part : min(part + GAP, end)])
        return image.tell()


def _mapped(descriptor: int) -> mmap.mmap:
    return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
