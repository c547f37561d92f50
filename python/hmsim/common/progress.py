# SPDX-License-Identifier: BSD-3-Clause
"""Messages and progress on standard error: bars on a terminal, otherwise a line now and then.

Messages pass through the logger ``hmsim``, which a program can set to another level or give other
handlers.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0  # seconds before bars appear
REFRESH = 0.2  # seconds between two looks at what bars show
SILENCE = 5.0  # seconds without a line, at least
# The interval of lines grows with this part of the elapsed time: about eighty lines in ten hours.
GROWTH = 0.1
NAMED = 3  # pieces of work in a line, at most

# Share of a piece of work that is done (0 .. 1; None: unknown), and a note.
State = tuple[Optional[float], str]


def line(states: Mapping[str, State]) -> str:
    """Return a line that describes the work in progress, the newest pieces last."""
    parts = []
    for name, (fraction, note) in list(states.items())[-NAMED:]:
        described = f"{name} ({note})" if note else name
        parts.append(described if fraction is None else f"{described}: {fraction:.0%}")
    more = len(states) - len(parts)
    return "hmsim: " + "; ".join([*([f"{more} more"] if more else []), *parts])


def pause(elapsed: float) -> float:
    """Return the seconds until the next line, ``elapsed`` seconds after the start."""
    return max(SILENCE, GROWTH * elapsed)


class _Lines(logging.Handler):
    """Prints each message as a line; bars stay below it."""

    def emit(self, record: logging.LogRecord) -> None:
        if sys.stderr is not None:
            with contextlib.suppress(OSError, ValueError):  # nobody reads standard error any more
                print(f"hmsim: {record.getMessage()}", file=sys.stderr, flush=True)


LOGGER = logging.getLogger("hmsim")
LOGGER.addHandler(_Lines())
LOGGER.propagate = False


def warn(message: str) -> None:
    """Report what the user should know, while work continues."""
    LOGGER.warning("%s", message)


def inform(message: str) -> None:
    """Report what ``-v`` shows: reused results, tables and states, and where they are."""
    LOGGER.info("%s", message)


class Bars:
    """Progress display of several pieces of work. Any thread may report. Disabled: no output.

    A separate thread draws it, so that stalled work stays visible.
    """

    def __init__(self, enabled: bool) -> None:
        shown = enabled and LOGGER.isEnabledFor(logging.WARNING)
        self._enabled = shown and sys.stderr is not None  # None: closed when Python started
        self._lock = threading.Lock()
        self._states: dict[str, State] = {}
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        if self._thread:
            self._thread.join()

    def report(self, name: str, fraction: float | None = None, note: str = "") -> None:
        """Set the progress of ``name`` to ``fraction`` (0 .. 1); None: unknown, 1: it disappears.

        ``note`` is shown next to the name.
        """
        if not self._enabled:
            return
        with self._lock:
            if fraction is not None and fraction >= 1:
                self._states.pop(name, None)
            else:
                self._states[name] = (fraction, note)
            if self._thread is None:
                show = self._show_bars if sys.stderr.isatty() else self._show_lines
                self._thread = threading.Thread(target=show, daemon=True)
                self._thread.start()

    def _current(self) -> dict[str, State]:
        with self._lock:
            return dict(self._states)

    def _show_lines(self) -> None:
        started = time.monotonic()
        while not self._ended.wait(pause(time.monotonic() - started)):
            states = self._current()
            with contextlib.suppress(OSError, ValueError):  # nobody reads standard error any more
                if states:
                    print(line(states), file=sys.stderr, flush=True)

    def _show_bars(self) -> None:
        if self._ended.wait(PATIENCE):
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            tasks: dict[str, TaskID] = {}
            _update(progress, tasks, self._current())
            while not self._ended.wait(REFRESH):
                _update(progress, tasks, self._current())


def _update(progress: Progress, tasks: dict[str, TaskID], states: Mapping[str, State]) -> None:
    """Update, add and remove bars to match the work in progress."""
    for name in [name for name in tasks if name not in states]:
        progress.remove_task(tasks.pop(name))
    for name, (fraction, note) in states.items():
        total = None if fraction is None else 1.0
        if name not in tasks:
            tasks[name] = progress.add_task(name, total=total)
        described = f"{name} ({note})" if note else name
        progress.update(tasks[name], total=total, completed=fraction, description=described)
