# SPDX-License-Identifier: BSD-3-Clause
"""The table of claims in docs/storage-claims.md, from the checks of `hmsim validate storage`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hmsim.reproduce.validate.checks import validate

from pages import DOCS, Documents, below

PAGE = DOCS / "storage-claims.md"
FIRST = 16  # of the papers' claims; those before are closed forms
LAST = 99
FORM = re.compile(r"S(\d+)")


def place(row: Mapping[str, Any]) -> int:
    """Return the number of a row's claim or closed form; those without one come last."""
    number = FORM.match(row["source"])
    return int(number[1]) if number else LAST


def is_claim(row: Mapping[str, Any]) -> bool:
    """Return whether a row of `hmsim validate` is a paper's claim, and not a closed form."""
    return place(row) >= FIRST


def verdict(row: Mapping[str, Any]) -> str:
    """Return the verdict on a claim. Calibrated claims and estimates are not judged."""
    inside = abs(row["got"] - row["expected"]) <= row["tolerance"]
    if row["unjudged"]:
        word = "not judged: an estimate" if row["unjudged"] == "estimate" else "calibrated"
        return word if inside else f"{word}, outside"
    return "met" if inside else "missed"


def number(value: float) -> str:
    """Return a number as the table has it, without digits that mean nothing."""
    rounded = float(f"{value:.4g}")
    return f"{0.0 if abs(rounded) < 1e-9 else rounded:,g}"


def cells(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield claim, document, band, simulated value, verdict."""
    source = row["source"].removesuffix(f"; {row['missed']}")
    name, _, stated = source.partition(": ")
    yield name if FORM.match(name) else ""
    yield row["name"]
    bare = re.fullmatch(r"[\d.]+", stated)
    yield f"{stated} {row['unit']}".strip() if bare else stated or source
    low, high = (row["expected"] + side * row["tolerance"] for side in (-1, 1))
    yield row.get("band", f"{number(low)} to {number(high)}")
    yield f"{number(row['got'])} {row['unit']}".strip()
    yield verdict(row)


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the text of the page: counts, and a line for each claim."""
    claims = sorted((row for row in rows if is_claim(row)), key=place)
    verdicts = [verdict(row) for row in claims]
    judged = [each for each in verdicts if each in ("met", "missed")]
    outside = sum(each.endswith("outside") for each in verdicts)
    others = len(claims) - len(judged)
    lines = [
        f"{len(judged)} of {len(claims)} claims judge, and {judged.count('met')} of those are met. "
        f"{others} are calibrated or estimates; {outside} of these are outside of their band.",
        "",
        "| | claim | document | band | here | verdict |",
        "|---|---|---|---|---|---|",
    ]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in claims]
    return "\n".join(lines) + "\n"


def page(_: Path) -> Documents:
    """Run the storage checks, and yield the page with the resulting table."""
    rows = [row.as_dict() for row in validate("storage")]
    yield below(PAGE, "storage-claims", f"\n{table(rows)}")
