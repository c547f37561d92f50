# SPDX-License-Identifier: BSD-3-Clause
"""How fast this host's time stamp counter goes."""

from __future__ import annotations

import ctypes
import mmap
import platform
import time

from hmsim.capture.emulation import CaptureError

READ_COUNTER = bytes.fromhex("0f31 48c1e220 4809d0 c3")  # rdtsc; rax |= rdx << 32; ret
INTERVAL = 200_000_000  # ns


def host_counter_khz() -> int:
    """Return its frequency in kHz, which a kernel on a busy host often fails to measure.

    Raises CaptureError where there is none, or none that may be read.
    """
    if platform.machine() != "x86_64":
        raise CaptureError(f"time stamp counter: none on {platform.machine()}")
    try:
        code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError as error:
        raise CaptureError(f"time stamp counter: {error.strerror}") from error
    code.write(READ_COUNTER)
    place = ctypes.addressof(ctypes.c_char.from_buffer(code))
    read = ctypes.CFUNCTYPE(ctypes.c_uint64)(place)
    began, counted = time.monotonic_ns(), read()
    time.sleep(INTERVAL / 1e9)
    ended, counts = time.monotonic_ns(), read()
    return round((counts - counted) * 1e6 / (ended - began))
