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
from hmsim.reproduce.card import drives, machines, method, page, prac, standards
from hmsim.reproduce.card.content import COMMAND, Section
from hmsim.reproduce.card.method import FULL, Extent
from hmsim.reproduce.validate.row import Row

Progress = Callable[[str, float], None]


def sections(extent: Extent, jobs: int, report: Progress) -> list[Section]:
    """Run all parts of the card."""
    how = method.read("method.yaml")

    def part(name: str) -> Callable[[float], None]:
        return lambda done: report(name, done)

    points = machines.measure(how, extent, jobs, part("families of machines"))
    found = [machines.summary(how, points)]
    found += [
        machines.section(how, name, points) for name in dict.fromkeys(k.machine for k in points)
    ]
    longer = part("longer runs")
    found.append(machines.convergence(how, extent, points, jobs, longer))
    found.append(standards.section(how, extent, jobs, part("families of standards")))
    found.append(drives.section(method.read("drives.yaml"), extent, jobs, part("drives")))
    found.append(prac.section(how, extent, jobs, part("PRAC")))
    return found


def write(
    out: str | os.PathLike[str], extent: Extent, jobs: int, force: bool, report: Progress
) -> list[Row]:
    """Run the card; write the page and, beside it, the same numbers as JSON.

    Args:
        out: the page; the other file has the suffix ``.json``.
        extent: what to run.
        jobs: runs at a time.
        force: replace both files.
        report: called with a part's name and the share of it that is done.

    Returns the judged rows. Raises InputError if a file is refused.
    """
    started = time.perf_counter()
    other = Path(out).with_suffix(".json")
    with new_file(out, force) as html, new_file(other, force) as data:
        found = sections(extent, jobs, report)
        head: dict[str, Any] = {
            "hmsim": _core.version,
            "extent": extent.name,
            "method": "configs/anchors/method.yaml, configs/anchors/drives.yaml",
            "command": COMMAND + ("" if extent == FULL else " --small"),
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
