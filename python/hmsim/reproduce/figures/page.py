# SPDX-License-Identifier: BSD-3-Clause
"""docs/results.md: every claim, the paper's number, ours, and the verdict.

results.md.in holds the prose and the places of the tables.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hmsim.common.directories import new_file
from hmsim.reproduce.figures import figures
from hmsim.reproduce.figures.claims import CLAIMS, GROUPS, Claim
from hmsim.reproduce.figures.conditions import CONDITIONS
from hmsim.reproduce.figures.readings import READINGS
from hmsim.reproduce.figures.records import Found, found_in
from hmsim.reproduce.figures.verdicts import (
    CONSTRUCTED,
    DEFAULT,
    DEPENDS,
    NOT,
    REPRODUCED,
    UNREAD,
    Estimate,
    Finding,
    least_effect,
)
from hmsim.reproduce.figures.window_error import window_error
from hmsim.reproduce.figures.wrong_models import WRONG
from hmsim.runs.directory import read_json

UNCOUNTED, UNRUN = "not counted", "not run"
AS_CLAIMED, OTHER, FAILS = "as claimed", "opposite", "does not hold"
COLUMNS = (
    *("claim", "what", "the paper", "direction", "here", "median program"),
    *("condition for the paper's size", "readings", "verdict"),
)
MEASURES = ("claim", "place", "measured", "band", "wrong model, with which it fails")
MEASURED = "claims.csv"  # beside the figures
TEMPLATE = Path(__file__).with_name("results.md.in")


def number(value: float | None, unit: str) -> str:
    """Return a number as text, with few digits and its unit."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    value = 0.0 if abs(value) < 0.005 else value
    text = f"{value:.0f}" if float(value).is_integer() else f"{value:.{digits}f}"
    return f"{text} {unit}".strip()


def interval(ours: Estimate | None) -> str:
    """Return the interval of a mean as text, or a dash if the interval is empty."""
    if ours is None or not math.isfinite(ours.mean) or ours.low == ours.high:
        return "–"
    return f"{number(ours.low, '')} to {number(ours.high, '')}"


def direction(claim: Claim, finding: Finding) -> str:
    """Return whether an effect has the claimed sign and order; an order or a level may not hold."""
    ours = finding.ours
    if claim.band is None or claim.no_effect is None or ours is None:
        return AS_CLAIMED if finding.trend else FAILS
    if not math.isfinite(ours.mean):
        return "–"
    beyond = abs(least_effect(claim) - claim.no_effect)
    apart = (claim.no_effect - ours.mean) if claim.falls else (ours.mean - claim.no_effect)
    if apart > beyond:
        return AS_CLAIMED if finding.trend else FAILS
    return OTHER if apart < -beyond else "no effect"


def row(claim: Claim, found: Found | None) -> tuple[str, ...]:
    """Return a claim's line of the table."""
    head = (claim.id, claim.statement, number(claim.paper, claim.unit))
    if claim.uncounted:
        return (*head, *("–",) * 5, UNCOUNTED)
    if found is None:
        return (*head, *("–",) * 5, UNRUN)
    ours, median = found.default.ours, found.default.median
    text = number(ours.mean, claim.unit) if ours else "–"
    condition = CONDITIONS.get(claim.id)
    return (
        *head,
        direction(claim, found.default),
        text + (f" ({interval(ours)})" if interval(ours) != "–" else ""),
        number(median.mean, claim.unit) if median else "–",
        f"{condition.text} ({condition.kind})" if condition else "not known",
        found.held(),
        found.verdict(),
    )


def text(folder: Path, page: Path) -> str:
    """Return the page of the records that `hmsim figure` left in a folder."""
    records, found = _records(folder)
    rows = {claim.id: row(claim, found.get(claim.id)) for claim in CLAIMS}
    groups = [
        f"\n### {group}\n\n"
        + markdown(COLUMNS, [rows[claim.id] for claim in CLAIMS if claim.target in targets])
        for group, targets in GROUPS.items()
    ]
    quick = [name for name, content in records.items() if content.get("quick")]
    return TEMPLATE.read_text(encoding="utf-8").format(
        counts=counts(list(rows.values())),
        groups="".join(groups),
        quick=f"\nFrom quick runs (shorter, one seed): {', '.join(quick)}.\n" if quick else "",
        readings=markdown(("group", "default", "reading", "keys"), reading_rows()),
        measures=f"[{MEASURED}]({os.path.relpath(folder, page.parent)}/{MEASURED})",
        figures="".join(_figure(name, content, folder, page) for name, content in records.items()),
    )


def _figure(name: str, content: Mapping[str, Any], folder: Path, page: Path) -> str:
    """Return the section of a figure, from its record."""
    prefix = os.path.relpath(folder, page.parent)
    error = window_error(folder / f"{name}.csv")
    return (
        f"\n### {content['title']}\n\n{content['caption']}\n\n"
        f"![{name}]({prefix}/{name}.svg)\n\n{f'{error} ' if error else ''}"
        f"[Data]({prefix}/{name}.csv)\n"
    )


def reading_rows() -> list[tuple[str, ...]]:
    """Return a line of the table of readings for each that is not the default of its group."""
    default = {each.group: each.name for each in READINGS if each.default}
    return [
        (
            *(each.group, default[each.group]),
            each.name + (" (against the words)" if each.decided else ""),
            ", ".join(f"`{name}={value}`" for name, value in each.settings.items()),
        )
        for each in READINGS
        if not each.default
    ]


def counts(rows: Sequence[Sequence[str]]) -> str:
    """Return how many directions hold, and how many claims have each verdict."""
    counted = [each for each in rows if each[-1] not in (UNCOUNTED, UNRUN, CONSTRUCTED)]
    same = [each[3] for each in counted].count(AS_CLAIMED)
    verdicts = [each[-1] for each in rows]
    always = (REPRODUCED, NOT)
    parts = [
        f"{verdicts.count(verdict)} {verdict}"
        for verdict in (REPRODUCED, DEPENDS, NOT, UNREAD, CONSTRUCTED, UNCOUNTED)
        if verdict in always or verdict in verdicts
    ]
    return (
        f"In {same} of {len(counted)} claims that a run can refute, the direction is as claimed. "
        f"Verdicts on direction and size together: {', '.join(parts)}."
    )


def write(folder: Path, page: Path) -> None:
    """Write the page, and the file of its claims beside the figures."""
    for path, content in ((page, text(folder, page)), (folder / MEASURED, measures(folder))):
        with new_file(path, force=True) as scratch:
            scratch.write_text(content, encoding="utf-8")


def measures(folder: Path) -> str:
    """Return as CSV how each claim is measured, and its number under each reading."""
    _, found = _records(folder)
    names = (DEFAULT, *(each.name for each in READINGS if not each.default))
    lines = io.StringIO()
    rows = csv.writer(lines, lineterminator="\n")
    rows.writerow((*MEASURES, *names))
    for claim in CLAIMS:
        own = found[claim.id].findings if claim.id in found else {}
        ours = (own[name].ours if name in own else None for name in names)
        numbers = (number(each.mean, claim.unit) if each else "" for each in ours)
        rows.writerow((*measure(claim), *numbers))
    return lines.getvalue()


def _records(folder: Path) -> tuple[dict[str, Any], dict[str, Found]]:
    paths = {name: folder / f"{name}.json" for name in figures()}
    records = {name: read_json(path) for name, path in paths.items() if path.is_file()}
    return records, {
        name: each for content in records.values() for name, each in found_in(content).items()
    }


def measure(claim: Claim) -> tuple[str, ...]:
    """Return how a claim is measured, its band and its wrong model."""
    parts = [band_text(claim)] if claim.band is not None else []
    low, high = claim.band or (-math.inf, math.inf)
    if claim.no_effect is not None and low <= claim.no_effect <= high:
        parts.append(f"interval beyond {number(least_effect(claim), claim.unit)}")
    if claim.programs:
        parts.append("median program too")
    wrong = WRONG[claim.id].what if claim.counted else claim.constructed or claim.uncounted
    return (claim.id, claim.place, claim.how, "; ".join(parts) or "–", wrong)


def band_text(claim: Claim) -> str:
    """Return a claim's band of tolerance."""
    low, high = claim.band or (math.nan, math.nan)
    if math.isinf(high):
        return f"from {number(low, claim.unit)}"
    return f"{number(low, '')} to {number(high, claim.unit)}"


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
