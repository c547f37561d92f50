# SPDX-License-Identifier: BSD-3-Clause
"""Frequency of this host's time stamp counter."""

from __future__ import annotations

import ctypes
import mmap
import platform
import time
from collections.abc import Callable

from hmsim.capture.emulation import CaptureError

READ_COUNTER = bytes.fromhex("0f31 48c1e220 4809d0 c3")  # rdtsc; rax |= rdx << 32; ret
INTERVAL = 200_000_000  # ns
ATTEMPTS = 32


def moment(clock: Callable[[], int], counter: Callable[[], int]) -> tuple[int, int]:
    """Return simultaneous readings of a clock, in ns, and a counter.

    The counter is read between two readings of the clock. This is repeated ``ATTEMPTS`` times, and
    the attempt with the least time between its clock readings counts. One attempt
    that other processes hardly disturb is enough.
    """
    attempts = []
    for _ in range(ATTEMPTS):
        before, count, after = clock(), counter(), clock()
        attempts.append((after - before, (before + after) // 2, count))
    _, time_ns, count = min(attempts)
    return time_ns, count


def host_counter_khz() -> int:
    """Return the frequency of the time stamp counter in kHz.

    A guest kernel on a busy host often fails to measure it. Raises CaptureError if there is no
    counter, or it cannot be read.
    """
    if platform.machine() != "x86_64":
        raise CaptureError(f"time stamp counter: not supported on {platform.machine()}")
    try:
        code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError as error:
        raise CaptureError(f"time stamp counter: {error.strerror}") from error
    code.write(READ_COUNTER)
    place = ctypes.addressof(ctypes.c_char.from_buffer(code))
    read = ctypes.CFUNCTYPE(ctypes.c_uint64)(place)
    began, counted = moment(time.monotonic_ns, read)
    time.sleep(INTERVAL / 1e9)
    ended, counts = moment(time.monotonic_ns, read)
    return round((counts - counted) * 1e6 / (ended - began))
