# SPDX-License-Identifier: BSD-3-Clause
"""Small traces in most formats, made from random numbers."""

from __future__ import annotations

import io
import random
import struct
from pathlib import Path

from hmsim.traces.file import TraceWriter

# Three threads on two cores that use every step of a job.
JOB = """thread copier 2
compute {seed}000
read 7 2
load 0x40
write 9 4
compute 500
wake copied
sleep 2us
compute 3000
thread reader
wait copied
compute 9000
read 40
sync
sleep 1us
"""


MESSAGE = """thread player
send 0 ball {seed}000B
send 1 ball 2KiB
wait ball
wait ball
"""


def packed(records: list[tuple[int, int, int, int]], two_memories: bool = False) -> bytes:
    """Return a trace in hmsim's format, of (line, kind, vCPU, instructions)."""
    words = [line | kind << 40 | vcpu << 42 | gap << 45 for line, kind, vcpu, gap in records]
    content = io.BytesIO()
    writer = TraceWriter(content)
    writer.write(struct.pack(f"<{len(words)}Q", *words))
    writer.close(2 if two_memories else 0)
    return content.getvalue()


def packets(lines: list[int]) -> bytes:
    """Return reads in gem5's format, of four requestors in turn."""

    def message(*fields: int) -> bytes:
        content = b""
        for number, value in zip((1, 2, 3, 4, 6), fields):
            content += bytes([number << 3])
            while value >= 0x80:
                content += bytes([value & 0x7F | 0x80])
                value >>= 7
            content += bytes([value])
        return bytes([len(content)]) + content

    # The header's third field is the frequency of ticks.
    content = b"gem5" + message(0, 0, 10**12)
    for number, line in enumerate(lines):
        content += message(number * 1000, 1, line * 64, 64, number % 4)
    return content


def program(numbers: random.Random) -> bytes:
    """Return a trace in ChampSim's format: two streams, random stores, and loads that depend."""
    records = []
    for number in range(3_000):
        line = 64 * (1 + numbers.randrange(1_000))
        stream = (1 << 20) + number % 2 * (1 << 19) + number // 2 * 40
        load, store, kind = [(stream, 0, number % 2), (line, 0, 3), (0, line, 4)][number % 3]
        records.append(
            struct.pack("<Q8B6Q", kind, 0, 0, kind, 0, kind, 0, 0, 0, store, 0, load, 0, 0, 0)
        )
    return b"".join(records)


def write_traces(seed: int, before: str = "") -> None:
    """Write a trace of each kind into the working directory; names begin with ``before``."""
    numbers = random.Random(seed)
    lines = [numbers.randrange(1 << 20) for _ in range(600)]
    traces = {
        "misses": "".join(f"{line % 90} {line * 64} {line * 128}\n" for line in lines),
        "blocks": "".join(
            f"{number * 4000} {line % 2} {line % 4096 // 8 * 8} 32 {line // 2 % 2}\n"
            for number, line in enumerate(lines[:60])
        ),
        "lines": "".join(
            f"{line * 64:#x} {'READ' if line % 3 else 'WRITE'} {number * 9}\n"
            for number, line in enumerate(lines)
        ),
    }
    traces["faulty lines"] = "0x40 TRIM 0\n" + traces["lines"]
    traces["faulty"] = "0 0 0 0 1\n1000 0 8 x 1\n" + traces["blocks"]
    traces["flushes"] = "".join(
        f"8,0 0 {number} 0.{number:09} 1 Q {'FWS' if line % 4 else 'RS'} {line % 4096} + 8 [x]\n"
        for number, line in enumerate(lines[:60])
    )
    Path(before + "program").write_bytes(program(numbers))
    Path(before + "packets").write_bytes(packets(lines))
    traces["stores"] = "".join(f"{'ST' if line % 3 else 'LD'} {line * 64}\n" for line in lines)
    traces["vectors"] = "".join(
        f"{'RW'[line % 2]} 0,{line % 2},{line % 4},{line // 4 % 4},{line % 1024},{line // 9 % 64}\n"
        for line in lines
    )
    names = ("at", "what", "where", "long", "empty", "disk", "other", "lag", "what else", "more")
    rows = [
        (
            *(f"{number * 40}.5", "RWFD"[line % 4], line % 1024, line % 7 * 512 + 512, ""),
            *(line % 2, number % 2, number * 30, "WRDF"[line % 4], line % 5 * 512 + 512, line % 9),
        )
        for number, line in enumerate(lines[:60])
    ]
    traces["table"] = "a table\n" + "".join(
        "\t".join(map(str, row)) + "\n" for row in ((*names, "took"), *rows)
    )
    for name, text in traces.items():
        Path(before + name).write_text(text, encoding="ascii")
    Path(before + "job").write_text(JOB.format(seed=seed), encoding="ascii")
    Path(before + "messages").write_text(MESSAGE.format(seed=seed), encoding="ascii")
    records = [(line, 0, number % 2, 9 + line % 50) for number, line in enumerate(lines)]
    Path(before + "packed").write_bytes(packed(records))
    # Lines of two pages, alternating.
    turns = [
        (number // 128 * 128 + number % 2 * 64 + number // 2 % 64, 0, 0, 9) for number in range(600)
    ]
    Path(before + "streams").write_bytes(packed(turns))
    copies = [(number, 2, 0, 1) for number in range(600)]
    Path(before + "copied").write_bytes(packed([*copies, *records]))
    stores = [(1 << 39 | number, 2, 0, 3) for number in range(200)]
    Path(before + "transfers").write_bytes(packed(stores, two_memories=True))
