# SPDX-License-Identifier: BSD-3-Clause
"""Writers of the generated pages and pictures in docs/: tools/pages.

A writer is a function of this package that takes the folder of --data and yields paths and their
contents.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
Documents = Iterator[tuple[Path, str]]


class Writer(NamedTuple):
    """Page writer that `tools/pages NAME` runs.

    Attributes:
        place: module and function.
        writes: the files, or where the printed tables belong.
        minutes: on two idle processors; 0: less than half a minute.
        needs: requirements besides this tree and hmsim.
        checked: whether --check compares its files by default.
    """

    place: str
    writes: str
    minutes: float = 0
    needs: str = ""
    checked: bool = False

    def documents(self, data: Path) -> Documents:
        """Yield each file and what it should hold."""
        module, _, function = self.place.partition(".")
        found: Documents = getattr(import_module(f"pages.{module}"), function)(data)
        yield from found


EXTRA = "the extra 'figures'"
DATA = "--data: cputraces/ of Ramulator, block/ of MQSim (both MIT licence)"
WRITERS = {
    "parameters": Writer("reference.parameters", "docs/parameters.md", checked=True),
    "statistics": Writer("reference.statistics", "docs/statistics.md", checked=True),
    "results": Writer("commands.results", "docs/results.md, of docs/figures/*.json", checked=True),
    "demonstration": Writer("printed.demonstration", "docs/demonstration.md, README.md"),
    "guide": Writer("printed.guide", "docs/policy-guide.md"),
    "figures": Writer("commands.figures", "docs/figures, docs/results.md", 55, EXTRA),
    "validation": Writer("commands.validation", "docs/trust.md", 3, "hmsim with dramsim3=1"),
    "storage": Writer("draw_storage.pictures", "docs/figures/storage-*", 0.5, EXTRA),
    "amplification": Writer("amplification_table.page", "docs/trust.md", 0.5),
    "order": Writer("draw_gains.order", "docs/page-order.svg", 10, EXTRA),
    "load": Writer("draw_gains.policies", "docs/policies-by-load.svg", 5, EXTRA),
    "report": Writer("draw_report.page", "docs/report.svg", 0.2, f"chromium, {EXTRA}"),
    "policies": Writer("policy_table.page", "docs/policy-comparison.csv, .svg", 10, DATA),
    "collection": Writer("gc_table.page", "docs/garbage-collection.md", 1, DATA),
    "hbf": Writer("draw_hbf.pictures", "docs/hbf-*.svg", 4, EXTRA),
    "gallery": Writer("notebooks.pictures", "docs/gallery/*.svg", 1, f"{EXTRA}, 'notebooks'"),
    "costs": Writer("scheduler_costs.page", "docs/schedulers.md", 5, "valgrind, scons bench"),
}


def below(page: Path, name: str, body: str) -> tuple[Path, str]:
    """Return a page whose part between the two marks of a writer is `body`.

    Without the second mark, the part ends with the page.
    """
    mark = f"<!-- tools/pages {name} writes all that follows. -->\n"
    end = f"<!-- The part of tools/pages {name} ends. -->\n"
    head, found, rest = page.read_text(encoding="utf-8").partition(mark)
    if not found:
        raise ValueError(f"{page.name}: the line {mark.strip()} is missing")
    _, kept, tail = rest.partition(end)
    return page, head + mark + body + (f"\n{end}{tail}" if kept else "")
