# SPDX-License-Identifier: BSD-3-Clause
"""Small runs to draw."""

from __future__ import annotations

from pathlib import Path

import hmsim

# Little flash with few free blocks: writes make it collect.
COLLECTING = {
    "nvdimm.capacity": "16MiB",
    "nvdimm.nand.channels": "2",
    "nvdimm.nand.chips": "1",
    "nvdimm.nand.pages_per_block": "16",
    "nvdimm.buffer.read_size": "64KiB",
    "nvdimm.buffer.write_size": "64KiB",
}
MIX = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, footprint: 16MiB, outstanding: 4,
     requests: 1500}
  - {kind: synthetic, core: 1, target: nvdimm, pattern: sequential, read_ratio: 0.9,
     footprint: 256KiB, requests: 200}
"""
WRITES = """\
agents:
  - {kind: synthetic, core: 1, target: nvdimm, pattern: random, read_ratio: 0.5, footprint: 8MiB,
     requests: 700}
"""
ONE_AT_A_TIME = """\
agents:
  - {kind: synthetic, core: 1, target: nvdimm, pattern: sequential, footprint: 4MiB, outstanding: 1,
     requests: 70}
"""


def make(
    directory: Path,
    overrides: dict[str, str] | None = None,
    workload: str = MIX,
    name: str = "mix",
    **keywords: object,
) -> hmsim.Result:
    """Simulate into a directory and return the result."""
    file = directory.parent / f"{name}.yaml"
    file.write_text(workload)
    config = hmsim.load_config("quick", overrides={**COLLECTING, **(overrides or {})})
    result = hmsim.run(config, file, **keywords)  # type: ignore[arg-type]
    result.save(directory)
    return result
