# SPDX-License-Identifier: BSD-3-Clause
"""Requests that arrive: a Poisson process, or a trace."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from hmsim import InputError
from hmsim.common.directories import open_regular

SECOND = 10**12  # picoseconds
LONGEST = 10**6 * SECOND  # to an arrival
MOST = 10**7  # tokens of a prompt or an answer, and conversations
COLUMNS = ("arrival_s", "conversation", "prompt", "output")


class Arrival(NamedTuple):
    """A request. Its prompt begins with the whole conversation before it."""

    time: int  #: picoseconds
    conversation: int
    prompt: int  #: new tokens
    output: int


def poisson(
    rate: float, requests: int, conversations: int, prompt: int, output: int, seed: int
) -> Iterator[Arrival]:
    """Yield requests of random conversations; lengths are uniform in 0.5 to 1.5 of their means.

    A conversation rests while a quarter of the others have a request, as its user reads.
    """
    random = Random(seed)
    time = 0.0
    ready = list(range(conversations))
    resting: deque[int] = deque()
    for _ in range(requests):
        time += random.expovariate(rate)
        lengths = (
            max(1, random.randint(mean - mean // 2, mean + mean // 2)) for mean in (prompt, output)
        )
        conversation = ready.pop(random.randrange(len(ready)))
        resting.append(conversation)
        if len(resting) > conversations // 4:
            ready.append(resting.popleft())
        yield Arrival(round(time * SECOND), conversation, *lengths)


def read_trace(path: Path) -> list[Arrival]:
    """Read a CSV file with the header ``arrival_s,conversation,prompt,output``, sorted by time."""
    arrivals: list[Arrival] = []
    try:
        with open_regular(path) as content, io.TextIOWrapper(content, "utf-8", newline="") as file:
            rows = csv.DictReader(file)
            if tuple(rows.fieldnames or ()) != COLUMNS:
                raise InputError(f"{path}:1: the header must be {','.join(COLUMNS)}")
            for row in rows:
                arrivals.append(_arrival(row, f"{path}:{rows.line_num}"))
                if arrivals[-1].time < arrivals[max(0, len(arrivals) - 2)].time:
                    raise InputError(f"{path}:{rows.line_num}: arrival_s: must not decrease")
    except (UnicodeError, csv.Error) as error:
        raise InputError(f"{path}: no CSV file: {error}") from None
    if not arrivals:
        raise InputError(f"{path}: has no requests")
    return arrivals


def _arrival(row: dict[str, str | None], where: str) -> Arrival:
    try:
        time = round(float(row["arrival_s"] or "") * SECOND)
        numbers = [int(row[name] or "") for name in COLUMNS[1:]]
    except (ValueError, OverflowError):
        raise InputError(f"{where}: expected four numbers, got {list(row.values())}") from None
    fits = 0 <= time <= LONGEST and numbers[0] >= 0 and max(numbers) <= MOST
    if not fits or min(numbers[1:]) < 1:
        raise InputError(
            f"{where}: prompt and output must be at least 1, and others at least 0; arrival_s at "
            f"most {LONGEST // SECOND}, the others {MOST}"
        )
    return Arrival(time, *numbers)
