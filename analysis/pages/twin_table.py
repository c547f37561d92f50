# SPDX-License-Identifier: BSD-3-Clause
"""Prints the table of docs/workloads.md that compares twins with their captures.

Distributions count if they have more than 1000 cases.
"""

from __future__ import annotations

from pathlib import Path

from hmsim.clones.clone import twin, words
from hmsim.clones.profile import Profile, Stream, distance
from hmsim.clones.profile_meter import measure, measure_columns
from hmsim.traces.columns import of_words

from pages import Documents
from pages.tables import head, percent, row

CASES = 1000


def relative(one: float, other: float) -> float:
    return abs(other / one - 1)


def of_stream(one: Stream, other: Stream) -> tuple[float, ...]:
    """Return the differences of a stream: visits, lengths of visits, reuse, runs, gaps."""
    lengths = [
        distance(getattr(one, name), getattr(other, name))
        for share, name in zip(one.kinds, ("jumped", "followed", "swept"))
        if one.visits * share > CASES
    ]
    gaps = [
        distance(one.of_all_paces(getattr(one, name)), other.of_all_paces(getattr(other, name)))
        for name, cases in (("inside", one.accesses - one.visits), ("between", one.visits))
        if cases > CASES
    ]
    reuse = distance(one.reuse, other.reuse) if one.visits > CASES else 0.0
    return (
        relative(one.visits, other.visits),
        max(lengths, default=0.0),
        reuse,
        distance(one.runs, other.runs),
        max(gaps, default=0.0),
    )


def differences(one: Profile, other: Profile) -> list[str]:
    rows = [
        of_stream(stream, other.streams[name])
        for name, stream in one.streams.items()
        if stream.accesses > CASES
    ]
    visits, *distances = (max(column) for column in zip(*rows))
    footprints = [
        relative(figure, other.figures()[name])
        for name, figure in one.figures().items()
        if "footprint" in name and figure
    ]
    texts = [percent(visits), percent(max(footprints))]
    return texts + [f"{value:.3f}" for value in distances]


def tables(data: Path) -> Documents:
    """Print the table for the captures in a folder. Yields no document."""
    head("", "accesses per visit", "footprint", "lengths of visits", "reuse", "runs", "gaps")
    for path in sorted(data.glob("*.hmsim.zst")):
        profile = measure(path)
        pieces = of_words(words(twin(profile, profile.instructions)), profile.nvdimm_pages > 0)
        row(path.name.split(".")[0], *differences(profile, measure_columns("twin", pieces)))
    yield from ()
