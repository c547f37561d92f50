# SPDX-License-Identifier: BSD-3-Clause
"""docs/results.md: every claim, the paper's number, ours, and the verdict."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

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
READINGS_HEAD = (
    "If the paper's words allow several machines, a reading changes only these keys. Readings "
    "marked *against the words* have no say in a verdict; [Assumptions](assumptions.md) gives the "
    "reasons."
)
HEAD = """\
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Results: the paper's claims

After this page you know which of the paper's numbers hmsim finds, in which direction, in which
size, and under which condition. It is written by

```
hmsim figure all --readings --out docs/figures --report docs/results.md
```

`hmsim figure NAME...` redraws some figures, and `--quick` does so in minutes from shorter runs of
one seed. [Methods](methods.md) describes machine, windows and bands, [Assumptions](assumptions.md)
the choices that the paper leaves open.
"""
IN_A_MINUTE = """
## In a minute

- **Does a second queue help, and when?** (R2) Only beside a program that fills the one queue, and
  then by factors: mcf is 12 times as fast beside dfsioe_w, whose stores do not wait, and as fast as
  before beside the seven other programs. A core that copies holds ten loads, so three of them hold
  30 of 128 entries. A copy engine lets dfsioe_r fill the queue, too ([A second queue, by lines in
  flight](#a-second-queue-by-lines-in-flight)). If a full queue keeps mcf waiting for the share f of
  its time, a second queue gains f / (1 - f).
- **Harmonic scheduling** gains nothing over the four baselines (R10: -0.5 %; the paper: 13 %). Its
  **weight** decides little (R12): flash delivers at most 3.6 % of what the bus could carry.
- **Page-aware scheduling** changes neither hit ratios nor rates (R16, R18): commands issue as soon
  as they arrive, and a driver's command is a whole page, so little order is left to choose. An
  NVDIMM that answers in order changes nothing. With four or five commands outstanding, block I/O
  gains 83 to 86 % if the scheduler switches pages at thrash, our default. By the paper's rule, at
  any miss, four give 82 to 96 % and five 1 to 5 %: a knife-edge. With 32, two programs gain, only
  with buffers of 4 MiB, and with 33 they lose ([Where policies
  pay](where-policies-pay.md#page-aware-scheduling)).
- **Proactive collection** needs idle chips (R19, R22). With random reads and writes in order,
  responses during collections are 56 % shorter, for 48 erases instead of 47. dfsioe_w keeps every
  chip busy, and nothing changes.
- **All techniques** gain 7 % over FIRM (R20a; the paper: 27 %), and 0.5 % over harmonic scheduling
  alone (R20b). If 5 % of the write part is kept free, against the paper's words, the latter is
  14 %, nearly all from one program.

**Another machine**, the nearest of ten that the last figure tries with one seed: a copy engine, and
half of each program's data in flash. R10 is 12 % there, R20a 22 % and R3b 42 % (51), nearer to the
paper; R2a is 39 % (92) and R3a 33 % (69), farther away. The median program gains, too. On cores
that copy, the share of data in flash changes nothing ([Claims by the share of data in the
buffer](#claims-by-the-share-of-data-in-the-buffer)).

The paper's queue plots and its weight plots need two regimes: programs that read from flash, and
programs whose inputs are in the buffer. No single regime gives both.
"""
CONTRADICTIONS = """
## What hardly holds together

Arithmetic on the paper's own numbers, whatever the machine:

- **R15 and R17a exclude each other** if each item that misses takes a flash read of its own. If
  page frames hit 10.88 times as often as item frames, item frames hit at most 9.2 % of accesses. Of
  a block's 64 lines, 58 or more then read the same flash page one after the other, 50 us each:
  2.9 ms, not 158 us. If misses share a read, they count as hits here.
- **R12a can hardly come from dfsioe_r's own lines.** Eight LUNs deliver a page each 70.8 us, so
  flash fills at most 3.6 % of the bus, which is all that a weight could give or take. It could act
  through the other program.
- **R21 with R20a leaves little room.** With a mean of 27 %, a best program of 35 % and a least one
  of 10 %, the other six gain 28.5 % on average, nearly alike, while Fig. 8a has the queue full for
  more than 80 % of the time with dfsioe_r and less than 5 % with sort.
- R1 is the time of a product, quoted as context. R3c compares with FIRM, which is known from its
  abstract.
"""
VERDICTS = """
*Direction* compares signs and orders: an effect below 0.5 % is none, and an order or a level that a
claim names may not hold, such as a gain with each of two loads.
*Here* is the default system, with the 95 % interval over three seeds. *Condition* says under which
the paper's size holds, and whether it is given in the paper, was assumed before, contradicts the
paper's words, or was fitted to this claim; a fitted condition reproduces nothing. *Readings* counts
those under which the claim is reproduced: it has the direction, the whole interval is in the band,
and of claims about the programs the median program has the direction, too. A claim is *reproduced*
if that holds under each reading that the paper's words leave open, *depends on the reading* if
under some. *Checked by construction* marks claims that cannot fail. Intervals are bootstrapped over
seeds; *-* in R2e means that R2c is no gain with every seed.
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
    records = {}
    for name in figures():
        path = folder / f"{name}.json"
        if path.is_file():
            records[name] = read_json(path)
    found = {name: each for content in records.values() for name, each in found_in(content).items()}
    rows = {claim.id: row(claim, found.get(claim.id)) for claim in CLAIMS}
    parts = [HEAD, IN_A_MINUTE, f"\n## Claims\n\n{counts(list(rows.values()))}\n{VERDICTS}"]
    for group, targets in GROUPS.items():
        own = [rows[claim.id] for claim in CLAIMS if claim.target in targets]
        parts.append(f"\n### {group}\n\n{markdown(COLUMNS, own)}")
    quick = [name for name, content in records.items() if content.get("quick")]
    if quick:
        parts.append(f"\nFrom quick runs (shorter, one seed): {', '.join(quick)}.\n")
    parts.append(CONTRADICTIONS)
    parts.append(f"\n## Readings\n\n{READINGS_HEAD}\n\n")
    parts.append(markdown(("group", "reading", "the paper's words", "keys"), reading_rows()))
    parts.append("\nClaims under each reading; *–* marks those that it does not concern:\n\n")
    parts.append(markdown(*by_reading(found)))
    parts.append("\n## How each claim is measured\n\n")
    parts.append(markdown(MEASURES, [measure(claim) for claim in CLAIMS]))
    parts.append("\n## Figures\n")
    prefix = os.path.relpath(folder, page.parent)
    for name, content in records.items():
        parts.append(f"\n### {content['title']}\n\n{content['caption']}\n\n")
        parts.append(f"![{content['title']}]({prefix}/{name}.svg)\n\n")
        if error := window_error(folder / f"{name}.csv"):
            parts.append(f"{error} ")
        parts.append(f"By program, machine and reading: [{name}.csv]({prefix}/{name}.csv).\n")
    return "".join(parts)


def by_reading(found: Mapping[str, Found]) -> tuple[list[str], list[list[str]]]:
    """Return the columns and rows of a table of numbers by claim and reading."""
    names = [each.name for each in READINGS if not each.default]
    rows = []
    for claim in CLAIMS:
        own = found.get(claim.id)
        if own and any(name in own.findings for name in names):
            cells = [own.findings.get(name) for name in (DEFAULT, *names)]
            rows.append([claim.id, *(_ours(each, claim) for each in cells)])
    return ["claim", DEFAULT, *names], rows


def _ours(finding: Finding | None, claim: Claim) -> str:
    return number(finding.ours.mean, claim.unit) if finding and finding.ours else "–"


def reading_rows() -> list[tuple[str, ...]]:
    """Return a line of the table of readings for each."""
    return [
        (
            *(each.group, each.name + (" (against the words)" if each.decided else ""), each.words),
            ", ".join(f"`{name}={value}`" for name, value in each.settings.items()) or DEFAULT,
        )
        for each in READINGS
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
        f"In {same} of {len(counted)} claims that can fail, the direction is as claimed. By the "
        f"strict count, of size and direction under every reading: {', '.join(parts)}."
    )


def write(folder: Path, page: Path) -> None:
    """Write the page."""
    with new_file(page, force=True) as scratch:
        scratch.write_text(text(folder, page), encoding="utf-8")


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
