# SPDX-License-Identifier: BSD-3-Clause
"""A timeline as a drawing: a window of time, or one request step by step."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hmsim.timeline.drawing import CHARACTER, INK, Box, Drawing, Line, Shape, Words, fits, shortened
from hmsim.timeline.kinds import KINDS, NAMES, ink_on
from hmsim.timeline.perfetto import label
from hmsim.timeline.phases import Phase, Story
from hmsim.timeline.rows import TALL, Row, heading, on_core, rows_of, shown_tracks
from hmsim.timeline.sheet import Track, values_of
from hmsim.timeline.threads import NODE, THREADS
from hmsim.timeline.tracks import Timeline

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

WIDTH, LEFT, RIGHT = 900, 130, 16  # pixels
# A track with at least this number of slices per pixel shows shares of time instead of slices. The
# limit is lower for cores and threads: their slices follow each other without gaps, while other
# short slices stay visible because they are far apart.
DENSE, DENSE_NODE = 2.0, 0.2
WORDS, TIME, MARGIN = 11, 10, 6  # of a phase: sizes of its name and of its time, and of both sides
MOST_LINES = 3  # of a phase's name
UNITS = ((10**12, "s"), (10**9, "ms"), (10**6, "µs"), (10**3, "ns"), (1, "ps"))
LIGHT = "#d9d9d9"
GLOSSARY = {
    "nvdimm_read_command": "N-RD: the host asks for the line.",
    "nvdimm_write_command": "N-WR: the host announces the line.",
    "nvdimm_ack": "ACK: the {slow} is ready for the transfer.",
    "nvdimm_read": "GRANT: the host gives the {slow} the data bus; data follow tCL later.",
    "nvdimm_write": "GRANT: the host takes the data bus for the line; data follow tCWL later.",
    "precharge": "PRE: the open row is closed.",
    "activate": "ACT: the row is opened.",
    "read": "RD: the line's column is read; data follow tCL later.",
    "write": "WR: the line's column is written; data follow tCWL later.",
}


class Axis:
    """Maps times to pixels, linearly within each piece."""

    def __init__(self, times: Sequence[int], places: Sequence[float]) -> None:
        self.times = list(times)
        self.places = list(places)

    def __call__(self, time: int) -> float:
        index = min(max(bisect.bisect_right(self.times, time), 1), len(self.times) - 1)
        t0, t1 = self.times[index - 1], self.times[index]
        x0, x1 = self.places[index - 1], self.places[index]
        return x0 + (x1 - x0) * (time - t0) / (t1 - t0)


def duration(ps: int) -> str:
    """Return a time for people, exact to three digits after the point."""
    size, unit = next(((size, unit) for size, unit in UNITS if ps >= size), (1, "s"))
    return f"{ps / size:.3f}".rstrip("0").rstrip(".") + f" {unit}"


def window_picture(timeline: Timeline) -> Drawing:
    """Return a drawing of all that a timeline holds, to scale.

    Raises InputError when there are too many tracks.
    """
    begin, end = timeline.begin_ps, timeline.end_ps
    axis = Axis((begin, end), (LEFT, WIDTH - RIGHT))
    where = f"{duration(begin)} to {duration(end)} of simulated time"
    drawing = _begin(timeline, f"{timeline.run.workload} under {timeline.run.policy}: {where}")
    shown = shown_tracks(timeline)
    top = drawing.height + 22
    bottom = _tracks(drawing, timeline, axis, shown, None, top)
    for time, text in _ticks(begin, end):
        x = axis(time)
        drawing.shapes.insert(0, Line(x, top - 6, x, bottom, "#d0d0d0"))
        anchor = "end" if x > WIDTH - RIGHT - 30 else "middle"
        drawing.add(Words(x, top - 9, text, 11, anchor, color="#444444"))
    _legend(drawing, timeline.slices, timeline.slow, bottom + 12)
    return drawing


def request_picture(timeline: Timeline, story: Story) -> Drawing:
    """Return a drawing of one request: its phases, and the tracks it used during that time."""
    drawing = _begin(timeline, story.title)
    phases = story.phases
    times = [phases[0].start, *(phase.end for phase in phases)]
    total = times[-1] - times[0]
    room = WIDTH - LEFT - RIGHT
    widths, linear = widths_of(phases, timeline.period_ps, room)
    places = [LEFT + sum(widths[:index]) for index in range(len(widths) + 1)]
    axis = Axis(times, places)
    scale = "To scale." if linear else "Not to scale: widths grow with the logarithm of the time."
    took = f"{duration(total)} = {total / timeline.period_ps:g} cycles from its first command. "
    drawing.add(Words(16, drawing.height + 14, took + scale, 12, color="#444444"))
    top = drawing.height + 52
    for index, phase in enumerate(phases):
        _phase(drawing, phase.name, phase.kind, phase.end - phase.start, places, index, top)
    drawing.add(Words(LEFT - 10, top + 26, "this request", 12, "end", bold=True))
    used = _tracks_of(timeline, story)
    part = timeline.window(times[0], times[-1])
    low = _tracks(drawing, part, axis, used, story, top + 58)
    for time in times:
        x = axis(time)
        drawing.add(Line(x, top + 42, x, low, "#777777", 0.8, dashed=True))
    drawing.add(*cycle_marks(axis, times, timeline.period_ps, low))
    drawing.add(Words(LEFT - 10, low + 16, "cycle", 11, "end", color="#444444"))
    seen = part.slices[part.slices["track"].isin(used)]
    mine = (seen["request"] == story.request) | (seen["row"] == story.block)
    _legend(drawing, seen[mine], timeline.slow, low + 40, others=not mine.all())
    known = [GLOSSARY[phase.kind] for phase in phases if phase.kind in GLOSSARY]
    notes = [note.format(slow=timeline.slow) for note in known]
    for note in dict.fromkeys(notes):
        drawing.add(Words(LEFT, drawing.height + 8, note, 11, color="#444444"))
        drawing.height += 16
    drawing.height += 8
    return drawing


def cycle_marks(axis: Axis, times: Sequence[int], period: int, low: float) -> list[Words]:
    """Return the cycle of each time, below ``low``, in two lines where they are close."""
    marks = []
    ends = [-math.inf, -math.inf]  # of the last text in the upper line, and in the lower one
    for time in times:
        cycle = (time - times[0]) / period
        text = f"{cycle:,.0f}" if cycle == int(cycle) else f"{cycle:,.1f}"
        half = len(text) * 11 * 0.32
        x = min(axis(time), WIDTH - half - 1)
        line = 0 if x - half > ends[0] else 1
        ends[line] = x + half + 4
        marks.append(Words(x, low + 16 + 13 * line, text, 11, "middle", color="#444444"))
    return marks


def widths_of(phases: Sequence[Phase], period: int, room: float) -> tuple[list[float], bool]:
    """Return the width of each phase, ``room`` in all, and whether these are to scale.

    They are to scale if the words of every phase then fit. Otherwise each phase has room for its
    words, and the rest is divided by the logarithms of the times.

    Args:
        phases: one after the other.
        period: picoseconds of a clock cycle.
        room: pixels.
    """
    lengths = [phase.end - phase.start for phase in phases]
    needed = [_needed(phase) for phase in phases]
    scaled = [room * length / sum(lengths) for length in lengths]
    if all(width >= least for width, least in zip(scaled, needed)):
        return scaled, True
    weights = [math.log2(1 + length / period) for length in lengths]
    left = room - sum(needed)
    if left < 0:  # too many phases: their words are cut to what there is
        return [room * least / sum(needed) for least in needed], False
    return [n + left * w / sum(weights) for n, w in zip(needed, weights)], False


def _needed(phase: Phase) -> float:
    """Return the least width in which a phase's name and time do not leave it."""
    words = [len(word) for word in phase.name.split()]
    width = max(max(words) * WORDS, len(duration(phase.end - phase.start)) * TIME) * CHARACTER
    while len(_broken(phase.name, width)) > MOST_LINES:
        width += WORDS * CHARACTER
    return width + MARGIN


def _begin(timeline: Timeline, title: str) -> Drawing:
    drawing = Drawing(WIDTH, title=title)
    drawing.add(Words(16, 28, title, 17, bold=True))
    drawing.height = 38
    if timeline.full:
        text = "the run continued after its log"
        if timeline.channels_end_ps < timeline.end_ps:
            text = f"the log of commands ends at {duration(timeline.channels_end_ps)}"
        drawing.add(Words(WIDTH - RIGHT, 28, text, 11, "end"))
    return drawing


def _phase(
    drawing: Drawing,
    name: str,
    kind: str,
    length: int,
    places: Sequence[float],
    index: int,
    top: float,
) -> None:
    x, width = places[index], places[index + 1] - places[index]
    color = KINDS[kind].color if kind else "#f4f4f4"
    drawing.add(Box(x, top, width, 42, color, f"{name}: {duration(length)}", "#555555"))
    ink = ink_on(color)
    lines = _broken(name, width - MARGIN)[:MOST_LINES]
    for number, line in enumerate(lines):
        y = top + 25 - 6.5 * (len(lines) - 1) + 13 * number
        drawing.add(Words(x + width / 2, y, line, WORDS, "middle", color=ink))
    time = duration(length)
    drawing.add(Words(x + width / 2, top - 5, time, TIME, "middle", color="#444444"))


def _broken(text: str, width: float) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and fits(f"{lines[-1]} {word}", WORDS, width):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _tracks_of(timeline: Timeline, story: Story) -> list[int]:
    """Return the tracks that a request used: buses, and its bank, or flash channel and LUN."""
    chosen = []
    blocks = timeline.slices[timeline.slices["row"] == story.block] if story.block else None
    used = set() if blocks is None else set(blocks["track"].tolist())
    for index, track in enumerate(timeline.tracks):
        channel, part, *place = track.place
        if channel != story.channel:
            continue
        bank = part == 1 and story.bank is not None and tuple(place) == story.bank
        refresh = part == 1 and story.bank is not None and tuple(place) == (story.bank[0], -2)
        if part == 0 or bank or refresh or (part in (2, 3) and index in used):
            chosen.append(index)
    return chosen


def _tracks(
    drawing: Drawing,
    timeline: Timeline,
    axis: Axis,
    shown: Sequence[int],
    story: Story | None,
    top: float,
) -> float:
    """Draw tracks below each other; return where they end."""
    y, group = top, ""
    for index, row in zip(shown, rows_of(timeline, shown)):
        track = timeline.tracks[index]
        if track.group != group:
            group = track.group
            drawing.add(Words(16, y + 14, heading(timeline, group, shown), 12, bold=True))
            y += 20
        name = shortened(track.name, row.font, LEFT - 14)
        drawing.add(
            Words(LEFT - 10, y + row.height / 2 + 0.25 * row.font, name, row.font, "end"),
            Box(LEFT, y + 1, WIDTH - RIGHT - LEFT, row.bar + 2, "#fafafa", edge="#e8e8e8"),
        )
        slices = timeline.slices[timeline.slices["track"] == index]
        most = (DENSE_NODE if track.place[0] == NODE else DENSE) * (WIDTH - LEFT - RIGHT)
        if story is None and len(slices) > most:
            _dense(drawing, slices, y + 2, timeline, row)
            drawing.add(*_share(track, slices, y + 2, timeline, row))
        else:
            _slices(drawing, slices, axis, y + 2, track, story, row, timeline.slow)
        y += row.height
    drawing.height = y
    return y


def _share(
    track: Track, slices: pd.DataFrame, y: float, timeline: Timeline, row: Row
) -> list[Shape]:
    thread = track.place[:2] == (NODE, THREADS)
    times = on_core(slices) if thread else slices["end_ps"] - slices["start_ps"]
    share = 100 * int(times.sum()) / (timeline.end_ps - timeline.begin_ps)
    text = f"{'on a core' if thread else 'busy'} {share:.2g} % of the time"
    words = Words(WIDTH - RIGHT - 4, y + min(row.bar - 1, 10), text, 9, "end", color="#333333")
    if track.place[0] != NODE and row is TALL:
        return [words]
    width = len(text) * 9 * CHARACTER
    return [Box(words.x - width - 2, y + 1, width + 4, min(row.bar - 1, 11), "#ffffff"), words]


def _slices(
    drawing: Drawing,
    slices: pd.DataFrame,
    axis: Axis,
    y: float,
    track: Track,
    story: Story | None,
    sizes: Row,
    slow: str,
) -> None:
    columns = ("start_ps", "end_ps", "kind", "request", "row", "cause")
    for start, end, code, request, row, cause in values_of(slices, *columns):
        kind = NAMES[code]
        text = label(kind, row, cause, slow)
        mine = story is None or request == story.request or (cause and row == story.block)
        color = KINDS[kind].color if mine else LIGHT
        x, width = axis(start), max(axis(end) - axis(start), 0.8)
        about = f", request {request}" if request >= 0 else ""
        hint = f"{track.name}: {text}{about}, {duration(end - start)} from {duration(start)}"
        edge = "#555555" if width > 4 else ""
        drawing.add(Box(x, y, width, sizes.bar, color, hint, edge))
        words = next(
            (t for t in (text, KINDS[kind].label.format(slow=slow)) if fits(t, 10, width - 4)), None
        )
        if sizes is TALL and words is not None:
            ink = ink_on(color)
            drawing.add(Words(x + width / 2, y + 13, words, 10, "middle", color=ink))


def _dense(drawing: Drawing, slices: pd.DataFrame, y: float, timeline: Timeline, row: Row) -> None:
    """Draw bars two pixels wide, divided by the share of time that each meaning takes."""
    import numpy as np

    bins = (WIDTH - LEFT - RIGHT) // 2
    begin, span = timeline.begin_ps, timeline.end_ps - timeline.begin_ps
    edges = begin + span * np.arange(bins + 1) // bins
    low = np.full(bins, y + row.bar)
    painted = slices["kind"].map(dict(enumerate(kind.color for kind in KINDS.values())))
    for color in dict.fromkeys(kind.color for kind in KINDS.values()):
        own = slices[painted == color]
        if not len(own):
            continue
        heights = row.bar * np.minimum(_busy(own, edges) / np.diff(edges), 1)
        for index in np.flatnonzero(heights > 0).tolist():
            height = min(max(float(heights[index]), 0.6), low[index] - y)
            low[index] -= height
            drawing.add(Box(LEFT + 2 * index, low[index], 2, height, color))


def _busy(slices: pd.DataFrame, edges: Any) -> Any:
    """Return the time that slices of a track take between neighbouring edges."""
    import numpy as np

    starts, ends = slices["start_ps"].to_numpy(), slices["end_ps"].to_numpy()
    # Busy time up to each edge: whole slices before it, and a part of the one that it cuts.
    lengths = np.concatenate([[0], np.cumsum(ends - starts)])
    before = np.searchsorted(starts, edges, "right")
    cut = np.maximum(ends[np.maximum(before - 1, 0)] - edges, 0) * (before > 0)
    return np.diff(lengths[before] - cut)


def _ticks(begin: int, end: int) -> list[tuple[int, str]]:
    step = 10 ** math.floor(math.log10(max(end - begin, 1)))
    step = next(s for s in (step // 5, step // 2, step) if s and (end - begin) / s <= 12) or 1
    size, unit = next((s, u) for s, u in UNITS if s <= max(end, 1))
    first = -(-begin // step) * step
    return [(t, f"{t / size:,.10g} {unit}") for t in range(first, end + 1, step)]


def _legend(
    drawing: Drawing, slices: pd.DataFrame, slow: str, y: float, others: bool = False
) -> None:
    by_color: dict[str, dict[str, None]] = {}
    for code in sorted(slices["kind"].unique().tolist()):
        _, words, color = KINDS[NAMES[code]]
        by_color.setdefault(color, {})[words.format(slow=slow)] = None
    if others:
        by_color[LIGHT] = {"other requests": None}
    x = float(LEFT)
    for color, meanings in by_color.items():
        words = ", ".join(meanings)
        width = 24 + len(words) * 12 * 0.6
        if x + width > WIDTH - RIGHT:
            x, y = float(LEFT), y + 20
        drawing.add(
            Box(x, y, 14, 12, color, edge="#555555"), Words(x + 19, y + 10.5, words, 12, color=INK)
        )
        x += width + 10
    drawing.height = y + 26
