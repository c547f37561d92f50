# SPDX-License-Identifier: BSD-3-Clause
"""Hints in errors about unknown names."""

from __future__ import annotations

from collections.abc import Iterable

from hmsim._core import nearest_name


def hint(name: str, known: Iterable[str], otherwise: str = "known") -> str:
    """Return "did you mean 'NAME'?", or ``otherwise`` and all names if none is near."""
    names = list(known)
    near = nearest_name(name, names)
    return f"did you mean '{near}'?" if near else f"{otherwise}: {', '.join(names)}"
