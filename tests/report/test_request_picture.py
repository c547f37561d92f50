# SPDX-License-Identifier: BSD-3-Clause
"""Do the words of a request's picture leave each other alone?"""

from __future__ import annotations

import pytest
from hmsim.timeline.phases import Phase
from hmsim.timeline.picture import (
    LEFT,
    RIGHT,
    WIDTH,
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


def test_phases_are_to_scale_when_their_words_fit() -> None:
    widths, linear = widths_of(phases_of(EVEN), PERIOD, ROOM)
    assert linear and widths == pytest.approx([ROOM * cycles / 120 for _, cycles in EVEN])
    widths, linear = widths_of(phases_of(ROWS), PERIOD, ROOM)
    assert not linear and widths[1] > widths[0]  # a longer phase is wider all the same


def test_more_phases_than_there_is_room_for_share_it() -> None:
    widths, linear = widths_of(phases_of(MISS * 4), PERIOD, ROOM)
    assert not linear and sum(widths) == pytest.approx(ROOM) and min(widths) > 0
