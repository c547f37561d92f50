# SPDX-License-Identifier: BSD-3-Clause
"""The whole card: runs its parts and writes the page and the JSON file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hmsim import _core
from hmsim.common.directories import new_file
from hmsim.reproduce.card import drives, machines, page, prac, standards
from hmsim.reproduce.card.content import Section
from hmsim.reproduce.card.method import FULL, Extent
from hmsim.reproduce.card.subject import BY_NAME, Subject
from hmsim.reproduce.validate.row import Row

Progress = Callable[[str, float], None]
Slow = Callable[[str, Extent, int, Callable[[float], None]], Section]


def sections(
    subject: Subject, extent: Extent, jobs: int, report: Progress, slow: Slow
) -> list[Section]:
    """Run the parts that a card has; ``slow`` runs one of BY_NAME, as `hmsim.fits.slow` does."""
    how = subject.method

    def part(name: str) -> Callable[[float], None]:
        return lambda done: report(name, done)

    found: list[Section] = []
    if subject.has("machines"):
        points = machines.measure(how, extent, jobs, part("families of machines"))
        found.append(machines.summary(how, points))
        names = dict.fromkeys(key.machine for key in points)
        found += [machines.section(how, name, points) for name in names]
        longer = part("longer runs")
        found.append(machines.convergence(how, extent, points, jobs, longer))
    if subject.has("standards"):
        found.append(standards.section(how, extent, jobs, part("families of standards")))
    if subject.has("drives"):
        found.append(drives.section(subject.drives, extent, jobs, part("drives")))
    if subject.has("prac"):
        found.append(prac.section(how, extent, jobs, part("PRAC")))
    found += [slow(name, extent, jobs, part(name)) for name in filter(subject.has, BY_NAME)]
    return found


def write(
    out: str | os.PathLike[str],
    subject: Subject,
    extent: Extent,
    jobs: int,
    force: bool,
    report: Progress,
    slow: Slow,
) -> list[Row]:
    """Run the card; write the page and, beside it, the same numbers as JSON.

    Args:
        out: the page; the other file has the suffix ``.json``.
        subject: what to compare with.
        extent: how much to run.
        jobs: runs at a time.
        force: replace both files.
        report: called with a part's name and the share of it that is done.
        slow: runs one of BY_NAME.

    Returns the judged rows. Raises InputError if a file is refused.
    """
    started = time.perf_counter()
    words = ["hmsim validate card", *([subject.name] * bool(subject.name)), "--out", Path(out).name]
    words += ["--small"] * (extent != FULL)
    other = Path(out).with_suffix(".json")
    with new_file(out, force) as html, new_file(other, force) as data:
        found = sections(subject, extent, jobs, report, slow)
        head: dict[str, Any] = {
            "hmsim": _core.version,
            "extent": extent.name,
            "method": subject.file or "configs/anchors",
            "command": " ".join(words),
            "seconds": round(time.perf_counter() - started, 1),
            "jobs": jobs,
        }
        whole = {**head, "sections": [section.as_dict() for section in found]}
        data.write_text(json.dumps(_finite(whole), indent=1) + "\n", encoding="utf-8")
        html.write_text(page.card(found, head), encoding="utf-8")
    return [row for section in found for row in section.rows]


def _finite(value: Any) -> Any:
    """Return a value for JSON, with null for each number that is not one."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and value != value else value
