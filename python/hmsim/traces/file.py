# SPDX-License-Identifier: BSD-3-Clause
"""Files of hmsim's own trace format (docs/trace-format.md): sequential writes, random reads.

This module packs, unpacks and checks blocks; the C++ library makes their columns and reads them.
"""

from __future__ import annotations

import itertools
import os
import struct
import zlib
from array import array
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Union

import zstandard

from hmsim._core import InputError, pack_records, unpack_records
from hmsim.common.directories import open_regular

MAGIC = b"HMSIMTRC"
VERSION, CAUSAL_VERSION = 2, 3  # the second one of traces with causes
FRAME = struct.Struct("<II")  # a skippable frame of zstd: magic number, bytes that follow
FRAME_MAGIC = 0x184D2A50
HEADER = struct.Struct("<8sHHBBHQQHHI24sIIQII")
START = FRAME.pack(FRAME_MAGIC, HEADER.size) + MAGIC  # of every such file
FIRST_BLOCK = FRAME.size + HEADER.size
CHECKED = HEADER.size - 4  # bytes of the header that its own checksum covers
LINE_SHIFT = 6
LABEL = 24 - 1  # bytes of a program's name
RENUMBERED_PAGES, TWO_MEMORIES, CAUSES = 1, 2, 4  # flags; the last one needs the one before
VCPUS = 8
RECORD = 8  # bytes of a record by itself ...
COLUMNS = 9  # ... and in a block's columns
BLOCK_RECORDS = 1 << 16
MOST_BLOCK_RECORDS = 1 << 20
BLOCK = struct.Struct("<II")  # in the index: packed bytes, checksum
AnyPath = Union[str, "os.PathLike[str]"]


class Header(NamedTuple):
    """Fields of the file header, in file order."""

    magic: bytes
    version: int
    flags: int
    line_shift: int
    vcpus: int
    reserved: int
    records: int
    instructions: int
    l1: int  # KiB, as l2 and l3
    l2: int
    l3: int
    label: bytes
    block_records: int
    blocks: int
    index_offset: int
    index_checksum: int
    checksum: int

    @property
    def two_memories(self) -> bool:
        """Whether the trace distinguishes lines in DRAM from lines in an NVDIMM."""
        return bool(self.flags & TWO_MEMORIES)

    @property
    def causes(self) -> bool:
        """Whether escapes record the running threads, and the causes of their waits."""
        return bool(self.flags & CAUSES)


class TraceWriter:
    """Writer of a trace, block by block, in constant memory except for the index."""

    def __init__(self, file: BinaryIO, level: int = 10, block_records: int = BLOCK_RECORDS) -> None:
        """Write to a file open for writing and seeking; ``level`` is zstd's."""
        self._file = file
        self._packer = zstandard.ZstdCompressor(level=level, write_content_size=True)
        self._block_bytes = block_records * RECORD
        self._waiting = bytearray()
        self._blocks = bytearray()
        self._instructions: list[list[int]] = []
        self._vcpus = 1
        self.records = 0
        file.write(bytes(FIRST_BLOCK))  # its content comes with close()

    def write(self, records: bytes) -> None:
        """Add records, 8 bytes each; a call may end within one."""
        self._waiting += records
        while len(self._waiting) >= self._block_bytes:
            self._pack(self._block_bytes)

    def _pack(self, size: int) -> None:
        columns, instructions, vcpus = pack_records(bytes(self._waiting[:size]))
        self._vcpus = max(self._vcpus, vcpus)
        del self._waiting[:size]
        packed = self._packer.compress(columns)
        self._file.write(packed)
        self._blocks += BLOCK.pack(len(packed), zlib.crc32(packed))
        self._instructions.append(instructions)
        self.records += size // RECORD

    def close(
        self,
        flags: int,
        vcpus: int = 1,
        caches: tuple[int, int, int] = (0, 0, 0),
        label: bytes = b"",
    ) -> int:
        """Write pending records, index and header; return the instructions of all vCPUs."""
        if self._waiting:
            self._pack(len(self._waiting))
        place = self._file.tell()
        vcpus = max(vcpus, self._vcpus)
        counts = array("Q", itertools.chain(*(row[:vcpus] for row in self._instructions)))
        index = bytes(self._blocks) + _little_endian(counts)
        self._file.write(FRAME.pack(FRAME_MAGIC, len(index)) + index)
        total = sum(counts)
        version = CAUSAL_VERSION if flags & CAUSES else VERSION
        content = HEADER.pack(
            *(MAGIC, version, flags, LINE_SHIFT, vcpus, 0, self.records, total, *caches),
            *(label[:LABEL], self._block_bytes // RECORD, len(self._instructions), place),
            *(zlib.crc32(index), 0),
        )[:CHECKED]
        self._file.seek(0)
        self._file.write(FRAME.pack(FRAME_MAGIC, HEADER.size) + content)
        self._file.write(zlib.crc32(content).to_bytes(4, "little"))
        return total


def _little_endian(numbers: array[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}Q", *numbers)


class TraceFile:
    """A trace in hmsim's format, by offset in its unpacked form: header, counts, columns.

    Memory is bounded by the index and a block.
    """

    def __init__(self, path: AnyPath) -> None:
        """Read header and index. Raises InputError, as reading does."""
        self._path = os.fspath(path)
        self._unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        self._block: tuple[int, bytes] = (-1, b"")
        try:
            self._file = open_regular(self._path)  # closed with the reader
            self._file_bytes = self._file.seek(0, os.SEEK_END)
            self.header, content = self._read_header()
            index = self._read_index()
        except OSError as error:
            raise InputError(f"{self._path}: {error.strerror}") from error
        blocks = self.header.blocks * BLOCK.size
        self._start = content + index[blocks:]
        self._identity = content + index  # the index has the checksums of all blocks
        self._causes: bytes | None = None
        self._sizes = array("I", (size for size, _ in BLOCK.iter_unpack(index[:blocks])))
        self._checksums = array(
            "I", (checksum for _, checksum in BLOCK.iter_unpack(index[:blocks]))
        )
        self._offsets = array("Q", itertools.accumulate(self._sizes, initial=FIRST_BLOCK))
        if self._offsets[-1] != self.header.index_offset:
            raise self._damaged("its blocks do not fill the space before its index")
        #: Bytes of the unpacked form.
        self.size = len(self._start) + self.header.records * COLUMNS

    def _damaged(self, what: str) -> InputError:
        return InputError(f"{self._path}: damaged: {what}")

    def _read_header(self) -> tuple[Header, bytes]:
        self._file.seek(0)
        start = self._file.read(FIRST_BLOCK)
        if not start.startswith(START):
            raise InputError(f"{self._path}: is not a trace in hmsim's format")
        if len(start) < FIRST_BLOCK:
            raise InputError(f"{self._path}: cut short within its header")
        content = start[FRAME.size :]
        header = Header(*HEADER.unpack(content))
        if header.version not in (VERSION, CAUSAL_VERSION):
            raise InputError(
                f"{self._path}: must have version {VERSION} or {CAUSAL_VERSION} of hmsim's "
                f"format, got {header.version}"
            )
        if zlib.crc32(content[:CHECKED]) != header.checksum:
            raise self._damaged("the checksum of its header is wrong")
        if not (
            1 <= header.vcpus <= VCPUS
            and 1 <= header.block_records <= MOST_BLOCK_RECORDS
            and header.blocks == -(-header.records // header.block_records)
            and header.flags < 2 * CAUSES
            and header.causes == (header.version == CAUSAL_VERSION)
            and header.two_memories >= header.causes
        ):
            raise self._damaged("its header is inconsistent")
        return header, content

    def _read_index(self) -> bytes:
        header = self.header
        size = header.blocks * (BLOCK.size + 8 * header.vcpus)
        end = header.index_offset + FRAME.size + size
        if end > self._file_bytes:
            raise InputError(
                f"{self._path}: cut short: {self._file_bytes} bytes of {end}, without its index"
            )
        if end != self._file_bytes:
            raise self._damaged(f"{self._file_bytes - end} bytes follow its index")
        self._file.seek(header.index_offset)
        if self._file.read(FRAME.size) != FRAME.pack(FRAME_MAGIC, size):
            raise self._damaged("its index is not at the place in its header")
        index = self._file.read(size)
        if len(index) != size or zlib.crc32(index) != header.index_checksum:
            raise self._damaged("the checksum of its index is wrong")
        return index

    def _records_of(self, block: int) -> int:
        return min(
            self.header.block_records, self.header.records - block * self.header.block_records
        )

    def _columns(self, block: int) -> bytes:
        """Return the columns of a block; caches the last one."""
        if self._block[0] != block:
            name = f"block {block + 1}"
            wanted = self._records_of(block) * COLUMNS
            size = self._sizes[block]
            if size > wanted + wanted // 128 + 1024:  # more than zstd ever makes of it
                raise self._damaged(f"{name} has {size} bytes instead of {wanted}")
            try:
                self._file.seek(self._offsets[block])
                packed = self._file.read(size)
                if len(packed) != size or zlib.crc32(packed) != self._checksums[block]:
                    raise self._damaged(f"the checksum of {name} is wrong")
                if zstandard.frame_content_size(packed) != wanted:
                    raise self._damaged(f"{name} does not unpack to {wanted} bytes")
                columns = self._unpacker.decompress(packed, allow_extra_data=False)
            except OSError as error:
                raise InputError(f"{self._path}: {error.strerror}") from error
            except zstandard.ZstdError as error:
                raise self._damaged(f"{name}: {error}") from error
            self._block = (block, columns)
        return self._block[1]

    def read(self, offset: int) -> bytes:
        """Return some bytes of the unpacked form from ``offset`` on, nothing at its end.

        The index of a trace with causes follows the records.
        """
        if offset < len(self._start):
            return self._start[offset:]
        if offset >= self.size:
            return self._cause_index()[offset - self.size :]
        block, within = divmod(offset - len(self._start), self.header.block_records * COLUMNS)
        return self._columns(block)[within:]

    def _cause_index(self) -> bytes:
        """Return the index of causes, empty for a trace without causes."""
        if not self.header.causes:
            return b""
        if self._causes is None:
            from hmsim.traces import cause_index  # not for traces that are read from their start

            self._causes = b""  # what makes it reads none
            self._causes = cause_index.of_trace(self._path, self._identity, self.read)
        return self._causes

    def records(self) -> Iterator[bytes]:
        """Yield the records block by block, 8 bytes each. Raises InputError for a damaged block."""
        import numpy as np  # not for headers

        from hmsim.traces import escapes

        for block in range(self.header.blocks):
            records = unpack_records(self._columns(block))
            fault = escapes.fault(np.frombuffer(records, dtype="<u8"), self.header.causes)
            if fault:
                raise self._damaged(f"block {block + 1}: {fault}")
            yield records


def check_name(path: AnyPath) -> None:
    """Raise InputError when a name promises a compression that such a file does not have."""
    if os.path.splitext(path)[1] in (".gz", ".xz"):
        raise InputError(
            f"{os.fspath(path)}: hmsim's format consists of zstd frames: use a name "
            "that ends in .hmsim.zst"
        )


def is_trace_file(path: AnyPath) -> bool:
    """Return whether a file begins like one in hmsim's format. Raises InputError."""
    try:
        with open_regular(path) as file:
            return file.read(len(START)) == START
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: {error.strerror}") from error
