# SPDX-License-Identifier: BSD-3-Clause
"""A block trace whose garbage is nearly all in few blocks: a log beside reads."""

from __future__ import annotations

from pathlib import Path


def write_log(path: Path, requests: int = 12_000) -> None:
    """Write a trace of 4 KB blocks in MQSim's format: random reads alternate with writes in order.

    The writes overwrite 64 MiB again and again; every twentieth goes to a random block after that
    region.
    """
    region = 64 * 256
    state, written, lines = 1, 0, []
    for number in range(requests):
        state = (state * 1_103_515_245 + 12_345) % 2**31
        page = (state >> 8) % (2 * region)
        if write := number % 2:
            written += 1
            page = region + page % region if written % 20 == 0 else written % region
        lines.append(f"{number * 400_000} 0 {page * 8} 8 {1 - write}\n")
    path.write_text("".join(lines), encoding="utf-8")
