# SPDX-License-Identifier: BSD-3-Clause
"""docs/reproduction.md: every claim, the paper's number, ours, and the verdict."""

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
from hmsim.figures.style import Made
from hmsim.figures.verdicts import NOT, REPRODUCED, TREND, Estimate, Finding, judge
from hmsim.running.run_directory import read_json

HEAD = """\
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Reproduction of the paper

Every number that the paper states about its results, beside ours. This page and its figures are
written by

```
hmsim figure all --out docs/figures --report docs/reproduction.md
```

and `hmsim figure all --quick` draws them in some minutes from shorter runs of one seed. [What
changed in the figures, and why they miss](reproduction-changes.md) has what changed since the last
count, and an experiment behind each miss. Nothing was tuned: bands of tolerance were set before
the runs, and are wide since our traces are not the paper's. Four choices came after the first
runs. Three make verdicts stricter: the band of R1, which had none, that a whole interval must lie
in its band, and that the ratio of R2e is taken seed by seed. The fourth is how windows are drawn
(*A run*, below): at first they began at three fixed places, most of them without any block
request, so that one program made nearly all of a mean over the programs.

**Verdicts.** *Reproduced*: direction as claimed, and the number within its band where it has one,
with its whole interval. *Trend only*: the direction is as claimed, the number is not. *Not
reproduced*: neither. Intervals are those of the means over three seeds (95 % bootstrap); each seed
has windows and a partner of its own. Programs are not drawn. Where there is one seed there is no
interval.

## What is compared

- **Programs that wait**: each of the paper's eight as a [job](jobs.md), all threads of its
  [capture with causes](full-system-capture.md#causes), four tasks among them, on cores 1 to 3,
  where they compute, read, write and wait as they did, beside mcf, lbm or milc on core 0. IPC of a
  program is the instructions of its threads over time, waiting counted. They are real programs at
  laptop scale, not the paper's ([Programs](programs.md), [The paper's mixes](workloads.md)):
  inputs are 1.3 to 5 times smaller in pages, samples and lines, those of dfsioe 23 times in bytes,
  of all of which windows are run; SPEC's three are programs of the same kind with the rates of
  Table IV. Cores run each program at the base CPI that it has in gem5, in front of a memory that
  answers at once ([Base CPI](gem5.md#base-cpi)).
- **Machine**: a copy engine (`frontend.node.machine: dma`), for every claim about mixes. The
  paper's plots of its queue have more than 104 of 128 entries held by reads of the NVDIMM: three
  cores that copy, with ten or sixteen lines in flight each, cannot hold so many
  ([Programs that wait, technique by technique](waiting-programs.md)). Cores that copy are
  sensitivity, and named so. R4 and R5a, which that machine was chosen for, say that an engine
  suffices, not that the paper had one.
- **State of the buffer**, by what the paper's inputs are to its buffer of 400 MB: dfsioe's, of
  25 GB, comes from flash, and its writes meet a buffer full of dirty data; the other six programs
  read what had just been written through the buffer (`nvdimm.precondition.buffer: resident`). The
  other state is sensitivity.
- **A run** is one pass over a window of 40 million instructions of the capture, the same under
  every policy: its tasks took turns of four million on the processor that was captured. Three
  windows stand for a capture, one of those without I/O (some have none), and one of each half of
  the others by how many lines of the NVDIMM they have; each counts by its share of the program's
  work, and in time by how long it took. What a window leaves waiting is not carried into the next.
  A run ends after 100 ms whatever was done.
- **HMS** is `paper_hms`: tables, the oldest first within a class, as the paper says it evaluated;
  with all techniques, the same beneath them. `hms` and `all`, which compare the equations' rates
  themselves, stand beside.
- **System**: `configs/mascots16.yaml`, one channel, 400 MiB buffers, unless a figure says
  otherwise. Fig. 16 to 19 are block I/O alone, as fast as it is served: no program waits in them.
- **Online** is not counted (R2b, R2d, R11): the captures know no shuffle that would couple nodes.

Machine, states, windows and HMS were written down before any run of them.

- **Writes**: whether DRAM writes are drained in batches or mix with reads is worth 16 % of mcf's
  IPC by itself ([Schedulers for two classes](schedulers.md)), so each comparison holds it equal.
  FIRM and NVM Duet set the direction themselves, and drain. Claims over them or over the four
  baselines (Fig. 5, 15, 20, the weight) are therefore decided with every other scheme drained: a
  batch begins at 96 of 128 entries, or when no read waits, and ends at 32 (`controller.drain_high`
  and `drain_low`, 3/4 and 1/4 of a queue, assumed). What mixed writes give stands beside it, and
  decides nothing. This was written down before any run of it. Where nobody sets the direction
  (Table II, Fig. 7, 8, 16 to 19) writes mix, as in DRAMSim2, which the paper used.
- **Gains** are IPC over IPC of the same mix, less one, and means are over the eight programs: one
  program that gains 400 % lifts them by 50. The figures show each.
"""


def record(name: str, made: Made) -> dict[str, Any]:
    """Return what the page says about a figure, as JSON can hold it."""
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
    """Return a number as a reader wants it."""
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
    """Return the interval of a number, where it is one."""
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


def write(folder: Path, page: Path) -> None:
    """Write the page from the records that `hmsim figure` left in a folder."""
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
        for each in content["findings"]:
            claim = next(c for c in CLAIMS if c.id == each["claim"])
            verdict = judge(finding_of(each), claim.band)
            band = "" if claim.band is None else f" (band {band_text(claim)})"
            parts.append(
                f"- **{claim.id}, {verdict}.** {claim.statement}: {claim.how}{band}. "
                f"{each['text']}\n"
            )
        parts.append(f"\nNumbers: [{name}.csv]({prefix}/{name}.csv)\n")
    with new_file(page, force=True) as scratch:
        scratch.write_text("".join(parts), encoding="utf-8")


def band_text(claim: Claim) -> str:
    """Return a claim's band of tolerance."""
    low, high = claim.band or (math.nan, math.nan)
    if math.isinf(high):
        return f"from {number(low, claim.unit)}"
    return f"{number(low, '')} to {number(high, claim.unit)}"


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
