# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown whose columns but the first are aligned to the right."""
    head = f"| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}\n"
    return head + "".join(f"| {' | '.join(cells)} |\n" for cells in rows)
