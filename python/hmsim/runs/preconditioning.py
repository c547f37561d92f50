# SPDX-License-Identifier: BSD-3-Clause
"""Cached preconditioning: the resulting state of NVDIMMs and HBF is kept for other runs.

Filling a large one takes longer than many runs, and the runs of a comparison or a sweep start
from the same state. A file in the cache holds this state, under the hash of all that affects it:
parameters, the seed, and the code. A run that finds the file loads it, to the same effect
(`tests/cli/test_precondition.py`). A file that does not load counts as absent and is made again.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from hmsim import _core
from hmsim._core import InputError, Simulation
from hmsim.common.cache import keep, set_aside
from hmsim.common.digests import file_digest
from hmsim.common.paths import cache_directory
from hmsim.common.progress import inform
from hmsim.config.configuration import Config
from hmsim.config.policies import PLACEMENT
from hmsim.runs import identity

WORTH = 1 << 20  # logical pages that take about a second: fewer are written anew
MOST = 1 << 30  # bytes of all files; those that were not used for longest go first
LOAD = "nvdimm.precondition.load"
BUFFER = "nvdimm.precondition.buffer"  # has no part in the file
VICTIM = "nvdimm.ftl.victim"  # these policies take part
SUFFIX = ".state"
Report = Callable[[float], None]


class Preconditioned:
    """A configuration's assignments, with the file that replaces preconditioning if worthwhile.

    Attributes:
        flat: as `Config.flat`.
        seconds: time to make or to find the file.
    """

    def __init__(self, config: Config, seed: int, report: Report | None) -> None:
        """Find the file, or make it.

        Args:
            config: of the run.
            seed: of the run.
            report: called with the share that is written.

        Raises:
            InputError: the configuration is at fault.
        """
        started = time.perf_counter()
        self.flat = config.flat()
        with contextlib.suppress(OSError):  # the cache is not available
            if file := _file(config, seed, report):
                self.flat = [*(pair for pair in self.flat if pair[0] != LOAD), (LOAD, str(file))]
        self.seconds = time.perf_counter() - started


def _file(config: Config, seed: int, report: Report | None) -> Path | None:
    """Return the file for such a run; None if it is not worthwhile or cannot be stored."""
    flat = config.flat()
    pages, shape = Simulation.preconditioning(flat, seed)
    if pages < WORTH or {VICTIM, PLACEMENT} & dict(config.objects).keys():
        return None
    try:
        folder = cache_directory() / "preconditioned"
    except InputError:
        return None
    code = file_digest(str(_core.__file__))
    path = folder / f"{identity.digest([shape, code])}{SUFFIX}"
    flat = [*(pair for pair in flat if pair[0] != BUFFER), (BUFFER, "none")]
    if path.is_file() and _loads(path, flat, seed):
        os.utime(path)
        inform(f"the preconditioned state is {path}")
        return path
    if not keep(path, state(flat, seed, report)):
        return None
    _make_room(folder, path)
    return path


def _loads(path: Path, flat: list[tuple[str, str]], seed: int) -> bool:
    """Whether a file of the cache loads, which takes a tenth of the time that making it takes."""
    try:
        Simulation([*flat, (LOAD, str(path))], [], seed, 0, 0, lambda agent, offset: b"", [])
    except InputError as damage:
        set_aside(damage)
        return False
    return True


def state(flat: list[tuple[str, str]], seed: int, report: Report | None = None) -> bytes:
    """Return the content of a file for ``nvdimm.precondition.load``. Raises InputError."""
    simulation = Simulation(
        flat, [], seed, 0, 0, lambda agent, offset: b"", [], preconditioning=report
    )
    return simulation.preconditioned()


def _make_room(folder: Path, newest: Path) -> None:
    """Remove files, the longest unused first, until the others take no more than `MOST`."""
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        with contextlib.suppress(FileNotFoundError):
            status = path.stat()
            found.append((status.st_mtime_ns, status.st_size, path))
    size = sum(each for _, each, _ in found)
    for _, each, path in sorted(found):
        if size <= MOST or path == newest:
            break
        path.unlink(missing_ok=True)
        size -= each
