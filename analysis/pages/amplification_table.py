# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/trust.md: write amplification by size and fill of flash pages."""

from __future__ import annotations

from pathlib import Path

from hmsim._core import untimed_amplification

from pages import DOCS, Documents, below
from pages.tables import table

OVER_PROVISIONING = (7, 10, 15, 20, 28, 40, 60)
# Label, parts of a flash page, mode of partial writes.
ROWS = (
    ("4 KiB", 1, "combine"),
    ("8 KiB, combine", 2, "combine"),
    ("8 KiB, merge", 2, "merge"),
    ("8 KiB, pad", 2, "pad"),
    ("16 KiB, combine", 4, "combine"),
    ("16 KiB, merge", 4, "merge"),
    ("16 KiB, pad", 4, "pad"),
)
BLOCKS, PAGES = 512, 64


def _row(label: str, parts: int, mode: str) -> list[str]:
    values = (
        untimed_amplification(
            *("greedy", [], BLOCKS, PAGES, spare, 2, 1, 1), parts=parts, partial_writes=mode
        )
        for spare in OVER_PROVISIONING
    )
    return [label, *(f"{value:.2f}" for value in values)]


def page(_: Path) -> Documents:
    """Greedy victims, one LUN, one open block, uniform overwrites of 4 KiB."""
    columns = ["flash page, partial writes", *(f"{spare} %" for spare in OVER_PROVISIONING)]
    body = f"\n{table(columns, (_row(*each) for each in ROWS))}"
    yield below(DOCS / "trust.md", "amplification", body)
