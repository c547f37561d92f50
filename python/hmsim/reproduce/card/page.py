# SPDX-License-Identifier: BSD-3-Clause
"""Sections as one HTML page that needs neither scripts nor a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from hmsim.common.markup import Markup, join, scrolling, style, tag
from hmsim.common.tables import number
from hmsim.reproduce.card import chart
from hmsim.reproduce.card.content import Cell, Section, Table
from hmsim.reproduce.validate.row import Row, counts

CARD = "hmsim: card of hardware anchors"
INTRODUCTION = (
    "This page compares hmsim with closed forms and with measurements of machines and drives. "
    "Methods, loads, constants and scores of what hmsim ships were fixed before the first run, in "
    "configs/anchors; later changes are comments there. Errors are printed whatever they are. "
    "Bandwidths have their share of the peak beside them."
)
LONG = 40  # characters from which a cell's text breaks into lines
# Cells to notice, with the class of each.
WORDS = {"poor": "poor", "FAIL": "fails", "out of band": "fails", "knife-edge": "poor"}


def card(sections: Sequence[Section], head: Mapping[str, Any]) -> str:
    """Return the card's page; ``head`` holds version, command and duration."""
    rows = [row for section in sections for row in section.rows]
    subtitle = (
        f"hmsim {head['hmsim']}, {head['extent']} card: {head['command']}. "
        f"{head['seconds']:.0f} s with {head['jobs']} runs at a time."
    )
    return page(sections, CARD, subtitle, [INTRODUCTION, *([f"{counts(rows)}."] if rows else [])])


def page(sections: Sequence[Section], title: str, subtitle: str, head: Sequence[str]) -> str:
    """Return a page; ``head`` holds the paragraphs before the sections."""
    look, _ = style((resources.files(__package__) / "card.css").read_text(encoding="utf-8"))
    names = [section.name.split(",")[0].lower().replace(" ", "-") for section in sections]
    links = [tag("a", s.name, href=f"#{name}") for s, name in zip(sections, names)]
    body = [_section(s, name) for s, name in zip(sections, names)]
    return "<!DOCTYPE html>\n" + tag(
        "html",
        tag(
            "head",
            tag("meta", charset="utf-8"),
            tag(
                "meta",
                http_equiv="Content-Security-Policy",
                content="default-src 'none'; style-src 'unsafe-inline'",
            ),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("title", title),
            look,
        ),
        tag(
            "body",
            tag("h1", title),
            tag("p", subtitle, class_="faint"),
            *(tag("p", text) for text in head),
            tag("nav", *links, aria_label="Sections"),
            tag("main", *body),
        ),
        lang="en",
    )


def _section(section: Section, name: str) -> Markup:
    charts = [chart.draw(one, f"{name}-{i}") for i, one in enumerate(section.charts)]
    return tag(
        "section",
        tag("h2", section.name, id=name),
        tag("p", section.text),
        _checks(section.rows) if section.rows else None,
        tag("div", *charts, *section.pictures, class_="charts")
        if charts or section.pictures
        else None,
        *(_table(table, table.name != section.name) for table in section.tables),
    )


def _checks(rows: Sequence[Row]) -> Markup:
    cells: list[list[Cell]] = [
        [r.name, r.band, r.got, r.unit, r.verdict(accept_listed=True), r.source] for r in rows
    ]
    columns = ("check", "expected", "hmsim", "unit", "verdict", "formula")
    return scrolling(_grid(columns, cells), "Checks")


def _table(table: Table, named: bool) -> Markup:
    grid = scrolling(_grid(table.columns, table.rows), table.name)
    texts = [("Source", table.source), ("Command", table.command)]
    said = ". ".join(f"{name}: {text}" for name, text in texts if text)
    note = tag("p", said, class_="note") if said else None
    if table.folded:
        return tag("details", tag("summary", f"{table.name} ({len(table.rows)})"), grid, note)
    return join(tag("h3", table.name) if named else None, grid, note)


def _grid(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Markup:
    if not rows:
        return tag("p", "None.")
    texts = [isinstance(cell, str) for cell in rows[0]]
    names = [
        tag("th", column, scope="col", class_="text" if text else None)
        for column, text in zip(columns, texts)
    ]
    head = tag("thead", tag("tr", *names))
    lines = [tag("tr", *(_cell(cell, index) for index, cell in enumerate(row))) for row in rows]
    return tag("table", head, tag("tbody", *lines))


def _cell(value: Cell, index: int) -> Markup:
    if index == 0:
        return tag("th", _text(value), scope="row")
    if isinstance(value, str):
        more = WORDS.get(value) or ("long" if len(value) > LONG else "")
        return tag("td", value, class_=f"text {more}".rstrip())
    return tag("td", _text(value))


def _text(value: Cell) -> str:
    return value if isinstance(value, str) else number(value)
