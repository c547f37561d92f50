# SPDX-License-Identifier: BSD-3-Clause
"""Files of hmsim's caches: damaged ones count as absent, and runs do without unwritable ones."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from hmsim._core import InputError
from hmsim.common.directories import new_file


def set_aside(damage: object) -> None:
    """Print one line of warning on standard error: the caller makes this cached file again.

    Args:
        damage: names the file and what is wrong with it.
    """
    lines = str(damage).splitlines() or ["a cached file is damaged"]
    print(f"hmsim: {lines[0]}; the cached file is ignored", file=sys.stderr)


def keep(path: Path, content: bytes) -> bool:
    """Write a cached file, whole or not at all. Return whether the cache can be written."""
    with contextlib.suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(path, force=True) as scratch:
            scratch.write_bytes(content)
        return True
    return False
