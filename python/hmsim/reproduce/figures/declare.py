# SPDX-License-Identifier: BSD-3-Clause
"""How a function of this package says which figure it makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hmsim.reproduce.figures.experiment import Runs
from hmsim.reproduce.figures.style import PAGE_WIDTH, Made

Maker = Callable[[Runs], Made]


@dataclass(frozen=True)
class Figure:
    """Name of a figure, and the function that runs its missing points and makes it.

    `place` orders figures: the paper's number; figures of the same number are ordered by name.
    """

    place: int
    name: str
    make: Maker


DECLARED: list[Figure] = []


def figure(
    name: str, place: int, title: str, size: tuple[float, float] = (PAGE_WIDTH, 3.6)
) -> Callable[[Maker], Maker]:
    """Declare the function below as the maker of a figure.

    The caption is its docstring, continued by the caption that it returns, if any.
    """

    def declare(draw: Maker) -> Maker:
        def make(runs: Runs) -> Made:
            made = draw(runs)
            caption = f"{draw.__doc__ or ''} {made.caption}".strip()
            return replace(made, title=title, size=size, caption=caption)

        DECLARED.append(Figure(place, name, make))
        return make

    return declare
