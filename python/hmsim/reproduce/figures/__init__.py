# SPDX-License-Identifier: BSD-3-Clause
"""The paper's tables and figures, reproduced: `hmsim figure` (docs/results.md)."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from hmsim import InputError
from hmsim._core import nearest_name
from hmsim.reproduce.figures.declare import DECLARED, Figure


@lru_cache
def figures() -> dict[str, Figure]:
    """Return all figures by name, in the paper's order: whatever a module here declares."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return {each.name: each for each in sorted(DECLARED, key=lambda each: (each.place, each.name))}


def names(wanted: str) -> list[str]:
    """Return the figures that a name means: one, or all. Raises InputError."""
    known = figures()
    if wanted == "all":
        return list(known)
    if wanted not in known:
        parts = [name for name in known if wanted and name.startswith(wanted)]
        near = nearest_name(wanted, [*known, "all"])
        hint = f"; known: {', '.join(known)}, all"
        if parts or near:
            hint = f"; did you mean {', '.join(parts) or repr(near)}?"
        raise InputError(f"{wanted}: no such figure{hint}")
    return [wanted]
