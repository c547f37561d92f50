# SPDX-License-Identifier: BSD-3-Clause
"""Contents of a card: sections of tables, charts and judged rows, for the page and for JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from hmsim.common.markup import Markup
from hmsim.reproduce.validate.row import Row

Cell = Union[str, float, int, None]


def finite(value: float | None) -> bool:
    """Return whether a value is a finite number."""
    return value is not None and math.isfinite(value)


@dataclass(frozen=True)
class Table:
    """Values with the source of their numbers, and the command if it is not the card's."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    source: str = ""
    command: str = ""
    folded: bool = False  # shown only when the reader opens it

    def titles(self) -> list[str]:
        """Return the columns as `hmsim.common.tables.render` takes them."""
        texts = [isinstance(cell, str) for cell in self.rows[0]]
        return [name if text else f">{name}" for name, text in zip(self.columns, texts)]

    def records(self) -> list[dict[str, Cell]]:
        """Return the rows for JSON, with None for each number that is not finite."""
        return [
            {n: v if isinstance(v, str) or finite(v) else None for n, v in zip(self.columns, row)}
            for row in self.rows
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "source": self.source,
            "command": self.command,
        }


@dataclass(frozen=True)
class Line:
    """A curve of a chart."""

    name: str
    points: Sequence[tuple[float, float]]
    measured: bool = False


@dataclass(frozen=True)
class Chart:
    """Latency in ns against bandwidth as a share of the peak, or any quantity at `places`."""

    title: str
    lines: Sequence[Line]
    places: Sequence[str] = ()  # of the points, whose x are their indices

    def as_dict(self) -> dict[str, Any]:
        lines = [
            {"name": line.name, "measured": line.measured, "points": [list(p) for p in line.points]}
            for line in self.lines
        ]
        axes = {"places": list(self.places)} if self.places else {"x": "share of peak"}
        y = self.title if self.places else "latency, ns"
        return {"title": self.title, **axes, "y": y, "lines": lines}


@dataclass
class Section:
    """A part of the card."""

    name: str
    text: str
    tables: list[Table] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)  # judged
    pictures: list[Markup] = field(default_factory=list)  # drawn elsewhere

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "text": self.text,
            "checks": [row.as_dict() for row in self.rows],
            "tables": [table.as_dict() for table in self.tables],
            "charts": [chart.as_dict() for chart in self.charts],
        }
