# SPDX-License-Identifier: BSD-3-Clause
"""Traces in zip archives, read as streams in bounded memory."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator
from struct import error as StructError
from typing import BinaryIO

from hmsim._core import InputError

BLOCK = 1 << 20  # bytes handed out at a time
MOST_READ = 1 << 20  # bytes of an archive in one piece: of its directory, above all
CHUNK = "chunk."  # start of the names of the parts of one trace (DynamoRIO)
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
FAULTS = (
    *(zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError),
    *(OverflowError, StructError, zlib.error),
)


class _Bounded:
    """A file whose reads are bounded, because zipfile reads the whole directory at once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        """Read at most ``size`` bytes. Raises BadZipFile for more than MOST_READ."""
        content = self._file.read(min(size, MOST_READ + 1) if size >= 0 else MOST_READ + 1)
        if len(content) > MOST_READ:
            raise zipfile.BadZipFile(f"its directory has more than {MOST_READ} bytes")
        return content


def read_zip(path: str | os.PathLike[str], file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of an archive with one file, or with the chunks of one trace.

    Raises InputError for any other archive, and a damaged one.
    """
    try:
        with zipfile.ZipFile(_Bounded(file)) as archive:
            for member in _members(path, archive):
                with archive.open(member) as content:
                    while piece := content.read(BLOCK):
                        yield piece
    except InputError:
        raise
    except FAULTS as error:
        raise InputError(f"{os.fspath(path)}: damaged compression: zip: {error}") from error


def _members(path: str | os.PathLike[str], archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the archive's files to read, in order."""
    members = [
        each
        for each in archive.infolist()
        if not each.is_dir() and not each.filename.startswith("__MACOSX/")
    ]
    if not members:
        raise InputError(f"{os.fspath(path)}: the zip archive holds no file")
    chunks = all(os.path.basename(each.filename).startswith(CHUNK) for each in members)
    if len(members) > 1 and not chunks:
        names = ", ".join(each.filename for each in members[:3])
        raise InputError(
            f"{os.fspath(path)}: the zip archive must hold one file, got {len(members)} "
            f"({names}{', ...' if len(members) > 3 else ''}): unpack the one to read"
        )
    for each in members:
        if each.compress_type not in METHODS:
            raise InputError(
                f"{os.fspath(path)}: {each.filename}: must be stored or deflated, got method "
                f"{each.compress_type}"
            )
    return sorted(members, key=lambda each: each.filename)
