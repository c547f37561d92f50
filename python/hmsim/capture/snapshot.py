# SPDX-License-Identifier: BSD-3-Clause
"""Initial state of a machine: power-on, or a state that an earlier run saved."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Optional, Union

from hmsim._core import InputError
from hmsim.capture.emulation import CaptureError
from hmsim.capture.machine import Machine
from hmsim.capture.monitor import Monitor
from hmsim.common.directories import new_directory
from hmsim.config.settings import read_text_file

STATE, DESCRIPTION = "state", "machine.json"  # files of a snapshot
KERNEL_OPTION = " hmsim_snapshot=1"  # the guest pauses when its job is prepared


class Beginning:
    """Power-on; nothing is saved."""

    options: tuple[str, ...] = ()  # of QEMU
    kernel_option = ""

    def started(self) -> None:
        """Act after QEMU was started."""

    def paused(self) -> None:
        """Act after the guest has paused the machine, then let it continue."""


class _Saving(Beginning):
    """The first pause is saved."""

    kernel_option = KERNEL_OPTION

    def __init__(self, monitor: Monitor, state: Path) -> None:
        self._monitor, self._state = monitor, state
        self.options = monitor.options

    def started(self) -> None:
        self._monitor.connect()

    def paused(self) -> None:
        if self._state.exists():
            self._monitor.resume()
        else:
            self._monitor.save(self._state)


class _Loading(Beginning):
    kernel_option = KERNEL_OPTION

    def __init__(self, monitor: Monitor, state: Path) -> None:
        self._monitor, self._state = monitor, state
        self.options = (*monitor.options, "-incoming", "defer")

    def started(self) -> None:
        self._monitor.connect()
        self._monitor.load(self._state)

    def paused(self) -> None:
        self._monitor.resume()


@contextlib.contextmanager
def beginning(
    snapshot: Optional[Union[str, os.PathLike[str]]], machine: Machine, scratch: Path
) -> Iterator[Beginning]:
    """Yield the initial state: power-on, the state in a folder, or power-on that fills the folder.

    The folder appears when the block ends without an error. Raises CaptureError, InputError.
    """
    if snapshot is None:
        yield Beginning()
        return
    with contextlib.closing(Monitor(scratch / "monitor")) as monitor:
        folder = Path(snapshot)
        if folder.exists():
            _check(folder, machine)
            yield _Loading(monitor, folder / STATE)
        else:
            with new_directory(folder) as fresh:
                description = json.dumps(machine.description(), indent=2)
                (fresh / DESCRIPTION).write_text(description + "\n")
                yield _Saving(monitor, fresh / STATE)


def _check(folder: Path, machine: Machine) -> None:
    """Raise CaptureError unless the folder holds a state of this machine."""
    try:
        saved = json.loads(read_text_file(folder / DESCRIPTION))
    except (InputError, ValueError, RecursionError):
        saved = None
    if not isinstance(saved, dict) or not (folder / STATE).is_file():
        raise CaptureError(f"{folder}: is not a snapshot of a machine")
    for name, value in machine.description().items():
        if saved.get(name) != value:
            raise CaptureError(
                f"{folder}: is a snapshot of a machine with {name} {saved.get(name)}, not {value}"
            )
