# SPDX-License-Identifier: BSD-3-Clause
"""Bounded reads of files, and atomic writes of files and run directories.

Output is first written to a scratch folder next to its target. The folder's name is unpredictable,
and other users cannot enter it. A lock inside shows that its process is alive; the next writer to
the same place removes folders of killed processes. A directory that replaces another is exchanged
with it in one step. If the file system cannot do that, the old directory is moved into the scratch
folder first, and `remove_dead` restores it if the process was killed before the new one was in
place.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from hmsim._core import InputError
from hmsim.common.os_errors import reason

MARKER = "run.json"  # every directory that hmsim writes holds it
SCRATCH = ".hmsim-"  # before the names of folders that are being filled
LOCK = ".lock"
OLD = "old"  # in a scratch folder: holds what is being replaced, under its name
AT_FDCWD, RENAME_EXCHANGE = -100, 2  # fcntl.h and linux/fs.h
# Errors of renameat2(2) when the file system or the kernel cannot exchange.
NO_EXCHANGE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file to read bytes. Raises InputError, also for a folder, a pipe or a device.

    Pipes and devices have no known end; opening a pipe would wait for its other side.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: {error.strerror}") from error
    except ValueError as error:  # a zero byte in the name
        raise InputError(f"{os.fspath(path)!r}: is not a file name") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(
            f"{os.fspath(path)}: must be a regular file, not a folder, a pipe or a device"
        )
    return os.fdopen(descriptor, "rb")


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the content of a file of at most ``most`` bytes. Raises InputError."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            content = file.read(min(size, most) + 1)
        except OSError as error:
            raise InputError(f"{os.fspath(path)}: {error.strerror}") from error
    if len(content) > min(size, most):
        problem = f"larger than {most >> 20} MiB" if size > most else "grew while it was read"
        raise InputError(f"{os.fspath(path)}: {problem}")
    return content


@contextlib.contextmanager
def scratch_directory(place: str | os.PathLike[str], tidy: bool = True) -> Iterator[Path]:
    """Yield a new, empty folder in ``place``. Removes it at the block's end. Raises OSError.

    With ``tidy``, calls `remove_dead` first, which reads the whole folder ``place``.
    """
    if tidy:
        remove_dead(place)
    folder, lock = _locked_directory(place)
    try:
        yield folder
    finally:
        _remove(folder)
        os.close(lock)


def _locked_directory(place: str | os.PathLike[str]) -> tuple[Path, int]:
    """Return a new folder and its lock's descriptor, held if the file system has locks."""
    while True:
        folder = Path(place, f"{SCRATCH}{os.urandom(8).hex()}")
        os.mkdir(folder, 0o700)
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            continue  # another process considered it dead before it had its lock
        except OSError:
            folder.rmdir()
            raise
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue  # another process considered it dead, and is removing it
        except OSError:
            return folder, lock  # a file system without locks, where nobody removes anything
        if os.fstat(lock).st_nlink:
            return folder, lock
        os.close(lock)  # it was removed


def remove_dead(place: str | os.PathLike[str]) -> None:
    """Remove our folders of `scratch_directory` in a place whose makers were killed.

    A directory that a killed process had moved away, but not yet replaced, returns to its place.
    """
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(SCRATCH) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_if_dead(Path(entry.path))


def _remove_if_dead(folder: Path) -> None:
    if folder.lstat().st_uid != os.geteuid():
        return
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        folder.rmdir()  # killed before it had its lock; one that still gets it notices
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(folder)
    finally:
        os.close(lock)


def _remove(folder: Path) -> None:
    """Remove a scratch folder, after moving its `OLD` directories back if nothing replaced them.

    The lock is removed last: if this process is killed before, the rest still counts as dead.
    """
    with contextlib.suppress(OSError):
        for old in (folder / OLD).glob("*"):
            target = folder.parent / old.name
            if not os.path.lexists(target):
                old.rename(target)
        for entry in folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name != LOCK:
                entry.unlink()
        shutil.rmtree(folder, ignore_errors=True)


def check_output(directory: str | os.PathLike[str], force: bool) -> None:
    """Raise InputError if `new_directory` would reject this place. Call it before a run.

    Calls `remove_dead` first, which restores a directory whose replacement was interrupted.
    """
    path = Path(directory)
    remove_dead(Path(os.path.realpath(path)).parent)
    _check_place(path, force, "exists")
    parent = existing_parent(path)
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: '{parent}' is not a writable directory")


def _check_place(path: Path, force: bool, what: str) -> None:
    """Raise InputError if a place holds what must not be replaced; ``what`` it does."""
    if not path.is_symlink() and not path.exists():
        return
    if not path.is_dir():
        raise InputError(f"{path}: {what} and is not a directory")
    if not force:
        raise InputError(f"{path}: {what}; --force replaces it")
    if not (path / MARKER).is_file() and any(path.iterdir()):
        raise InputError(f"{path}: contains files of other programs; --force does not replace it")


def existing_parent(path: str | os.PathLike[str]) -> Path:
    """Return the nearest directory above a place that exists."""
    parent = Path(path).absolute().parent
    while not parent.exists():
        parent = parent.parent
    return parent


@contextlib.contextmanager
def new_directory(directory: str | os.PathLike[str], force: bool = False) -> Iterator[Path]:
    """Yield an empty directory, moved to its place if the block ends without an error.

    Raises InputError as `check_output` does, also if the place is taken before the block ends, or
    when the file system refuses.
    """
    check_output(directory, force)
    path = Path(directory).resolve()
    with _refusals(directory, path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with scratch_directory(path.parent, tidy=False) as scratch:
            fresh = scratch / "fresh"
            fresh.mkdir()
            yield fresh
            for file in fresh.rglob("*"):
                sync(file)
            sync(fresh)
            _check_place(path, force, "appeared during the run")
            if path.exists():
                _replace(path, fresh, scratch)
            else:
                fresh.rename(path)
            sync(path.parent)


def _replace(path: Path, fresh: Path, scratch: Path) -> None:
    """Put a directory in the place of another, which moves into the scratch folder."""
    try:
        _exchange(path, fresh)
    except OSError as error:
        if error.errno not in NO_EXCHANGE:
            raise
        (scratch / OLD).mkdir()
        path.rename(scratch / OLD / path.name)
        fresh.rename(path)
        (scratch / OLD).rename(scratch / "replaced")  # which `_remove` does not put back


def _exchange(first: Path, second: Path) -> None:
    """Exchange two directories in one step. Raises OSError; `NO_EXCHANGE`: impossible here."""
    import ctypes  # only for directories that replace others

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)  # glibc 2.28
    if rename is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if rename(AT_FDCWD, bytes(first), AT_FDCWD, bytes(second), RENAME_EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), os.fspath(first))


@contextlib.contextmanager
def _refusals(target: str | os.PathLike[str], place: Path) -> Iterator[None]:
    """Convert errors of the file system to InputError that names the file at fault.

    Errors below ``place``, where parts of the target have temporary names, name the target.
    """
    try:
        yield
    except OSError as error:
        name = error.filename
        if isinstance(name, (str, os.PathLike)) and place not in Path(name).absolute().parents:
            raise InputError(f"{os.fspath(name)}: {reason(error)}") from error
        raise InputError(f"{os.fspath(target)}: cannot be written: {reason(error)}") from error


def check_file(path: str | os.PathLike[str], force: bool) -> None:
    """Raise InputError when `new_file` would reject this place; to be called before long work."""
    target = Path(path)
    if target.exists() and (not force or not target.is_file()):
        refused = "exists; --force replaces it" if target.is_file() else "exists and is not a file"
        raise InputError(f"{target}: {refused}")
    if not os.access(target.absolute().parent, os.W_OK | os.X_OK):
        raise InputError(f"{target}: '{target.parent}' is not a writable directory")


@contextlib.contextmanager
def new_file(
    path: str | os.PathLike[str], force: bool = False, tidy: bool = True
) -> Iterator[Path]:
    """Yield a path to write; the file moves to its place if the block ends without an error.

    ``tidy`` as for `scratch_directory`.
    Raises InputError when the file exists and ``force`` is false, or cannot be written.
    """
    target = Path(path)
    check_file(target, force)
    place = target.absolute().parent
    with _refusals(target, place), scratch_directory(place, tidy) as scratch:
        fresh = scratch / "fresh"
        yield fresh
        sync(fresh)
        if not force and os.path.lexists(target):
            raise InputError(f"{target}: appeared during the run; --force replaces it")
        fresh.replace(target)


def sync(path: Path) -> None:
    """Make a file's content, or a folder's names, safe from a power failure."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
