# SPDX-License-Identifier: BSD-3-Clause
"""The command log of one run: what happens on its channels, inside its NVDIMMs, on its nodes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmsim.runs.request_log import ROWS, RowLog

if TYPE_CHECKING:
    from hmsim._core import Simulation

# Default limit. It applies to the rows of commands and modules together, and separately to the rows
# of threads.
MOST_ROWS = 10_000_000

# Names by the numbers that the core uses. COMMANDS: ChannelCommand. The others also cover media
# other than flash: FlashStage; FlashOperation; FlashPriority, with wear levelling; ThreadState,
# with copying.
COMMANDS = (
    *("activate", "precharge", "read", "write", "refresh", "refresh_same_bank"),
    *("power_down_enter", "power_down_exit", "self_refresh_enter", "self_refresh_exit"),
    "data_clock_start",
    *("nvdimm_read_command", "nvdimm_write_command", "nvdimm_flush_command", "nvdimm_ack"),
    *("nvdimm_read", "nvdimm_write", "nvdimm_credit", "refresh_management"),
)
STAGES = (
    *("command", "cells", "done", "suspend", "resume", "data_out", "status", "fail"),
    *("media", "collection_begins", "collection_ends"),
)
OPERATIONS = ("read", "program", "erase", "write", "move")
CAUSES = ("demand", "map", "collection", "prefetch", "eviction", "levelling")
STATES = (
    *("run_queue", "running", "reading", "read_ahead", "writing", "throttled", "syncing"),
    *("waiting", "sleeping"),
    *("idle", "done", "copying"),
)

COMMAND_FILE = "commands.parquet"
MODULE_FILE = "modules.parquet"
THREAD_FILE = "threads.parquet"


class CommandLog:
    """Log of the commands on the channels and of the activity of NVDIMM units and job threads.

    It starts when measuring begins.

    ``commands.parquet``, in order: ``cycle`` of the channel's clock, ``command``, ``channel``,
    ``rank`` (NVDIMMs are those after the last), ``bank`` (-1: none), ``row`` (NVDIMM: logical
    page; -1: none), ``request`` (its ``id`` in the request log; -1: none).

    ``modules.parquet``: ``start_ps``, ``end_ps``, ``channel``, ``device`` (of the channel's
    NVDIMMs), ``stage``, ``operation``, ``cause``, ``unit`` (LUN of the NVDIMM; bank of other
    media), ``block``, ``page`` (-1: none), as nvdimm/nand/flash_observer.h describes them.

    ``threads.parquet``, those of each thread in order: ``begin_ps``, ``end_ps``, ``agent``,
    ``thread`` (as in the statistics ``agent.N.thread.T``; flushers follow), ``task`` (-1: a
    flusher's), ``name``, ``state`` (of `STATES`; neither idle nor done), ``core`` (-1: none).
    """

    def __init__(
        self, directory: str | os.PathLike[str] | None = None, rows: int = MOST_ROWS
    ) -> None:
        """Begin a log of at most ``rows`` rows, and as many rows of threads.

        The log is written to the file system of ``directory``.

        Raises InputError when the file cannot be written, as `collect` and `save` do.
        """
        self.limit = rows
        self.rows = 0
        self.full = False
        self.thread_rows = 0
        self.threads_full = False
        name, module = "command log", {"stage": STAGES, "operation": OPERATIONS, "cause": CAUSES}
        self._commands = RowLog(name, {"command": COMMANDS}, directory)
        self._modules = RowLog(name, module, directory)
        self._threads = RowLog(name, {"state": STATES}, directory)

    def collect(self, simulation: Simulation, last: bool = False) -> None:
        """Take the simulation's pending rows if there are many or this is the ``last`` call."""
        kept = simulation.logged_commands
        if last or kept >= ROWS:
            tables = simulation.take_commands()
            if tables is not None:
                self._commands.write(tables["commands"])
                self._modules.write(tables["modules"])
                self.rows += kept
        if last:
            simulation.end_thread_log()
            self.full = simulation.command_log_full
            self.threads_full = simulation.thread_log_full
        waiting = simulation.logged_threads
        found = simulation.take_threads() if last or waiting >= ROWS else None
        if found is not None:
            columns, names = found
            self._threads.words = {"state": STATES, "name": names}
            self._threads.write(columns)
            self.thread_rows += waiting
        if last:
            for log in (self._commands, self._modules, self._threads):
                log.close()

    def save(self, directory: Path) -> None:
        """Write the log's files into a directory. Call after `collect` with ``last``."""
        self._commands.save(directory / COMMAND_FILE)
        self._modules.save(directory / MODULE_FILE)
        self._threads.save(directory / THREAD_FILE)

    def describe(self) -> dict[str, Any]:
        """Return the log's entry in ``run.json``.

        ``full`` means that the log reached its limit and lacks later rows.
        """
        return {
            "rows": self.rows,
            "limit": self.limit,
            "full": self.full,
            "thread_rows": self.thread_rows,
            "threads_full": self.threads_full,
        }
