# SPDX-License-Identifier: BSD-3-Clause
"""Progress bars on standard error, for work that takes longer than two seconds."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0  # seconds before bars appear


class Bars:
    """A bar for each piece of work; any thread may report. Disabled: reports go nowhere."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self._tasks: dict[str, TaskID] = {}
        self._progress: Progress | None = None

    def __enter__(self) -> Bars:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._progress:
            self._progress.stop()

    def report(self, name: str, fraction: float | None = None, note: str = "") -> None:
        """Set the bar called ``name`` to ``fraction`` (0 .. 1); None: unknown, 1: it disappears.

        ``note`` stands beside the name.
        """
        if not self._enabled or time.monotonic() - self._started < PATIENCE:
            return
        with self._lock:
            if self._progress is None:
                from rich.console import Console
                from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

                columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
                console = Console(stderr=True)
                self._progress = Progress(*columns, console=console, transient=True)
                self._progress.start()
            if fraction is not None and fraction >= 1:
                if name in self._tasks:
                    self._progress.remove_task(self._tasks.pop(name))
                return
            if name not in self._tasks:
                self._tasks[name] = self._progress.add_task(
                    name, total=None if fraction is None else 1.0
                )
            described = f"{name} ({note})" if note else name
            self._progress.update(self._tasks[name], completed=fraction, description=described)
