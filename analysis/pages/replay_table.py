# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/block-replay.md: programs, and replays of their traces elsewhere."""

from __future__ import annotations

from pathlib import Path

from hmsim.validate import replay

from pages import DOCS, Documents, below

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


def page(_: Path) -> Documents:
    """Run everything and yield the page."""
    found = [*replay.outcomes({**replay.PROGRAMS, **replay.HELD_OUT})]
    lines = [*table("makespan", found), *table("99th percentile of response times", found)]
    yield below(DOCS / "block-replay.md", "replay", "\n".join(lines) + "\n")
