#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A block trace in data mode, with power failures at random times.

python tests/integrity/tpcc.py TRACE [flash|cached|pcm] replays a complete trace with 100 failures.
The tests replay the trace that `like_tpcc` generates.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shadow import LINE, PAGE, Shadow

PAGES = 11_000
FLASH: dict[str, Any] = {
    "nvdimm.capacity": "64MiB",
    "nvdimm.nand.channels": 4,
    "nvdimm.nand.chips": 2,
    "nvdimm.nand.pages_per_block": 32,
    "nvdimm.buffer.write_size": "256KiB",
    "nvdimm.ftl.over_provisioning": 40,
}
KINDS: dict[str, dict[str, Any]] = {
    "flash": {},
    "cached": {"nvdimm.ftl.map": "cached", "nvdimm.ftl.map_cache": "4KiB"},
    "pcm": {"nvdimm.kind": "pcm"},
}


def like_tpcc(requests: int) -> list[str]:
    """Return a trace in MQSim's format that resembles TPC-C.

    Each request is to one of 16 devices, at random. 63% of requests are reads. 97% move 8 KB, the
    others 512 B to 60 KB. A request begins at any sector of a page. A tenth of the pages gets 55%
    of the requests. Times never decrease.
    """
    numbers = random.Random(5)
    lines = []
    time = 0
    for _ in range(requests):
        time += int(numbers.expovariate(1 / 150_000))
        page = numbers.randrange(PAGES if numbers.random() < 0.5 else PAGES // 10)
        sector = page * (PAGE // 512) + numbers.randrange(PAGE // 512)
        sectors = 16 if numbers.random() < 0.97 else numbers.randrange(1, 121)
        read = int(numbers.random() < 0.63)
        lines.append(f"{time} {numbers.randrange(16)} {sector} {sectors} {read}")
    return lines


def replay(
    lines: Sequence[str], failures: int, requests: int | None, kind: str, share: float = 1
) -> Shadow:
    """Replay a trace in batches, with a power failure at a random time after each batch.

    Args:
        lines: lines of the trace, in MQSim's format.
        failures: number of power failures, and of batches.
        requests: number of requests replayed from each batch's start; None: all.
        kind: kind of NVDIMM.
        share: share of lines that are compared around each failure. All are compared at the end.
    """
    numbers = random.Random(3)
    shadow = Shadow("quick", **{**FLASH, **KINDS[kind]})
    batch = -(-len(lines) // failures) if requests is None else len(lines) // failures
    for number in range(failures):
        begin = shadow.system.now
        for line in lines[number * batch : number * batch + (requests or batch)]:
            _time, _device, sector, sectors, read = line.split()
            first = int(sector) * 512 % (PAGES * PAGE) // PAGE * PAGE
            for at in range(first, first + int(sectors) * 512, LINE):
                data = None if read == "1" else numbers.randbytes(LINE)
                shadow.send(shadow.nvdimm + at % (PAGES * PAGE), LINE, data)
        wait = (shadow.system.now - begin) // 4 + 10**8 if kind != "pcm" else 10**5
        shadow.run(shadow.system.now + numbers.randrange(wait))
        shadow.power_cycle(share=share)
    shadow.settle()
    shadow.check()
    return shadow


def main() -> None:
    kind = sys.argv[2] if len(sys.argv) > 2 else "flash"
    shadow = replay(Path(sys.argv[1]).read_text().splitlines(), 100, None, kind, 0.01)
    stats = shadow.system.stats
    print(f"{kind}: {len(shadow.bytes)} lines written, {shadow.reads} reads compared, none wrong")
    for path, value in stats.items():
        if path.startswith("nvdimm.power."):
            print(f"{path} {value}")


if __name__ == "__main__":
    main()
