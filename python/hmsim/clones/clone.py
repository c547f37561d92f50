# SPDX-License-Identifier: BSD-3-Clause
"""Statistical twins: traces that are generated from a profile (docs/workloads.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hmsim._core import Clone
from hmsim.clones.profile import (
    LONGEST_REUSE,
    LONGEST_VISIT,
    PAGE_LINES,
    PHASES,
    PIECES,
    POWERS,
    STREAMS,
    SWEEPS,
    VISITS,
    Bins,
    Profile,
    Stream,
)
from hmsim.traces.records import FILL, WRITE_BACK

RECORDS = 1 << 17  # made at a time
SKIPS = (*(1 - 2 * p for p in POWERS[:1:-1]), *POWERS)


def _numbers(bins: Bins, starts: tuple[int, ...], most: int) -> list[tuple[float, int, int, float]]:
    """Return share, lowest, highest and mean value of each bin.

    ``starts``: lowest values of all possible bins. ``most``: highest value of the last one.
    """
    result = []
    for low, values in sorted(bins.items()):
        after = starts.index(low) + 1
        high = starts[after] - 1 if after < len(starts) else most
        share, mean = values[:2]
        result.append((share, low, max(low, min(high, most)), mean))
    return result


def _visits(bins: Bins) -> list[tuple[tuple[float, int, int, float], float, float, float]]:
    numbers = _numbers(bins, VISITS, LONGEST_VISIT)
    return [
        (number, *bins[number[1]][2:5])  # type: ignore[misc]
        for number in numbers
    ]


def _pace(stream: Stream, pace: int) -> dict[str, Any]:
    """Return the distributions of a stream in the phases of one pace."""
    mix = stream.mixes.get(pace, {})
    return {
        "inside": _numbers(stream.inside.get(pace, {}), POWERS, POWERS[-1]),
        "between": _numbers(stream.between.get(pace, {}), POWERS, POWERS[-1]),
        # Shares of visits of each kind, by class.
        "mix": [
            [mix.get(low, [0.0] * 3)[kind] for low in sorted(classes)]
            for kind, classes in enumerate((stream.jumped, stream.followed, stream.swept))
        ],
    }


def phase_counts(accesses: list[int], times: float, total: int) -> list[int]:
    """Return the accesses of ``total`` phases: the profile's phases in turn, times a factor."""
    counts = []
    owed = 0.0
    for number in range(total):
        owed += accesses[number % PHASES] * times
        counts.append(int(owed + 1e-9))
        owed -= counts[-1]
    return counts


def _attach(counts: list[int], fills: list[int]) -> list[int]:
    """Move each count of a phase without fills to the next phase with fills.

    Counts after the last phase with fills move back to it.
    """
    result = [0] * len(counts)
    waiting = 0
    for number, (count, fill) in enumerate(zip(counts, fills)):
        waiting += count
        if fill:
            result[number], waiting = waiting, 0
    last = max(number for number, fill in enumerate(fills) if fill)
    result[last] += waiting
    return result


def twin(profile: Profile, instructions: int, intensity: float = 1.0, seed: int = 1) -> Clone:
    """Return a generator of records like those of the profile's trace.

    Args:
        profile: profile of the original trace.
        instructions: length of the twin. The profile's phases are repeated and stretched to fit.
        intensity: factor on all accesses per instruction.
        seed: another seed gives another trace with the same statistics.
    """
    repeats = max(1, round(instructions / profile.instructions))
    times = intensity * instructions / (repeats * profile.instructions)
    total = repeats * PHASES
    phases = {name: phase_counts(s.phases, times, total) for name, s in profile.streams.items()}
    of_fills = [phases[name] for name in phases if STREAMS[name][1] == FILL]
    fills = [sum(row) for row in zip(*of_fills)] if of_fills else [0] * total
    length = instructions / profile.instructions
    streams: list[dict[str, Any]] = []
    for name, stream in profile.streams.items():
        nvdimm, kind = STREAMS[name]
        attached = kind == WRITE_BACK and any(fills)
        streams.append(
            {
                "kind": kind,
                "nvdimm": nvdimm,
                "attached": attached,
                "jumped": _visits(stream.jumped),
                "followed": _visits(stream.followed),
                "swept": _visits(stream.swept),
                "follow": [stream.follow.get(start, [0.0] * 6) for start in SWEEPS],
                "reuse": _numbers(stream.reuse, POWERS, LONGEST_REUSE - 1),
                "skips": _numbers(stream.skips, SKIPS, POWERS[-1]),
                "pieces": [
                    (
                        low,
                        _numbers(edges, PIECES, PAGE_LINES),
                        _numbers(stream.pieces.get(low, {}), PIECES, PAGE_LINES),
                    )
                    for low, edges in stream.edges.items()
                ],
                "paces": [_pace(stream, pace) for pace in range(1 + max(stream.paces))],
                "pace": [stream.paces[number % PHASES] for number in range(total)],
                "phases": _attach(phases[name], fills) if attached else phases[name],
                "pages": max(1, round(stream.pages * length * intensity)),
                "first_page": _first_page(name, profile, length),
            }
        )
    return Clone(streams, instructions, intensity, seed)


def _first_page(name: str, profile: Profile, length: float) -> int:
    """Return a stream's first page. It makes the streams together cover the profile's pages."""
    nvdimm = STREAMS[name][0]
    pages = profile.nvdimm_pages if nvdimm else profile.dram_pages
    rivals = [other for other in profile.streams if STREAMS[other][0] == nvdimm]
    if name == max(rivals, key=lambda other: profile.streams[other].pages):
        return 0
    return int(max(0, pages - profile.streams[name].pages) * min(length, 1.0))


def words(source: Clone, report: Callable[[], None] | None = None) -> Iterator[bytes]:
    """Yield 8-byte records, as defined in docs/trace-format.md."""
    while piece := source.records(RECORDS):
        yield piece
        if report:
            report()
