# SPDX-License-Identifier: BSD-3-Clause
"""Plain text tables that fit a terminal, and numbers for people."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Union

GAP = "  "  # between columns
NARROWEST = 12  # characters to which a column of text may shrink
DIGITS = 4  # significant ones of a number that is not whole

Row = Union[Sequence[str], str]  # cells, or the heading of the rows that follow


def number(value: float | None) -> str:
    """Return a number to four significant digits, thousands apart; whole integers in full.

    '-' stands for None and NaN.
    """
    if value is None or value != value:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    if value == round(value) and abs(value) < 10**DIGITS:
        return f"{value:.0f}"
    rounded = float(f"{value:.{DIGITS - 1}e}")
    return f"{rounded:,.0f}" if abs(rounded) >= 10 ** (DIGITS - 1) else f"{rounded:#.{DIGITS}g}"


def render(columns: Sequence[str], rows: Sequence[Row], width: int) -> str:
    """Return the lines of a table, each with its end and without blanks before it.

    Args:
        columns: titles. A line feed breaks a title; '>' before it aligns its column to the right.
            If no column has a title, the table has no title line.
        rows: cells, or a heading: the rows after it are indented.
        width: characters in a line. The widest column of text is wrapped when they are too few.
    """
    cells = [_indented(row, rows) for row in rows if not isinstance(row, str)]
    names = [column.lstrip(">") for column in columns]
    widths = [
        max(map(len, [line for cell in column for line in cell.split("\n")]))
        for column in zip(names, *cells)
    ]
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - width
    texts = [index for index, column in enumerate(columns) if not column.startswith(">")]
    if excess > 0 and texts:
        widest = max(texts, key=lambda index: widths[index])
        widths[widest] = max(widths[widest] - excess, NARROWEST)

    right = [column.startswith(">") for column in columns]
    lines = _lines(names, widths, right, bottom=True) if any(names) else []
    lines.append("-" * (sum(widths) + len(GAP) * (len(widths) - 1)))
    remaining = iter(cells)
    for row in rows:
        lines += [row] if isinstance(row, str) else _lines(next(remaining), widths, right)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _indented(row: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Return the cells of a row, the first one indented when the table has headings."""
    indent = "  " if any(isinstance(other, str) for other in rows) else ""
    return [indent + row[0], *row[1:]]


def _lines(
    cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], bottom: bool = False
) -> list[str]:
    """Return the lines of a row of multi-line cells, aligned at the top or at the ``bottom``."""
    blocks = [_wrapped(cell, width) for cell, width in zip(cells, widths)]
    height = max(map(len, blocks))
    for block in blocks:
        block[0 if bottom else len(block) : 0 if bottom else len(block)] = [""] * (
            height - len(block)
        )
    return [
        GAP.join(
            part.rjust(width) if to_the_right else part.ljust(width)
            for part, width, to_the_right in zip(parts, widths, right)
        )
        for parts in zip(*blocks)
    ]


def _wrapped(cell: str, width: int) -> list[str]:
    """Return a cell's lines; in an indented cell, continued lines have two more blanks."""
    indent = " " * (len(cell) - len(cell.lstrip()))
    wrapper = textwrap.TextWrapper(width, subsequent_indent=indent and f"{indent}  ")
    lines: list[str] = []
    for line in cell.split("\n"):
        lines += wrapper.wrap(line) or [""]
    return lines
