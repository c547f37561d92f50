# SPDX-License-Identifier: BSD-3-Clause
"""Plain text tables that fit a terminal, and numbers for people."""

from __future__ import annotations

import math
import re
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


def interval(mean: float, half: float) -> str:
    """Return ``mean ± half``: four digits of the mean, but no more than two of the half.

    Returns the mean alone without a half, which is then NaN.
    """
    if half != half:
        return number(mean)
    decimals = min(_place(mean, DIGITS), _place(half, 2))
    if not round(half, decimals):
        return f"{number(mean)} ± 0"
    shown = (f"{round(each, decimals):,.{max(decimals, 0)}f}" for each in (mean, half))
    return " ± ".join(shown)


def _place(value: float, digits: int) -> int:
    """Return the decimals that give a number so many significant digits; many for 0."""
    return digits - 1 - math.floor(math.log10(abs(value))) if value else 99


def render(columns: Sequence[str], rows: Sequence[Row], width: int) -> str:
    """Return the lines of a table, each with its end and without blanks before it.

    Args:
        columns: titles. A line feed breaks a title; '>' before it aligns its column to the right.
            If no column has a title, the table has no title line.
        rows: cells, or a heading: the rows after it are indented.
        width: characters in a line. The widest columns of text are wrapped when they are too few,
            between words, and after the marks within a path, but never in a word.
    """
    cells = [_indented(row, rows) for row in rows if not isinstance(row, str)]
    names = [column.lstrip(">") for column in columns]
    widths = [
        max(map(len, [line for cell in column for line in cell.split("\n")]))
        for column in zip(names, *cells)
    ]
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - width
    texts = [index for index, column in enumerate(columns) if not column.startswith(">")]
    for index in sorted(texts, key=lambda index: -widths[index]):
        words = [word for cell in cells for word in _pieces(cell[index])] + _pieces(names[index])
        least = max(NARROWEST, *map(len, words)) if words else NARROWEST
        cut = max(0, min(excess, widths[index] - least))
        widths[index], excess = widths[index] - cut, excess - cut

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


class _Wrapper(textwrap.TextWrapper):
    """Breaks lines between words, and after the marks within a path."""

    wordsep_simple_re = re.compile(r"(\s+)|(?<=[._/,=])(?=\w)")

    def __init__(self, width: int, subsequent_indent: str = "") -> None:
        super().__init__(width, subsequent_indent=subsequent_indent)
        self.break_long_words = self.break_on_hyphens = False


def _pieces(text: str) -> list[str]:
    """Return the parts of a cell between which lines may break, indented as continued lines are."""
    indent = "    " if text.startswith(" ") else ""
    parts = _Wrapper.wordsep_simple_re.split(text)
    return [indent + part for part in parts if part and not part.isspace()]


def _wrapped(cell: str, width: int) -> list[str]:
    """Return a cell's lines; in an indented cell, continued lines have two more blanks."""
    indent = " " * (len(cell) - len(cell.lstrip()))
    wrapper = _Wrapper(width, subsequent_indent=indent and f"{indent}  ")
    lines: list[str] = []
    for line in cell.split("\n"):
        lines += wrapper.wrap(line) or [""]
    return lines
