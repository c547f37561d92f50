# SPDX-License-Identifier: BSD-3-Clause
"""Results of the mutants: verdicts in a file of comma-separated values, and scores by room."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from random import Random

from tools.mutants.rewriting import Mutant
from tools.mutants.runner import Verdict

NORMAL = 1.96  # a normal variable is nearer to its mean, in deviations, with a probability of 95 %


def sample(mutants: Iterable[Mutant], of_each_room: int | None, seed: int) -> list[Mutant]:
    """Return ``of_each_room`` mutants of each room, drawn at random; None: all.

    Rooms alternate, so that an interrupted run has equally many of each room and is also a sample.
    A larger sample of the same seed begins with the smaller one.
    """
    drawn: list[tuple[int, Mutant]] = []
    by_room = groupby(sorted(mutants), key=lambda mutant: mutant.room)
    for room, own in ((room, list(group)) for room, group in by_room):
        Random(f"{room} {seed}").shuffle(own)
        drawn += enumerate(own[:of_each_room])
    return [mutant for _, mutant in sorted(drawn)]


def read(path: Path) -> dict[int, Verdict]:
    """Return the last verdict of each mutant."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = [
            Verdict(int(n), outcome, test, float(s)) for n, outcome, test, s in csv.reader(file)
        ]
    return {verdict.mutant: verdict for verdict in rows}


def write(path: Path, verdict: Verdict) -> None:
    """Append a verdict to the file, so that an interrupted run can continue."""
    with path.open("a", newline="") as file:
        row = [verdict.mutant, verdict.outcome, verdict.test, verdict.seconds]
        csv.writer(file).writerow(row)


def interval(killed: int, tried: int) -> tuple[float, float]:
    """Return the bounds of Wilson's interval of 95 % for a share."""
    share, square = killed / tried, NORMAL**2
    middle = (share + square / (2 * tried)) / (1 + square / tried)
    inside = share * (1 - share) / tried + square / (4 * tried**2)
    half = NORMAL * math.sqrt(inside) / (1 + square / tried)
    return middle - half, middle + half


def table(
    counts: Mapping[str, int], mutants: Mapping[int, Mutant], verdicts: Mapping[int, Verdict]
) -> Iterable[str]:
    """Yield a Markdown table with each room's mutants, those tried and killed, and the score.

    `counts` holds the number of mutants of each room; `mutants` may be a part of them.
    """
    yield "| room | mutants | tried | killed | survived | not reached | score | 95 % interval |"
    yield "|---|---|---|---|---|---|---|---|"
    for room in [*sorted({mutant.room for mutant in mutants.values()}), "all"]:
        own = {n for n, mutant in mutants.items() if room in (mutant.room, "all")}
        tried = [verdict for n, verdict in verdicts.items() if n in own]
        if not tried:
            continue
        killed = sum(verdict.killed for verdict in tried)
        unreached = sum(verdict.outcome == "unreached" for verdict in tried)
        low, high = interval(killed, len(tried))
        found = sum(count for each, count in counts.items() if room in (each, "all"))
        numbers = [found, len(tried), killed, len(tried) - killed - unreached, unreached]
        score = f"{killed / len(tried):.1%}".replace("%", " %")
        cells = [room, *map(str, numbers), score, f"{low:.1%} to {high:.1%}".replace("%", " %")]
        yield f"| {' | '.join(cells)} |"
