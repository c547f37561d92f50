# SPDX-License-Identifier: BSD-3-Clause
"""How a function of this package says which figure it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hmsim.figures.experiment import Runs
from hmsim.figures.style import Made

Maker = Callable[[Runs], Made]
_MARK = "hmsim_figure"


@dataclass(frozen=True)
class Figure:
    """Name of a figure, and the function that runs its missing points and makes it.

    `place` orders figures: the paper's number; figures of the same number are ordered by name.
    """

    place: int
    name: str
    make: Maker


def figure(name: str, place: int) -> Callable[[Maker], Maker]:
    """Declare the function below as the maker of a figure. Its docstring is the caption."""

    def declare(make: Maker) -> Maker:
        setattr(make, _MARK, Figure(place, name, make))
        return make

    return declare


def declared(content: Iterable[Any]) -> set[Figure]:
    """Return the figures declared among a module's content."""
    return {getattr(each, _MARK) for each in content if callable(each) and hasattr(each, _MARK)}
