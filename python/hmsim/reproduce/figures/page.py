# SPDX-License-Identifier: BSD-3-Clause
"""docs/results.md: every claim, the paper's number, ours, and the verdict."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

from hmsim.common.directories import new_file
from hmsim.reproduce.figures import figures
from hmsim.reproduce.figures.claims import CLAIMS, Claim
from hmsim.reproduce.figures.misses import MISSES
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
    least_effect,
)
from hmsim.reproduce.figures.window_error import window_error
from hmsim.reproduce.figures.wrong_models import WRONG
from hmsim.runs.directory import read_json

UNCOUNTED, UNRUN = "not counted", "not run"
COLUMNS = (
    *("claim", "place", "what", "the paper", "hmsim", "interval", "median program"),
    *("readings", "verdict"),
)
READINGS_HEAD = (
    "If the paper's words allow several machines, a reading changes only these keys. Readings "
    "marked *against the words* are listed with a claim but do not enter its verdict; "
    "[Assumptions](assumptions.md) gives the reasons."
)
HEAD = """\
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Results: the paper's claims

This page gives a verdict on every number that the paper states about its results. It is written by

```
hmsim figure all --readings --out docs/figures --report docs/results.md
```

Each figure names its own command, which redraws it alone; `--quick` does so in minutes from shorter
runs of one seed. [Methods](methods.md) describes machine, regimes, windows and bands,
[Assumptions](assumptions.md) the choices that the paper leaves open.

**Verdicts.** *Reproduced*: the direction is as claimed, the number is within its band, if it has
one, with its whole interval, and the interval excludes no effect. If the claim is about the
programs, the median program has the claimed direction, too. All of this holds under each reading of
the paper's words that matters for the claim. *Depends on the reading*: it holds under some of them.
*Not reproduced*: it holds under none. *Checked by construction*: the claim cannot fail, so it does
not count. *Readings not run*: the other readings were not run. Intervals are those of the means
over three seeds (95 % bootstrap). Each claim names a [wrong model](methods.md#wrong-models) with
which it fails.

## What holds, and what does not

- **A second queue is most of the gain** (R2, R3, R14). With one queue, DRAM slows down as soon as
  NVDIMM lines leave it too few entries ([A second queue, by lines in
  flight](#a-second-queue-by-lines-in-flight)). The gains of the means over eight programs come from
  two of them, dfsioe_r and dfsioe_w. The median program gains nothing, so none of these claims is
  reproduced.
- **Programs read whole pages** (R8). Frames of lines hit as often as frames of pages when items of
  a page share a flash read (R15). They double the response time with 32 outstanding commands, and
  change nothing without a limit (R17c).
- **Proactive collection** shortens responses by 62 to 92 % and costs up to 6.8 % more erases (R19,
  R22). The effect depends on how full victims are, which the paper does not state.
- **The harmonic weight** rarely decides anything (R12). Flash-bound traffic uses less than 4 % of
  the bus; the weight acts when buffered data keep the bus busy.
- **Page-aware scheduling** orders nothing when commands issue as soon as they arrive. At the limits
  of R18, which divide the 64 lines of a page, it gains 43 to 94 % in block I/O, and 9 to 15 % in
  the programs' IPC. The paper has 12 and 15 %. With copies of 64 lines it gains nothing at the
  limits between ([Where policies pay](where-policies-pay.md#page-aware-scheduling)).
- **Over HMS alone**, all techniques together speed up one program: dfsioe_r by 63 %, by page-aware
  scheduling (R20b). Pre-eviction speeds up dfsioe_w only if a part of the buffer is kept free,
  which the paper does not state.
- **The limit of outstanding commands** decides more than any other reading: it changes nearly
  every number of mixes and of block I/O.

The paper's queue plots and its weight plots need two regimes: programs that read from flash, and
programs whose inputs are in the buffer. No single regime gives both.
"""


def number(value: float | None, unit: str) -> str:
    """Return a number as text, with few digits and its unit."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    value = 0.0 if abs(value) < 0.005 else value
    short = {"% of time": "%", "% of visits": "%", "points": "points"}.get(unit, unit)
    text = f"{value:.0f}" if float(value).is_integer() else f"{value:.{digits}f}"
    return f"{text} {short}".strip()


def interval(ours: Estimate | None) -> str:
    """Return the interval of a mean as text, or a dash if the interval is empty."""
    if ours is None or not math.isfinite(ours.mean) or ours.low == ours.high:
        return "–"
    return f"{number(ours.low, '')} to {number(ours.high, '')}"


def row(claim: Claim, found: Found | None) -> tuple[str, ...]:
    """Return a claim's line of the table."""
    head = (claim.id, claim.place, claim.statement, number(claim.paper, claim.unit))
    if claim.uncounted:
        return (*head, "–", "–", "–", "–", UNCOUNTED)
    if found is None:
        return (*head, UNRUN, "–", "–", "–", "–")
    ours = found.default.ours
    return (
        *head,
        number(ours.mean, claim.unit) if ours else "–",
        interval(ours),
        number(found.default.median.mean, claim.unit) if found.default.median else "–",
        found.held(),
        found.verdict(),
    )


def text(folder: Path, page: Path) -> str:
    """Return the page of the records that `hmsim figure` left in a folder."""
    records = {}
    for name in figures():
        path = folder / f"{name}.json"
        if path.is_file():
            records[name] = read_json(path)
    found = {name: each for content in records.values() for name, each in found_in(content).items()}
    rows = [row(claim, found.get(claim.id)) for claim in CLAIMS]
    parts = [HEAD, f"\n## Claims\n\n{counts([each[-1] for each in rows])}.\n\n"]
    parts.append(markdown(COLUMNS, rows))
    quick = [name for name, content in records.items() if content.get("quick")]
    if quick:
        parts.append(f"\nFrom quick runs (shorter, one seed): {', '.join(quick)}.\n")
    parts.append(f"\n## Readings\n\n{READINGS_HEAD}\n\n")
    parts.append(markdown(("group", "reading", "the paper's words", "keys"), reading_rows()))
    parts.append("\n## Figures\n")
    prefix = os.path.relpath(folder, page.parent)
    for name, content in records.items():
        parts.append(f"\n### {content['title']}\n\n{content['caption']}\n\n")
        parts.append(f"![{content['title']}]({prefix}/{name}.svg)\n\n")
        own = [paragraph(c, found.get(c.id)) for c in CLAIMS if c.figure == name]
        parts.append("".join(own) + ("\n" if own else ""))
        if error := window_error(folder / f"{name}.csv"):
            parts.append(f"{error}\n\n")
        parts.append(f"`hmsim figure {name}` writes [{name}.csv]({prefix}/{name}.csv).\n")
    return "".join(parts)


def reading_rows() -> list[tuple[str, ...]]:
    """Return a line of the table of readings for each."""
    return [
        (
            *(each.group, each.name + (" (against the words)" if each.decided else ""), each.words),
            ", ".join(f"`{name}={value}`" for name, value in each.settings.items()) or DEFAULT,
        )
        for each in READINGS
    ]


def counts(verdicts: Sequence[str]) -> str:
    """Return how many claims have each verdict; those that no claim has, beside the first two."""
    always = (REPRODUCED, NOT)
    parts = [
        f"{verdicts.count(verdict)} {verdict}"
        for verdict in (REPRODUCED, NOT, DEPENDS, UNREAD, CONSTRUCTED)
        if verdict in always or verdict in verdicts
    ]
    return ", ".join([*parts, f"{verdicts.count(UNCOUNTED)} {UNCOUNTED}"])


def write(folder: Path, page: Path) -> None:
    """Write the page."""
    with new_file(page, force=True) as scratch:
        scratch.write_text(text(folder, page), encoding="utf-8")


def paragraph(claim: Claim, found: Found | None) -> str:
    """Return a claim's paragraph: measure, finding, wrong model, and the reason if it is missed."""
    verdict = row(claim, found)[-1]
    if claim.uncounted:
        return f"- **{claim.id}, {verdict}.** {claim.uncounted}\n"
    parts = [f"- **{claim.id}, {verdict}.** Measured: {'; '.join(form(claim))}."]
    if found is not None:
        parts.append(found.default.text)
        parts.append(found.by_reading())
        held = verdict in (REPRODUCED, CONSTRUCTED)
        parts.append("" if held else MISSES.get(claim.id, ""))
    if claim.constructed:
        parts.append(claim.constructed)
    else:
        parts.append(f"Wrong model: {WRONG[claim.id].what}.")
    return " ".join(part for part in parts if part) + "\n"


def form(claim: Claim) -> list[str]:
    """Return what a claim's verdict asks for, beside the direction."""
    parts = [claim.how]
    if claim.band is not None:
        parts.append(f"band {band_text(claim)}")
    low, high = claim.band or (-math.inf, math.inf)
    if claim.no_effect is not None and low <= claim.no_effect <= high:
        parts.append(f"whole interval beyond {number(least_effect(claim), claim.unit)}")
    if claim.programs:
        parts.append("the median program in the same direction")
    return parts


def band_text(claim: Claim) -> str:
    """Return a claim's band of tolerance."""
    low, high = claim.band or (math.nan, math.nan)
    if math.isinf(high):
        return f"from {number(low, claim.unit)}"
    return f"{number(low, '')} to {number(high, claim.unit)}"


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
