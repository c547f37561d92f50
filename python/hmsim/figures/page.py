# SPDX-License-Identifier: BSD-3-Clause
"""docs/results.md: every claim, the paper's number, ours, and the verdict."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hmsim.common.directories import new_file
from hmsim.figures import figures
from hmsim.figures.claims import CLAIMS, Claim
from hmsim.figures.misses import MISSES
from hmsim.figures.style import Made
from hmsim.figures.verdicts import NOT, REPRODUCED, TREND, Estimate, Finding, judge
from hmsim.running.run_directory import read_json

HEAD = """\
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Results: the paper's claims

This page gives a verdict on every number that the paper states about its results. It is written by

```
hmsim figure all --out docs/figures --report docs/results.md
```

Each figure names its own command, which redraws it alone; `--quick` does so in minutes from shorter
runs of one seed. [Methods](methods.md) describes machine, regimes, windows and bands,
[Assumptions](assumptions.md) the choices that the paper leaves open.

**Verdicts.** *Reproduced*: the direction is as claimed, and the number is within its band, if it
has one, with its whole interval. *Trend only*: the direction is as claimed, the number is not. *Not
reproduced*: neither. Intervals are those of the means over three seeds (95 % bootstrap).

## What holds, and what does not

- **A second queue is most of the gain** (R2, R3, R14). One queue costs DRAM what the NVDIMM's lines
  leave too few entries for ([A second queue, by lines in
  flight](#a-second-queue-by-lines-in-flight)). Two programs, dfsioe_r and dfsioe_w, make nearly all
  of the means over eight; all seven that read gain when they read from flash.
- **Programs read whole pages**, so buffer frames should hold pages (R8, R15, R17).
- **Proactive collection** shortens responses and costs no endurance (R19, R22). How much depends on
  how full victims are, which the paper does not state.
- **The harmonic weight** rarely decides anything (R12). Flash-bound traffic uses less than 4 % of
  the bus; the weight acts when buffered data keep the bus busy.
- **Page-aware scheduling** orders nothing when commands issue as soon as they arrive. With 4 to 16
  outstanding commands it gives 43 to 94 % of block I/O (R18). The paper must have had a limit.
- **Pre-eviction** is the one technique that adds to HMS, and for one program: dfsioe_w (R20b).

The paper's queue plots and its weight plots need two regimes: programs that read from flash, and
programs whose inputs are in the buffer. No single regime gives both.
"""


def record(name: str, made: Made) -> dict[str, Any]:
    """Return a figure's content on the page as JSON values."""
    return {
        "figure": name,
        "title": made.title,
        "caption": " ".join(made.caption.split()),
        "findings": [asdict(finding) for finding in made.findings],
    }


def finding_of(saved: Mapping[str, Any]) -> Finding:
    """Return a finding that `record` saved."""
    ours = None if saved["ours"] is None else Estimate(**saved["ours"])
    return Finding(saved["claim"], ours, saved["trend"], saved["text"])


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


def row(claim: Claim, finding: Finding | None) -> tuple[str, ...]:
    """Return a claim's line of the table."""
    paper = number(claim.paper, claim.unit)
    if claim.uncounted:
        return (claim.id, claim.place, claim.statement, paper, "–", "–", "not counted")
    if finding is None:
        return (claim.id, claim.place, claim.statement, paper, "not run", "–", "–")
    ours = number(finding.ours.mean, claim.unit) if finding.ours else "–"
    verdict = judge(finding, claim.band)
    return (claim.id, claim.place, claim.statement, paper, ours, interval(finding.ours), verdict)


def text(folder: Path, page: Path) -> str:
    """Return the page of the records that `hmsim figure` left in a folder."""
    records = {}
    for name in figures():
        path = folder / f"{name}.json"
        if path.is_file():
            records[name] = read_json(path)
    findings = {
        each["claim"]: finding_of(each)
        for content in records.values()
        for each in content["findings"]
    }
    verdicts = [judge(findings[c.id], c.band) for c in CLAIMS if c.id in findings]
    counts = [f"{verdicts.count(v)} {v}" for v in (REPRODUCED, TREND, NOT)]
    counts.append(f"{sum(1 for claim in CLAIMS if claim.uncounted)} not counted")
    parts = [HEAD, f"\n## Claims\n\n{', '.join(counts)}.\n\n"]
    columns = ("claim", "place", "what", "the paper", "hmsim", "interval", "verdict")
    parts.append(markdown(columns, [row(claim, findings.get(claim.id)) for claim in CLAIMS]))
    quick = [name for name, content in records.items() if content.get("quick")]
    if quick:
        parts.append(f"\nFrom quick runs (shorter, one seed): {', '.join(quick)}.\n")
    parts.append("\n## Figures\n")
    prefix = os.path.relpath(folder, page.parent)
    for name, content in records.items():
        parts.append(f"\n### {content['title']}\n\n{content['caption']}\n\n")
        parts.append(f"![{content['title']}]({prefix}/{name}.svg)\n\n")
        own = [paragraph(c, findings.get(c.id)) for c in CLAIMS if c.figure == name]
        parts.append("".join(own) + ("\n" if own else ""))
        parts.append(f"`hmsim figure {name}` writes [{name}.csv]({prefix}/{name}.csv).\n")
    return "".join(parts)


def write(folder: Path, page: Path) -> None:
    """Write the page."""
    with new_file(page, force=True) as scratch:
        scratch.write_text(text(folder, page), encoding="utf-8")


def paragraph(claim: Claim, finding: Finding | None) -> str:
    """Return a claim's paragraph: the measure, the finding, and the reason if it is missed."""
    verdict = row(claim, finding)[-1]
    if claim.uncounted:
        return f"- **{claim.id}, {verdict}.** {claim.uncounted}\n"
    band = "" if claim.band is None else f"; band {band_text(claim)}"
    parts = [f"- **{claim.id}, {verdict}.** Measured: {claim.how}{band}."]
    if finding is not None:
        parts.append(finding.text)
        parts.append("" if verdict == REPRODUCED else MISSES.get(claim.id, ""))
    return " ".join(part for part in parts if part) + "\n"


def band_text(claim: Claim) -> str:
    """Return a claim's band of tolerance."""
    low, high = claim.band or (math.nan, math.nan)
    if math.isinf(high):
        return f"from {number(low, claim.unit)}"
    return f"{number(low, '')} to {number(high, claim.unit)}"


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
