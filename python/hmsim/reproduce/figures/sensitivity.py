# SPDX-License-Identifier: BSD-3-Clause
"""Sensitivity of the main numbers to choices that the paper leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from hmsim.config.configuration import load_config
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import (
    BESIDE,
    CONFIG,
    HMS,
    ONE_QUEUE,
    SPLIT_FCFS,
    VERDICT,
    Case,
    Runs,
    in_modes,
    mix_points,
)
from hmsim.reproduce.figures.gains import chosen, gains, in_mode, whole
from hmsim.reproduce.figures.regimes import FLASH, MACHINE, REGIMES, RESIDENT
from hmsim.reproduce.figures.style import CYCLE, PAGE_WIDTH, Made, legend_below
from hmsim.reproduce.figures.style import paper as stated
from hmsim.runs.calibration import with_table

PROGRAMS = ("dfsioe_r", "sort")
OVER = ("tcm", "firm")
PAPER = {"split": 91.96, "oracle": 51.0, "hms": 13.0}
QUANTITIES = {  # policy, over, core, title
    "split": (SPLIT_FCFS.name, (ONE_QUEUE,), "partner", "mcf: two queues over one"),
    "oracle": ("oracle", ("firm",), "both", "mix: no interference over FIRM"),
    "hms": (HMS, OVER, "program", "program: HMS over TCM and FIRM"),
}
WRITES = {"split": BESIDE, "oracle": VERDICT, "hms": VERDICT}  # write modes of the headline
OTHER = {FLASH: RESIDENT, RESIDENT: FLASH}
TABLE = "policies.harmonic.table"
FOUR_CHANNELS = {  # configs/mascots16_4ch.yaml
    "controller.channels": 4,
    "nvdimm.capacity": "8GiB",
    "nvdimm.buffer.read_size": "100MiB",
    "nvdimm.buffer.write_size": "100MiB",
}


@dataclass(frozen=True)
class Choice:
    """One choice; all others are those of the main results."""

    what: str
    overrides: Mapping[str, Any] = field(default_factory=dict)
    job: Mapping[str, Any] = field(default_factory=dict)
    machine: str = MACHINE
    other_regime: bool = False
    other_writes: bool = False  # each quantity in the write mode that its headline does not have

    def case(self, program: str) -> Case:
        """Return a program's mix with mcf."""
        regime = OTHER[REGIMES[program]] if self.other_regime else ""
        job = tuple(self.job.items())
        return Case(program, machine=self.machine, regime=regime, job=job)

    def writes(self, quantity: str) -> str:
        """Return the write mode of a quantity."""
        other = {VERDICT: BESIDE, BESIDE: VERDICT}
        return other[WRITES[quantity]] if self.other_writes else WRITES[quantity]

    def policies(self) -> list[str]:
        """Return the policies that the quantities want, each once."""
        found: dict[str, None] = {}
        for quantity, (policy, over, *_) in QUANTITIES.items():
            found |= dict.fromkeys(in_modes((policy, *over), self.writes(quantity)))
        return [*found]


CHOICES = (
    Choice("headline"),
    Choice("a copy engine", machine="dma"),
    Choice("cores that copy, 48 loads (marss)", machine="marss"),
    Choice("the other state of the buffer", other_regime=True),
    Choice("three such programs", job={"tasks": 3}),
    Choice("an engine of 32 lines", {"frontend.node.dma_lines": 32}, machine="dma"),
    Choice("base CPI 0.25, the cores' width", job={"base_cpi": 0}),
    Choice("A3: queues of 256 entries", {"controller.queue_depth": 256}),
    Choice("A5: exact HMS instead of tables", {"policies.harmonic.impl": "exact"}),
    Choice("A7: data follow the ack (Fig. 11)", {"controller.ack": "auto"}),
    Choice("A15: 18.75 ns to a precharge", {"dram.precharge_delay": "paper"}),
    Choice("A18: sources are cores", {f"policies.{n}.sources": "core" for n in ("tcm", "par_bs")}),
    Choice("A18: TCM counts banks", {"policies.tcm.nvdimm_service": "bank"}),
    Choice("four channels, an NVDIMM on each", FOUR_CHANNELS),
    Choice("DRAMSim2's two levels of queues", {"controller.structure": "two_level"}),
    Choice("the other write mode", other_writes=True),
)


def table(runs: Runs) -> pd.DataFrame:
    """Return the runs of all choices, one seed."""
    points = []
    trained = with_table(load_config(CONFIG).with_policy("hms")).resolved()[TABLE]
    for each in CHOICES:
        points += mix_points(
            runs,
            [each.case(name) for name in PROGRAMS],
            each.policies(),
            {**each.overrides, TABLE: trained},
            {"choice": each.what},
            seeds=(1,),
        )
    return whole(runs.table(points))


@figure("sensitivity", 21, "Sensitivity to what is open", (PAGE_WIDTH, 5))
def made(runs: Runs) -> Made:
    """dfsioe_r and sort in mixes with mcf: three gains, if one choice changes."""
    found = table(runs)
    rows = []
    for each in CHOICES:
        choice, own = each.what, chosen(found, choice=each.what)
        for quantity, (policy, over, core, _) in QUANTITIES.items():
            gain = gains(in_mode(own, each.writes(quantity)), policy, over)
            gain = chosen(gain, core=core, over="mean" if len(over) > 1 else over[0])
            rows += [
                {"choice": choice, "quantity": quantity, "program": r["program"], "gain": r["gain"]}
                for r in gain.to_dict("records")
            ]
    data = pd.DataFrame(rows)

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        panels = canvas.subplots(1, len(QUANTITIES), sharey=True)
        names: Sequence[str] = [each.what for each in CHOICES][::-1]
        for axes, (quantity, (*_, title)) in zip(panels, QUANTITIES.items()):
            for name, colour, marker in zip(PROGRAMS, CYCLE, "os"):
                own = chosen(data, quantity=quantity, program=name).set_index("choice")["gain"]
                axes.plot(
                    *([own[n] for n in names], range(len(names)), marker),
                    color=colour,
                    ms=5,
                    label=name,
                )
            axes.set_xscale("symlog", linthresh=20)
            axes.set_xlim(-60, 1e5)
            axes.set_xticks([0, 20, 200, 2000, 20_000], ["0", "20", "200", "2k", "20k"])
            axes.tick_params(axis="x", labelsize=8)
            axes.axvline(0, color="black", lw=0.8)
            stated(axes, PAPER[quantity], len(names) - 1)
            axes.set_title(title.replace(": ", ":\n").replace(" over ", "\nover "), fontsize=8.5)
            axes.set_yticks(range(len(names)), names)
            axes.grid(axis="both")
            axes.set_xlabel("gain, %")
        legend_below(canvas, panels[-1], 4, "the paper (mean)")

    caption = (
        "The gain's axis is logarithmic beyond 20 %. One seed; HMS keeps the default machine's "
        "table of rates. A3, A5 and so on number the choices in docs/assumptions.md. Writes are "
        f"{WRITES['split']} in the comparison of two queues with one, otherwise {WRITES['hms']}."
    )
    return Made(data, paint, caption=caption)
