# SPDX-License-Identifier: BSD-3-Clause
"""Statistical twins with causes: threads, requests, and the lines of a plain twin between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from hmsim.clones.clone import RECORDS, phase_counts, twin
from hmsim.clones.machine import Machine
from hmsim.clones.profile import PHASES, Profile
from hmsim.clones.tape import Part
from hmsim.traces.columns import Numbers
from hmsim.traces.escapes import ADD, ALL, DELTA_SHIFT, ESCAPE, LINE_BITS, Words
from hmsim.traces.records import FILL

LONGEST_DELTA = (1 << 19) - 1


def causal_words(
    profile: Profile,
    instructions: int,
    intensity: float = 1.0,
    seed: int = 1,
    report: Callable[[], None] | None = None,
) -> Iterator[bytes]:
    """Yield records of 8 bytes of a twin of a profile that has causes, as docs/trace-format.md
    tells them; arguments are those of `twin`. The twin ends with its last request's copy, should
    that lie behind the instructions."""
    causes = profile.causes
    assert causes is not None
    passes = max(1, round(instructions / profile.instructions))
    stretch = instructions / (passes * profile.instructions)
    counts = {
        name: {
            kind: phase_counts(request.phases, intensity * stretch, passes * PHASES)
            for kind, request in role.requests.items()
        }
        for name, role in causes.roles.items()
    }
    machine = Machine(causes, counts, instructions, passes, stretch, intensity, seed)
    others = _Others(profile, instructions, intensity, seed)
    done = 0
    for part in range(passes * PHASES):
        begin, end = (instructions * (part + add) // (passes * PHASES) for add in (0, 1))
        machine.play(end)
        times, words = machine.tape.take(end)
        if end > begin:
            more, lines = others.before(end if end < instructions else end + 1)
            more = _placed(more, lines, machine.tape.parts(begin, end), end)
            order = np.argsort(np.concatenate((times, more)), kind="stable")
            times = np.concatenate((times, more))[order]
            words = np.concatenate((words, lines))[order]
        yield _with_gaps(times, words, done)
        done = int(times[-1]) if len(times) else done
        if report:
            report()
    times, words = machine.tape.take(2 * machine.tape.time + 2)
    yield _with_gaps(times, words, done)
    done = int(times[-1]) if len(times) else done
    if done < instructions:
        yield _pause(instructions - done)


class _Others:
    """The lines that no request copies: a plain twin's, of DRAM, and those outside requests."""

    def __init__(self, profile: Profile, instructions: int, intensity: float, seed: int) -> None:
        causes = profile.causes
        assert causes is not None
        streams = {n: s for n, s in profile.streams.items() if not n.startswith("nvdimm")}
        plain = replace(profile, streams={**streams, **causes.outside})
        self._source = twin(plain, instructions, intensity, seed) if plain.streams else None
        self._now = 0
        self._times: Numbers = np.zeros(0, dtype=np.int64)
        self._words: Words = np.zeros(0, dtype=np.uint64)

    def before(self, time: int) -> tuple[Numbers, Words]:
        """Return times and words of the records before some instruction; they are forgotten."""
        parts: list[tuple[Numbers, Words]] = [(self._times, self._words)]
        while self._source is not None and self._now < time:
            content = self._source.records(RECORDS)
            if not content:
                self._source = None
                break
            words = np.frombuffer(content, dtype="<u8")
            low = (words & np.uint64(ALL)).astype(np.int64)
            high = (words >> np.uint64(DELTA_SHIFT)).astype(np.int64)
            escape = (words >> np.uint64(LINE_BITS) & np.uint64(3)) == ESCAPE
            times = self._now + np.cumsum(np.where(escape, low, high))
            self._now = int(times[-1])
            plain = words & np.uint64((1 << DELTA_SHIFT) - 1)
            parts.append((times[~escape], plain[~escape]))
        times = np.concatenate([part[0] for part in parts])
        words = np.concatenate([part[1] for part in parts])
        cut = int(np.searchsorted(times, time))
        self._times, self._words = times[cut:], words[cut:]
        return times[:cut], words[:cut]


def _placed(times: Numbers, words: Words, parts: list[Part], end: int) -> Numbers:
    """Return when lines come in a stretch of instructions.

    Fills are dealt to its parts by their densities; other lines stay behind their fills. In parts
    that copy they come with the lines that are copied, in others gaps keep their proportions.
    """
    fills = np.cumsum(words >> np.uint64(LINE_BITS) & np.uint64(ESCAPE) == FILL)
    begins = np.array([*(part.begin for part in parts), end], dtype=np.int64)
    sums = np.cumsum(np.diff(begins) * [part.density for part in parts])
    if not len(times) or fills[-1] == 0 or sums[-1] <= 0:
        return times
    place = np.maximum(fills - 1, 0)
    ends = np.concatenate(([0], np.round(sums * (fills[-1] / sums[-1])))).astype(np.int64)
    part = np.searchsorted(ends, place, side="right") - 1
    first = np.append(np.searchsorted(part, np.arange(len(parts))), len(times))
    bounds = np.append(times, times[-1] + 1)[first]
    share = (times - bounds[part]) / np.maximum(np.diff(bounds), 1)[part]
    placed = (begins[part] + share * np.diff(begins)[part]).astype(np.int64)
    copied = np.array([len(each.lines) for each in parts])
    if copied.any():
        at = (place - ends[part] + 0.5) / np.maximum(np.diff(ends), 1)[part] * copied[part]
        lines = np.concatenate([each.lines for each in parts])
        among = (np.cumsum(copied) - copied)[part] + at.astype(np.int64)
        placed = np.where(copied[part] > 0, lines[np.minimum(among, len(lines) - 1)], placed)
    return np.asarray(placed)


def _pause(instructions: int) -> bytes:
    return (ADD << DELTA_SHIFT | ESCAPE << LINE_BITS | instructions).to_bytes(8, "little")


def _with_gaps(times: Numbers, words: Words, done: int) -> bytes:
    """Return records with the instructions between them, behind so many."""
    if not len(times):
        return b""
    gaps = np.diff(np.concatenate(([done], times)))
    escape = (words >> np.uint64(LINE_BITS) & np.uint64(3)) == ESCAPE
    apart = (gaps > LONGEST_DELTA) | (escape & (gaps > 0))
    own = np.where(apart, 0, gaps).astype(np.uint64) << np.uint64(DELTA_SHIFT)
    pauses = gaps[apart].astype(np.uint64) | np.uint64(ESCAPE << LINE_BITS)
    return np.insert(words | own, np.flatnonzero(apart), pauses).astype("<u8").tobytes()
