# SPDX-License-Identifier: BSD-3-Clause
"""Hints in errors about unknown names."""

from __future__ import annotations

from collections.abc import Iterable

from hmsim._core import nearest_name

KEYS = {  # of files that are taken for others, and the files that have them
    **dict.fromkeys(("base", "controller", "dram", "frontend", "nvdimm"), "configurations"),
    **dict.fromkeys(("config", "set"), "sweeps and fits"),
    **dict.fromkeys(("grid", "points", "samples", "show", "where"), "sweeps"),
    **dict.fromkeys(("over", "runs", "targets"), "fits"),
    "agents": "workloads",
    "kind": "agents",
}


def other_file(name: str) -> str:
    """Return " (a key of FILES)" if another kind of file has this key, otherwise ''."""
    return f" (a key of {KEYS[name]})" if name in KEYS else ""


def hint(name: str, known: Iterable[str], otherwise: str = "known") -> str:
    """Return "did you mean 'NAME'?", or ``otherwise`` and all names if none is near."""
    names = list(known)
    near = nearest_name(name, names) or next((n for n in names if name and n.startswith(name)), "")
    return f"did you mean '{near}'?" if near else f"{otherwise}: {', '.join(names)}"
