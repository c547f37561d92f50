# SPDX-License-Identifier: BSD-3-Clause
"""Damaged entries of hmsim's caches, which count as absent."""

from __future__ import annotations

import sys


def set_aside(damage: object) -> None:
    """Print one line of warning on standard error: the caller makes this cached file again.

    Args:
        damage: names the file and what is wrong with it.
    """
    lines = str(damage).splitlines() or ["a cached file is damaged"]
    print(f"hmsim: {lines[0]}; the cached file is ignored", file=sys.stderr)
