# SPDX-License-Identifier: BSD-3-Clause
"""Tables as source text of documents: Markdown and LaTeX. All texts are escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hmsim.common.tables import Row

MARKDOWN = {ord(each): f"\\{each}" for each in "\\`*_|<[]&~$"} | {ord("\n"): " "}
NUMBER = re.compile(r"^(= |)(-?[0-9][0-9,]*(?:\.[0-9]+)?(?:e-?[0-9]+)?(?: ± [0-9][0-9,.e-]*)?)$")
LATEX = {
    **{ord(each): f"\\{each}" for each in "&%$#_{}"},
    ord("\\"): r"\textbackslash{}",
    ord("~"): r"\textasciitilde{}",
    ord("^"): r"\textasciicircum{}",
    ord("<"): r"\textless{}",
    ord(">"): r"\textgreater{}",
    ord("\n"): " ",
}


def markdown(title: str, columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Return a title in bold and a table of GitHub's Markdown.

    Args:
        title: of the table.
        columns: names; '>' before one aligns its column to the right.
        rows: cells, or a heading, which becomes a row in bold.
    """
    names = [name.lstrip(">").translate(MARKDOWN) for name in columns]
    lines = [
        [f"**{row.translate(MARKDOWN)}**", *[""] * (len(names) - 1)]
        if isinstance(row, str)
        else [cell.translate(MARKDOWN) for cell in row]
        for row in rows
    ]
    widths = [max(3, *map(len, column)) for column in zip(names, *lines)]
    right = [name.startswith(">") for name in columns]
    rule = ["-" * (width - 1) + (":" if r else "-") for width, r in zip(widths, right)]
    text = [f"| {' | '.join(_padded(line, widths, right))} |" for line in (names, rule, *lines)]
    return "\n".join([f"**{title.translate(MARKDOWN)}**", "", *text, ""])


def latex(title: str, columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Return a ``tabular`` of the packages booktabs and siunitx, after its title in a comment.

    Arguments are those of `markdown`; a heading becomes a row in italics. Numbers, with the half of
    an interval or without, are in ``\\num``.
    """
    names = [_latex(name.lstrip(">")) for name in columns]
    right = [name.startswith(">") for name in columns]
    cells = [[_latex(cell) for cell in row] for row in rows if not isinstance(row, str)]
    widths = [max(map(len, column)) for column in zip(names, *cells)]
    remaining = iter(cells)
    text = [
        rf"\multicolumn{{{len(names)}}}{{l}}{{\textit{{{_latex(row)}}}}} \\"
        if isinstance(row, str)
        else rf"{' & '.join(_padded(next(remaining), widths, right))} \\"
        for row in rows
    ]
    head = rf"{' & '.join(_padded(names, widths, right))} \\"
    shape = "".join("r" if r else "l" for r in right)
    return "\n".join(
        [
            f"% {' '.join(title.split())}",
            r"% \usepackage{booktabs, siunitx}",
            rf"\begin{{tabular}}{{{shape}}}",
            r"\toprule",
            *(head, r"\midrule", *text, r"\bottomrule"),
            r"\end{tabular}",
            "",
        ]
    )


def _latex(text: str) -> str:
    """Return a text of a cell: a number as siunitx takes it, after a mark that it may have."""
    if found := NUMBER.match(text):
        return f"{found[1]}\\num{{{found[2].replace(',', '').replace('±', '+-')}}}"
    return text.translate(LATEX).replace("(us)", r"(\unit{\us})")


def _padded(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    return [
        cell.rjust(width) if to_the_right else cell.ljust(width)
        for cell, width, to_the_right in zip(cells, widths, right)
    ]
