# SPDX-License-Identifier: BSD-3-Clause
"""Digests of files, remembered in the cache until the file changes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from functools import lru_cache

from hmsim._core import InputError
from hmsim.common.cache import keep
from hmsim.common.directories import open_regular, read_regular
from hmsim.common.paths import cache_directory

LARGE = 1 << 20  # bytes from which a digest has a file in the cache
SETTLED = 2.0  # seconds: the coarsest times of file systems (FAT)
LENGTH = 64  # of a digest in hexadecimal


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal. Raises InputError.

    A digest is valid for a path, device, inode, size, and times of modification and of change of
    status (which no program can set). A file that changed less than `SETTLED` ago is always hashed:
    another change may not alter its times. Both are read before the content, so a change during the
    reading shows later.
    """
    with open_regular(path) as file:
        found = os.fstat(file.fileno())
    place = os.path.abspath(path)
    if time.time() - max(found.st_mtime, found.st_ctime) < SETTLED:
        return _hashed(place)
    times = (found.st_mtime_ns, found.st_ctime_ns)
    return _remembered(place, found.st_size, (found.st_dev, found.st_ino, *times))


@lru_cache(maxsize=256)
def _remembered(path: str, size: int, others: tuple[int, ...]) -> str:
    if size < LARGE:
        return _hashed(path)
    named = os.fsencode(path)
    stamp = b" %a %s" % ((size, *others), named)

    def sealed(digest: bytes) -> bytes:  # with a checksum over it and what it is valid for
        return digest + hashlib.sha256(digest + stamp).hexdigest().encode()

    kept, known = None, b""
    with contextlib.suppress(InputError):
        kept = cache_directory() / "digests" / hashlib.sha256(named).hexdigest()
        known = read_regular(kept, 2 * LENGTH)
    if known == sealed(known[:LENGTH]):
        return known[:LENGTH].decode()
    digest = _hashed(path)
    if kept is not None:
        keep(kept, sealed(digest.encode()))
    return digest


def _hashed(path: str) -> str:
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
