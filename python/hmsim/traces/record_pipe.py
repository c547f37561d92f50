# SPDX-License-Identifier: BSD-3-Clause
"""Reads a capture's records from a named pipe as they arrive, and writes them as a trace."""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import threading
from pathlib import Path

from hmsim._core import InputError
from hmsim.traces.file import TraceWriter

PIPE = 1 << 20  # bytes that the pipe holds, if the system allows


class RecordPipe:
    """A named pipe whose content becomes a trace, in memory that does not grow with it.

    The writer may open and close the pipe any number of times. When the trace cannot be written,
    the pipe is closed, which ends the writer, and `finish` raises the error.
    """

    def __init__(self, pipe: Path, target: Path, level: int) -> None:
        """Make the pipe; the trace goes to ``target``, packed at zstd's ``level``."""
        os.mkfifo(pipe)
        self._pipe = os.open(pipe, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # never at its end
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._pipe, fcntl.F_SETPIPE_SZ, PIPE)
        self._stop, self._stopper = os.pipe()
        self._file = target.open("wb")
        self._writer = TraceWriter(self._file, level)
        self._error: OSError | InputError | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._pipe, selectors.EVENT_READ)
                selector.register(self._stop, selectors.EVENT_READ)
                while not any(key.fd == self._stop for key, _ in selector.select()):
                    self._take()
            self._take()  # what was written before the stop
        except (OSError, InputError) as error:
            self._error = error
        finally:
            os.close(self._pipe)

    def _take(self) -> None:
        """Take what is in the pipe now."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self._writer.write(os.read(self._pipe, PIPE))

    def _join(self) -> None:
        if self._stopper >= 0:
            os.close(self._stopper)
            self._stopper = -1
            self._thread.join()
            os.close(self._stop)

    def __enter__(self) -> RecordPipe:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._join()
        with contextlib.suppress(OSError):  # what could not be written before
            self._file.close()
        if self._error and error and error is not self._error:
            raise self._error from error  # why the writer was ended

    def finish(
        self, flags: int, vcpus: int, caches: tuple[int, int, int], label: bytes, records: int
    ) -> None:
        """Complete the trace after the last write; it must hold ``records`` records.

        Raises OSError, InputError.
        """
        self._join()
        if self._error:
            raise self._error
        self._writer.close(flags, vcpus, caches, label)
        if self._writer.records != records:
            raise InputError(
                f"{os.fsdecode(label)}: captured {self._writer.records} records, expected {records}"
            )
