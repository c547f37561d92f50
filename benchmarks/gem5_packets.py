# SPDX-License-Identifier: BSD-3-Clause
"""Prints, as JSON, the host cost of a packet in gem5, for hmsim's controller and gem5's MemCtrl.

Usage: python benchmarks/gem5_packets.py GEM5

GEM5 is a binary with the extension. A traffic generator reads and writes DDR3-1600 at a rate that
both controllers keep up with (configs/gem5/traffic.py). Instructions are counted by valgrind's
callgrind as the difference between two durations. Counts with SimpleMemory are subtracted, because
they belong to the generator and the crossbar.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from run import collected

SCRIPT = Path(__file__).resolve().parents[1] / "configs" / "gem5" / "traffic.py"
PERIOD = 12  # ns for a line of 64 bytes: 5.3 of 12.8 GB/s
SHORT, LONG = 100, 400  # us of simulated time
TRAFFIC = {
    "linear reads": ("--pattern", "linear"),
    "random reads": ("--pattern", "random"),
    "random, a third writes": ("--pattern", "random", "--reads", "67"),
}
DEVICE = ("--config", "validate_ddr3", "--set", "dram.ranks=2", "--row-accesses", "0")
MEMORIES = ("hmsim", "gem5", "simple")


def cost(gem5: str, memory: str, traffic: tuple[str, ...], folder: Path) -> float:
    """Return the instructions per packet, from the difference between two runs."""
    totals = []
    for duration in (SHORT, LONG):
        place = folder / f"{memory}{duration}"
        command = [gem5, f"--outdir={place}", str(SCRIPT), "--memory", memory, *DEVICE, *traffic]
        counted = collected([*command, "--period", str(PERIOD), "--duration", f"{duration}us"])
        (row,) = json.loads((place / "traffic.json").read_text())["rows"]
        totals.append((counted, row["requests"]))
    (before, fewer), (after, more) = totals
    return (after - before) / (more - fewer)


def main() -> None:
    """Measure every memory under every traffic."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("gem5")
    gem5 = parser.parse_args().gem5
    report = {}
    for name, traffic in TRAFFIC.items():
        with tempfile.TemporaryDirectory() as folder:
            found = {each: cost(gem5, each, traffic, Path(folder)) for each in MEMORIES}
        own = {each: round(found[each] - found["simple"]) for each in ("hmsim", "gem5")}
        report[name] = {
            **own,
            "share": round(own["hmsim"] / own["gem5"], 3),
            "way": round(found["simple"]),
        }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
