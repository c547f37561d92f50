# SPDX-License-Identifier: BSD-3-Clause
"""The paper's tables and figures, made anew: `hmsim figure` (docs/reproduction.md)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from hmsim import InputError
from hmsim._core import nearest_name
from hmsim.figures.experiment import Runs
from hmsim.figures.style import Made

# In the paper's order; by name the module, and its function where that is not `figure`.
FIGURES = {
    "table1": "table1",
    "table2": "table2",
    "fig5": "fig5",
    "fig7": "fig7",
    "fig8a": "fig8a",
    "fig8b": "fig8b",
    "fig8c": "fig8c",
    "fig8d": "fig8d",
    "fig15a": "fig15:figure_a",
    "fig15b": "fig15:figure_b",
    "fig15c": "fig15:figure_c",
    "fig15d": "fig15:figure_d",
    "fig15e": "fig15:figure_e",
    "weight": "weight",
    "fig16": "fig16",
    "fig17": "fig17",
    "fig18": "fig18",
    "fig19": "fig19",
    "fig20": "fig20",
    "sensitivity": "sensitivity",
}


def names(wanted: str) -> list[str]:
    """Return the figures that a name means: one, or all. Raises InputError."""
    if wanted == "all":
        return list(FIGURES)
    if wanted not in FIGURES:
        parts = [name for name in FIGURES if wanted and name.startswith(wanted)]
        near = nearest_name(wanted, [*FIGURES, "all"])
        hint = f"; known: {', '.join(FIGURES)}, all"
        if parts or near:
            hint = f"; did you mean {', '.join(parts) or repr(near)}?"
        raise InputError(f"{wanted}: no such figure{hint}")
    return [wanted]


def make(name: str, runs: Runs) -> Made:
    """Return a figure's content, after running what is missing."""
    module, _, function = FIGURES[name].partition(":")
    maker: Callable[[Runs], Made] = getattr(
        import_module(f"{__name__}.{module}"), function or "figure"
    )
    return maker(runs)
