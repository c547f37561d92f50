# SPDX-License-Identifier: BSD-3-Clause
"""Files and run directories that appear whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from hmsim._core import InputError

MARKER = "run.json"  # every directory that hmsim writes holds it


def check_output(directory: str | os.PathLike[str], force: bool) -> None:
    """Raise InputError when `new_directory` would refuse this place; to be asked before a run."""
    path = Path(directory)
    if path.is_symlink() or path.exists():
        if not path.is_dir():
            raise InputError(f"{path}: exists and is no directory")
        if not force:
            raise InputError(f"{path}: exists; --force replaces it")
        if not (path / MARKER).is_file() and any(path.iterdir()):
            raise InputError(f"{path}: holds files, but not hmsim's; --force does not replace it")
    parent = existing_parent(path)
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: '{parent}' is no directory that may be written to")


def existing_parent(path: str | os.PathLike[str]) -> Path:
    """Return the nearest directory above a place that exists."""
    parent = Path(path).absolute().parent
    while not parent.exists():
        parent = parent.parent
    return parent


@contextlib.contextmanager
def new_directory(directory: str | os.PathLike[str], force: bool = False) -> Iterator[Path]:
    """Give an empty directory to fill; it takes its place when the block ends without an error.

    Raises InputError as `check_output` does, or when the file system refuses.
    """
    check_output(directory, force)
    path = Path(directory).resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as scratch:
            fresh = Path(scratch, "new")
            fresh.mkdir()
            yield fresh
            for file in fresh.rglob("*"):
                _sync(file)
            _sync(fresh)
            if path.exists():
                path.rename(Path(scratch, "old"))
            fresh.rename(path)
            _sync(path.parent)
    except OSError as error:
        raise InputError(f"{directory}: cannot be written: {error.strerror}") from error


def check_file(path: str | os.PathLike[str], force: bool) -> None:
    """Raise InputError when `new_file` would refuse this place; to be asked before long work."""
    target = Path(path)
    if target.exists() and (not force or not target.is_file()):
        refused = "exists; --force replaces it" if target.is_file() else "exists and is no file"
        raise InputError(f"{target}: {refused}")
    if not os.access(target.absolute().parent, os.W_OK | os.X_OK):
        raise InputError(f"{target}: '{target.parent}' is no directory that may be written to")


@contextlib.contextmanager
def new_file(path: str | os.PathLike[str], force: bool = False) -> Iterator[Path]:
    """Give a path to write; the file takes its place when the block ends without an error.

    Raises InputError when the file exists and ``force`` is false, or cannot be written.
    """
    target = Path(path)
    check_file(target, force)
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield scratch
        _sync(scratch)
        scratch.replace(target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    status = path.stat()
    return _digest(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=256)
def _digest(path: Path, size: int, changed: int) -> str:
    """Size and time of change tell a changed file apart."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
