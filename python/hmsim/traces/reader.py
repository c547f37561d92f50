# SPDX-License-Identifier: BSD-3-Clause
"""Trace files as byte streams: compression is detected by content, memory use is constant."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from hmsim._core import InputError
from hmsim.common.directories import open_regular
from hmsim.traces.file import TraceFile, is_trace_file

BLOCK = 1 << 20  # bytes handed out at a time
# Compressed bytes that are decompressed at a time. No format expands them to more than 32 MiB (zstd
# expands 4 bytes to 128 KiB at most).
STEP = 1 << 10
GZIP_LENGTH = 4  # last bytes of a gzip frame, which hold its content's length
ZSTD_HEADER = 18  # bytes of a zstd frame's header, at most
MEMORY_LIMIT = 256 << 20  # bytes that a decompressor may ask for, as window or dictionary


def _gzip() -> Any:
    return zlib.decompressobj(wbits=31)


def _xz() -> Any:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY_LIMIT)


def _zstd() -> Any:
    return zstandard.ZstdDecompressor(max_window_size=MEMORY_LIMIT).decompressobj()


FORMATS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": _gzip,
    b"\xfd7zXZ\x00": _xz,
    b"\x28\xb5\x2f\xfd": _zstd,
    b"BZh": bz2.BZ2Decompressor,
}
ZIP_MAGIC = b"PK\x03\x04"
EMPTY_ZIP = b"PK\x05\x06"


def read_pieces(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the decompressed content of a file in pieces of bounded size.

    The content shows the compression: gzip, xz, zstd, bzip2, zip, or none.

    Raises InputError, naming the file, when it cannot be read or is damaged or cut short.
    """
    try:
        with open_regular(path) as file:
            start = file.read(max(map(len, FORMATS)))
            file.seek(0)
            if start.startswith((ZIP_MAGIC, EMPTY_ZIP)):
                from hmsim.traces.zipped import read_zip  # not for other files

                yield from read_zip(path, file)
                return
            for magic, make in FORMATS.items():
                if start.startswith(magic):
                    yield from _decompress(path, file, make)
                    return
            while piece := file.read(BLOCK):
                yield piece
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: {error.strerror}") from error


def _decompress(
    path: str | os.PathLike[str], file: BinaryIO, make: Callable[[], Any]
) -> Iterator[bytes]:
    """Yield the content of all frames of a compressed file; zeros may fill it up at its end."""
    frame = make()
    while piece := file.read(STEP):
        while piece:
            if frame.eof:
                piece = piece.lstrip(b"\0")
                if not piece:
                    break
                frame = make()
            try:
                yield from _content(frame, piece)
            except (zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
                raise InputError(f"{os.fspath(path)}: damaged compression: {error}") from error
            piece = frame.unused_data if frame.eof else b""
    if not frame.eof:
        raise InputError(f"{os.fspath(path)}: the compressed data are cut short")


def _content(frame: Any, piece: bytes) -> Iterator[bytes]:
    """Yield what a piece of a frame decompresses to."""
    if not isinstance(frame, bz2.BZ2Decompressor):
        if content := frame.decompress(piece):
            yield content
        return
    try:
        content = frame.decompress(piece, BLOCK)  # a piece may hold more than a gigabyte
        while content:
            yield content
            content = b"" if frame.eof else frame.decompress(b"", BLOCK)
    except OSError as error:  # which is no error of the file system
        raise zlib.error(str(error)) from error


@contextlib.contextmanager
def compressed(path: Path, suffix: str, level: int = 10, size: int = -1) -> Iterator[BinaryIO]:
    """Open a file for writing, compressed by its suffix (.zst, .gz, .xz, .bz2) or not at all.

    ``level`` is zstd's and gzip's; ``size``, if known, goes into zstd's header.
    """
    with path.open("wb") as file:
        if suffix == ".zst":
            compressor = zstandard.ZstdCompressor(level=level, write_checksum=True)
            with compressor.stream_writer(file, size=size, closefd=False) as frame:
                yield cast(BinaryIO, frame)
        elif suffix == ".gz":
            with gzip.GzipFile("", "wb", min(level, 9), file, mtime=0) as packed:
                yield cast(BinaryIO, packed)
        elif suffix == ".xz":
            with lzma.LZMAFile(file, "wb") as packed:
                yield cast(BinaryIO, packed)
        elif suffix == ".bz2":
            with bz2.BZ2File(file, "wb") as packed:
                yield cast(BinaryIO, packed)
        else:
            yield file


def expected_size(path: str | os.PathLike[str]) -> int:
    """Return the decompressed length of a file, cheaply: for progress bars; 0: unknown."""
    try:
        if is_trace_file(path):
            return TraceFile(path).size
        with open_regular(path) as file:
            start = file.read(ZSTD_HEADER)
            size = file.seek(0, os.SEEK_END)
            if start.startswith(ZIP_MAGIC):
                return 0
            kinds = [make for magic, make in FORMATS.items() if start.startswith(magic)]
            if not kinds:
                return size
            if kinds[0] is _zstd:
                return max(zstandard.frame_content_size(start), 0)
            if kinds[0] is _gzip and size > GZIP_LENGTH:
                file.seek(-GZIP_LENGTH, os.SEEK_END)
                return int.from_bytes(file.read(GZIP_LENGTH), "little")
    except (OSError, InputError, zstandard.ZstdError):
        pass  # reading it will tell
    return 0


class TraceReader:
    """Decompressed bytes of one trace by offset; seeking backwards restarts the file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._rewind()

    def _rewind(self) -> None:
        self._pieces = read_pieces(self._path)
        self._block = b""
        self._offset = 0  # of the block's first byte

    def _advance(self) -> bool:
        """Replace the block by the next one. Return False at the end."""
        self._offset += len(self._block)
        pieces = []
        size = 0
        while size < BLOCK and (piece := next(self._pieces, b"")):
            pieces.append(piece)
            size += len(piece)
        self._block = b"".join(pieces)
        return size > 0

    def read(self, offset: int) -> bytes:
        """Return about 1 MiB from ``offset`` on, or nothing at or after the end.

        Raises InputError.
        """
        if offset < self._offset:
            self._rewind()
        while offset >= self._offset + len(self._block):
            if not self._advance():
                return b""
        return self._block[offset - self._offset :] if offset > self._offset else self._block


def open_trace(path: str | os.PathLike[str]) -> TraceReader | TraceFile:
    """Return a reader of a trace's bytes by offset, unpacked for hmsim's format.

    Raises InputError.
    """
    return TraceFile(path) if is_trace_file(path) else TraceReader(path)


class TraceSource:
    """Traces of a workload's agents, read on request of the core."""

    def __init__(self, paths: Sequence[str | os.PathLike[str] | None]) -> None:
        self._readers = [None if path is None else open_trace(path) for path in paths]

    def __call__(self, agent: int, offset: int) -> bytes:
        """Return bytes of an agent's trace from ``offset`` on, or nothing at its end."""
        reader = self._readers[agent]
        if reader is None:
            raise ValueError(f"agent {agent} reads no trace")
        return reader.read(offset)
