# SPDX-License-Identifier: BSD-3-Clause
"""Do the words of a request's picture leave each other alone?"""

from __future__ import annotations

import pytest
from hmsim.timeline.drawing import Drawing, Words, shortened
from hmsim.timeline.phases import Phase
from hmsim.timeline.picture import (
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    _phase,
    cycle_marks,
    duration,
    widths_of,
)

PERIOD = 1250  # ps
ROOM = WIDTH - LEFT - RIGHT
MISS = (  # a read of a page that is in flash: name, cycles
    *(("N-RD", 1), ("lookup (tBC)", 41.6), ("waits for its LUN", 5000)),
    *(("flash command (tAT)", 80), ("flash cells (tR)", 40000)),
    *(("waits for the flash channel", 4000.4), ("page from the chip", 9000)),
    *(("next clock edge", 0.4), ("ACK", 1), ("waits for the data bus", 3), ("GRANT", 1)),
    *(("until data (tCL)", 10), ("data (tBL)", 4)),
)
ROWS = (
    *(("PRE", 1), ("precharge (tRP)", 11), ("ACT", 1), ("activate (tRCD)", 11)),
    *(("RD", 1), ("until data (tCL)", 11), ("data (tBL)", 4)),
)
EVEN = (("until data (tCL)", 30), ("data (tBL)", 40), ("waits", 50))


def phases_of(steps: tuple[tuple[str, float], ...]) -> list[Phase]:
    at, found = 0, []
    for name, cycles in steps:
        found.append(Phase(at, at + int(cycles * PERIOD), name))
        at = found[-1].end
    return found


def extent(words: Words) -> tuple[float, float]:
    """Return the left and right end of a text in the middle of x, by the font's outlines."""
    textpath = pytest.importorskip("matplotlib.textpath")
    fonts = pytest.importorskip("matplotlib.font_manager")
    font = fonts.FontProperties(family="DejaVu Sans")
    half = textpath.TextPath((0, 0), words.text, size=words.size, prop=font).get_extents().width / 2
    return words.x - half, words.x + half


@pytest.mark.parametrize("steps", [MISS, ROWS, EVEN])
def test_the_words_of_a_phase_stay_within_it(steps: tuple[tuple[str, float], ...]) -> None:
    phases = phases_of(steps)
    widths, _ = widths_of(phases, PERIOD, ROOM)
    assert sum(widths) == pytest.approx(ROOM)
    places = [LEFT + sum(widths[:index]) for index in range(len(widths) + 1)]
    for index, phase in enumerate(phases):
        drawing = Drawing(WIDTH)
        _phase(drawing, phase.name, "", phase.end - phase.start, places, index, 100)
        words = [shape for shape in drawing.shapes if isinstance(shape, Words)]
        assert " ".join(w.text for w in words[:-1]) == phase.name  # none is left out
        assert words[-1].text == duration(phase.end - phase.start)
        for each in words:
            left, right = extent(each)
            assert places[index] <= left and right <= places[index + 1], each.text


@pytest.mark.parametrize("steps", [MISS, ROWS])
def test_cycles_lie_apart_and_in_the_picture(steps: tuple[tuple[str, float], ...]) -> None:
    phases = phases_of(steps)
    widths, _ = widths_of(phases, PERIOD, ROOM)
    times = [0, *(phase.end for phase in phases)]
    axis = Axis(times, [LEFT + sum(widths[:index]) for index in range(len(times))])
    marks = cycle_marks(axis, times, PERIOD, 100)
    shown = [float(mark.text.replace(",", "")) for mark in marks]
    assert shown == pytest.approx([time / PERIOD for time in times], abs=0.06)
    lines = {mark.y: [extent(m) for m in marks if m.y == mark.y] for mark in marks}
    for texts in lines.values():
        assert texts[0][0] >= 0 and texts[-1][1] <= WIDTH
        assert all(one[1] < other[0] for one, other in zip(texts, texts[1:]))


def test_phases_are_to_scale_when_their_words_fit() -> None:
    widths, linear = widths_of(phases_of(EVEN), PERIOD, ROOM)
    assert linear and widths == pytest.approx([ROOM * cycles / 120 for _, cycles in EVEN])
    widths, linear = widths_of(phases_of(ROWS), PERIOD, ROOM)
    assert not linear and widths[1] > widths[0]  # a longer phase is wider all the same


def test_more_phases_than_there_is_room_for_share_it() -> None:
    widths, linear = widths_of(phases_of(MISS * 4), PERIOD, ROOM)
    assert not linear and sum(widths) == pytest.approx(ROOM) and min(widths) > 0


def test_a_long_name_on_the_left_is_shortened_not_cut() -> None:
    assert shortened("LUN 3", 12, 116) == "LUN 3"
    short = shortened("a program with a long name 12", 12, 116)
    assert short.endswith("…") and "a program with a long name".startswith(short[:-1])
    left, right = extent(Words(0, 0, short, 12))
    assert 80 < right - left <= 116
