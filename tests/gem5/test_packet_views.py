# SPDX-License-Identifier: BSD-3-Clause
"""Do gem5's generators, its memory port and hmsim agree on each packet?"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from outcomes import Run

pytestmark = pytest.mark.gem5


class Views(NamedTuple):
    generator: dict[str, int]  # the application's view, by gem5's statistics
    packets: dict[str, int]  # interface and simulator
    hmsim: dict[str, Any]

    @property
    def residue(self) -> dict[str, int]:
        return {n: v for n, v in self.packets.items() if n.startswith("residue.") and v}

    @property
    def declared(self) -> int:
        """Picoseconds of gem5's crossbar and of the port, over all reads."""
        return self.generator["totalReadLatency"] - self.packets["read.interface_ps"]


def views(run: Run, *arguments: object) -> Views:
    outcome = run("views.py", *arguments)
    (dump,) = outcome.dumps
    names = ("totalReads", "totalReadLatency", "totalWrites", "bytesRead", "bytesWritten")
    generator = {name: round(dump.get(f"system.generators.{name}", 0)) for name in names}
    return Views(generator, outcome.result["views"], outcome.result["statistics"])


@pytest.mark.parametrize("target", ["dram", "nvdimm"])
@pytest.mark.parametrize("reads", [100, 50, 0])
def test_counts_bytes_and_times_agree(run: Run, target: str, reads: int) -> None:
    """Also in saturation, where the port refuses packets."""
    seen = views(run, "--target", target, "--reads", reads, "--period", 5, "--count", 1000)
    assert seen.residue == {}
    assert seen.packets["read.packets"] == seen.generator["totalReads"]
    assert seen.packets["write.packets"] == seen.generator["totalWrites"]
    assert seen.packets["read.bytes"] == seen.generator["bytesRead"]
    assert seen.packets["write.bytes"] == seen.generator["bytesWritten"]
    assert seen.packets["read.lines"] == seen.hmsim[f"{target}.reads"]
    assert seen.packets["write.lines"] == seen.hmsim[f"{target}.writes"]
    inside = seen.packets["read.simulator_ps"] + seen.packets["write.simulator_ps"]
    outside = seen.packets["read.interface_ps"] + seen.packets["write.interface_ps"]
    assert outside == inside + seen.packets["admission_ps"]


def test_an_idle_crossbar_adds_a_constant(run: Run) -> None:
    """The generator's latency less the port's is the same for each memory, to a picosecond.

    A cycle of DRAM is two of the crossbar, so no response waits for an edge of its clock.
    """
    clock = ("--clock", "1.6GHz")
    ddr3 = ("--set", "dram.preset=ddr3_1600k_4gb_x8")
    cases = [("--order", "linear"), (), ddr3, (*ddr3, "--set", "dram.timing.CL=20")]
    seen = [views(run, *clock, *case) for case in cases]
    assert len({view.packets["read.simulator_ps"] for view in seen}) == len(cases)
    cycles = 3 + 4 + 2 + 1  # of SystemXBar: front end, forward, response, header
    for view in seen:
        assert view.declared == view.generator["totalReads"] * (20_000 + cycles * 625)


def test_the_clock_of_the_crossbar_does_not_scale_the_memory(run: Run) -> None:
    one = views(run)
    two = views(run, "--clock", "4GHz")
    count = one.packets["read.packets"]
    assert count == two.packets["read.packets"]
    inside = [view.packets["read.simulator_ps"] / count for view in (one, two)]
    assert inside[0] == pytest.approx(inside[1], abs=1250)  # a cycle of DRAM
    assert one.declared > two.declared


def test_scripts_print_a_line(run: Run) -> None:
    load = ("--load", "mix", "--policy", "split", "--duration", "20us")
    outcome = run("configs/gem5/traffic.py", *load, "--views")
    (line,) = (text for text in outcome.stdout.splitlines() if text.startswith("views: "))
    assert line.endswith("; residue 0")
    assert " = simulator " in line
