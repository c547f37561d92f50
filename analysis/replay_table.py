#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of docs/block-replay.md: programs, and replays of their traces elsewhere.

analysis/replay_table.py
"""

from __future__ import annotations

from pathlib import Path

from hmsim.validate import replay

PAGE = Path(__file__).resolve().parent.parent / "docs" / "block-replay.md"
MARK = "<!-- Tables: analysis/replay_table.py writes all that follows. -->\n"
WAYS = {
    "inferred": "`inferred`",
    "timed": "`timed`",
    "closed": "`closed`",
    "single": "latest completion",
    "random": "random parents",
}


def table(what: str, found: list[replay.Outcome]) -> list[str]:
    """Return a table of quotients: a row a program and way, a column a device."""
    lines = [
        "",
        f"## {what.capitalize()}",
        "",
        "| program | replay | " + " | ".join(f"x {factor:g}" for factor in replay.FACTORS) + " |",
        "|---|---|" + "---:|" * len(replay.FACTORS),
    ]
    field = "makespan" if what == "makespan" else "tail"
    for program in dict.fromkeys(each.program for each in found):
        for way, title in WAYS.items():
            cells = [
                f"{getattr(each, field):.3f}"
                for each in found
                if each.program == program and each.way == way
            ]
            lines.append(f"| {program} | {title} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Run everything and write the page."""
    found = [*replay.outcomes({**replay.PROGRAMS, **replay.HELD_OUT})]
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    lines = [*table("makespan", found), *table("99th percentile of response times", found)]
    PAGE.write_text(head + MARK + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
