# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the documentation, and the paper's Table IV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

# Each partner's capture, the paper's program, and its reads and writes per 1000 instructions.
TABLE_IV = {
    "mcf": ("mcf_like", "429.mcf", 40.58, 15.42),
    "lbm": ("lbm_like", "470.lbm", 22.68, 13.28),
    "milc": ("milc_like", "433.milc", 1.82, 1.44),
}


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown whose columns but the first are aligned to the right."""
    head = f"| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}\n"
    return head + "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def row(*cells: object) -> None:
    """Print a row of a table in Markdown."""
    texts = [f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in cells]
    print("| " + " | ".join(texts) + " |", flush=True)


def head(*cells: str) -> None:
    """Print the head of a table."""
    print()
    row(*cells)
    row(*("---" for _ in cells))


def percent(share: float) -> str:
    """Return a share as formatted in tables."""
    return f"{100 * share:.1f} %"
