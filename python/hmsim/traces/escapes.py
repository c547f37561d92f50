# SPDX-License-Identifier: BSD-3-Clause
"""Escapes: records of hmsim's format that are not accesses (docs/trace-format.md).

A record is a word of 8 bytes: from bit 0 a line, or an escape's payload; then kind, vCPU, and
instructions or the escape's code.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LINE_BITS = 40
VCPU_SHIFT, DELTA_SHIFT = 42, 45
ESCAPE = 3  # a kind
ADD, REGION_BEGIN, REGION_END = range(3)
RUN, WAKE, ALARM, BIO, BIO_END, FENCE, USE, THREAD, NAME, WRITTEN = range(3, 13)
CAUSES = range(RUN, WRITTEN + 1)
GOES_ON, WAITS, ENDED = range(3)  # why a thread leaves its vCPU, in bits 16 and 17 of `run`
READ, WRITE, FLUSH, DISCARD = range(4)  # of a bio, in bits 16 to 18

# Payload bits that each cause may use; the others are 0. Codes below RUN may use any bit.
NUMBER, ALL = 0xFFFF, (1 << LINE_BITS) - 1
USED = {
    RUN: NUMBER | 3 << 16,
    WAKE: NUMBER,
    ALARM: ALL,
    BIO: NUMBER | 0xFF << 16,
    BIO_END: 0,
    FENCE: 0,
    USE: ALL,
    THREAD: NUMBER | 1 << 16 | 0xFFFF << 24,
    NAME: ALL,
    WRITTEN: ALL,
}
PAGE_BITS = 28  # of the first page of `written`; above them, how many follow it
_UNUSED = np.array([0] * RUN + [ALL & ~used for used in USED.values()], dtype=np.uint64)

Words = NDArray[np.uint64]


def codes(words: Words) -> tuple[NDArray[np.intp], Words]:
    """Return the positions of the escapes among some records, and their codes."""
    at = np.flatnonzero((words >> np.uint64(LINE_BITS) & np.uint64(3)) == ESCAPE)
    return at, words[at] >> np.uint64(DELTA_SHIFT)


def fault(words: Words, causes: bool) -> str:
    """Return an error of the escapes in records, or ""; ``causes``: cause records are valid."""
    at, found = codes(words)
    most = WRITTEN if causes else REGION_END
    wrong = np.flatnonzero(found > most)
    if len(wrong):
        code = int(found[wrong[0]])
        return f"record {int(at[wrong[0]]) + 1}: unknown escape code {code}, expected 0 to {most}"
    content = words[at] & np.uint64(ALL)
    wrong = np.flatnonzero(content & _UNUSED[found])
    if causes:
        run = (found == RUN) & (content >> np.uint64(16) > ENDED)
        bio = (found == BIO) & (content >> np.uint64(16) & np.uint64(7) > DISCARD)
        wrong = np.union1d(wrong, np.flatnonzero(run | bio))
    if len(wrong):
        code = int(found[wrong[0]])
        return f"record {int(at[wrong[0]]) + 1}: bits outside the fields of escape code {code}"
    return ""
