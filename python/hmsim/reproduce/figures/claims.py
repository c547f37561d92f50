# SPDX-License-Identifier: BSD-3-Clause
"""Claims of the paper that the figures check.

Bands and forms come from the paper's words and were set before the runs. Bands are wide because
the traces are not the paper's. A claim without a band states an order or a direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Claim:
    """One claim.

    Attributes:
        id: ``R2a``: target R2, its first number.
        place: where the paper says it.
        statement: in our words.
        paper: its number in `unit`; None where it gives none.
        unit: '%' of a gain or a change, 'us', ...
        band: what counts as reproduced; None: order or direction only.
        figure: what decides it.
        how: how our number is computed.
        uncounted: why no verdict is given, if so.
        constructed: why its form cannot fail, if so: it is checked, and not counted.
        programs: whether it is about the programs, so that the median program has a say.
        no_change: whether it claims that nothing changes.
        groups: of readings that matter for it; None: those of all mixes.
    """

    id: str
    place: str
    statement: str
    paper: float | None
    unit: str
    band: tuple[float, float] | None
    figure: str
    how: str
    uncounted: str = ""
    constructed: str = ""
    programs: bool = False
    no_change: bool = False
    groups: tuple[str, ...] | None = None

    @property
    def target(self) -> str:
        return self.id.rstrip("abcdefgh")

    @property
    def counted(self) -> bool:
        return not self.uncounted and not self.constructed

    @property
    def no_effect(self) -> float | None:
        """Our number if there were no effect; None if the claim is about no effect."""
        if self.no_change:
            return None
        return {"%": 0.0, "times": 1.0}.get(self.unit)

    @property
    def falls(self) -> bool:
        """Whether the effect that it claims is negative."""
        return (self.paper or 0) < 0 or (self.band is not None and self.band[1] <= 0)


GAIN = "gain in IPC, mean over the eight programs"
DRAINED = "writes drained"
FIRM = "FIRM at its published parameters or at the best of ours, whichever is stronger"
ALONE = "Captures record no shuffle that couples nodes, so online runs would repeat offline ones."
# Groups of readings.
QUEUE, COPIES = ("outstanding",), ("hold_channel",)
ORDER = (*QUEUE, "within_class")
TECHNIQUES = (*ORDER, "release", "low_water")
ITEMS = (*QUEUE, "ack_order", "item_reads")
BLOCKS = (*QUEUE, "ack_order")
CLAIMS = (
    Claim(
        *("R1", "Table I", "An NVDIMM reads in about 150 us, and writes far faster", 150.0, "us"),
        *((100.0, 200.0), "table1"),
        "mean response time of random 4 KB reads, one at a time; the band is of the paper's device",
        groups=(),
    ),
    Claim(
        *("R2a", "Table II", "Two queues instead of one: mcf, offline", 91.96, "%"),
        *((50.0, 150.0), "table2", f"FCFS in both; {GAIN}, of mcf"),
        programs=True,
    ),
    Claim(
        *("R2b", "Table II", "Two queues instead of one: mcf, online", 89.68, "%"),
        *((50.0, 150.0), "table2", f"FCFS in both; {GAIN}, of mcf", ALONE),
    ),
    Claim(
        *("R2c", "Table II", "Two queues instead of one: big data, offline", 9.26, "%"),
        *((0.0, 25.0), "table2", f"FCFS in both; {GAIN}, of the program"),
        programs=True,
    ),
    Claim(
        *("R2d", "Table II", "Two queues instead of one: big data, online", 9.08, "%"),
        *((0.0, 25.0), "table2", f"FCFS in both; {GAIN}, of the program", ALONE),
    ),
    Claim(
        *("R2e", "Table II", "mcf gains at least four times what big data gains", 9.9, "times"),
        *(
            (4.0, inf),
            "table2",
            "R2a over R2c, if both are gains with every seed; the same of the median mixes",
        ),
        programs=True,
    ),
    Claim(
        *("R3a", "Fig. 5", "No interference over TCM, offline", 69.0, "%", (44.0, 94.0), "fig5"),
        f"{GAIN}, mean of mcf and program; {DRAINED}",
        programs=True,
    ),
    Claim(
        *("R3b", "Fig. 5", "No interference over FIRM, offline", 51.0, "%", (31.0, 71.0), "fig5"),
        f"{GAIN}, mean of mcf and program; {DRAINED}; {FIRM}",
        programs=True,
    ),
    Claim(
        *("R3c", "Fig. 5", "FIRM over TCM, implied, offline", 12.0, "%", (0.0, 24.0), "fig5"),
        f"{GAIN}, mean of mcf and program; {DRAINED}; {FIRM}",
        programs=True,
    ),
    Claim(
        *("R4", "Fig. 7", "More than 104 of 128 entries are the NVDIMM's", 90.0, "% of time"),
        *((85.0, 100.0), "fig7"),
        "share of time, mcf beside dfsioe_r on one queue. The paper says that fewer than 24 are "
        "DRAM's, which nearly always holds for mcf alone",
    ),
    Claim(
        *("R5a", "Fig. 8a", "dfsioe_r alone: more than 104 entries", 80.0, "% of time"),
        *((70.0, 100.0), "fig8a", "share of time; the paper says 'over 80 %'"),
    ),
    Claim(
        *("R5b", "Fig. 8a", "sort alone: more than 104 entries", 5.0, "% of time"),
        *((0.0, 15.0), "fig8a"),
        "share of time; the paper says 'less than 5 %'; sort has requests in the queue",
    ),
    Claim(
        *("R6", "Fig. 8b", "I/O latency grows with outstanding I/Os", None, "", None, "fig8b"),
        "synthetic reads, 1 to 64 outstanding: monotone",
        constructed="With a fixed number of reads outstanding, latency is that number over the "
        "rate, and the rate of any device ends somewhere.",
    ),
    Claim(
        *("R7", "Fig. 8c", "I/O latency grows with the randomness of reads", None, "%", None),
        *("fig8c", "synthetic reads, 0 to 100 % of lines at random: the least growth of a step"),
        groups=QUEUE,
    ),
    Claim(
        *("R8", "Fig. 8d", "Many lines access the same flash page", None, "% of visits"),
        *((90.0, 100.0), "fig8d"),
        "share of visits to a page, of dfsioe_r, dfsioe_w and sort together, that make 64 accesses",
        constructed="Block I/O is recorded in whole pages.",
    ),
    Claim(
        *("R9", "V-A", "The mapping tables take 3096 bytes", 3096.0, "bytes", (3096.0, 3096.0)),
        *("weight", "4 bytes a utilisation stage, 4 a DRAM cell, 5 an NVDIMM cell, of our axes"),
        constructed="It is arithmetic on axes that were taken from the paper.",
    ),
    Claim(
        *("R10", "Fig. 15a", "HMS over the baselines, mcf, offline", 13.0, "%", (5.0, 25.0)),
        "fig15a",
        f"{GAIN}, of the program; mean over PAR-BS, TCM, NVM Duet and FIRM; {DRAINED}; {FIRM}",
        programs=True,
        groups=ORDER,
    ),
    Claim(
        *("R11", "Fig. 15b", "HMS over the baselines, mcf, online", 11.0, "%", (5.0, 25.0)),
        *("fig15a", "as Fig. 15a", ALONE),
    ),
    Claim(
        *("R12a", "VI-B1", "dfsioe_r gains more as w grows from 0.2 to 0.8", 6.1, "%"),
        *((1.0, 16.0), "weight", "IPC at w = 0.8 over IPC at 0.2; the paper: gains of 22 and 15 %"),
    ),
    Claim(
        *("R12b", "VI-B1", "sort gains less as w grows from 0.2 to 0.8", -14.1, "%"),
        *((-24.0, -4.0), "weight"),
        "IPC at w = 0.8 over IPC at 0.2; the paper: gains of 10 and 28 %",
    ),
    Claim(
        *("R13a", "Fig. 15c", "HMS over the baselines, lbm: between mcf and milc", None, "%"),
        *(None, "fig15c"),
        "as Fig. 15a; a gain with each partner, less than with mcf, more than with milc; whole "
        "intervals of the differences",
        programs=True,
        groups=ORDER,
    ),
    Claim(
        *("R13b", "Fig. 15d", "HMS over the baselines, milc", 4.0, "%", (0.0, 8.0), "fig15d"),
        "as Fig. 15a; less than with mcf; whole interval of the difference",
        programs=True,
        groups=ORDER,
    ),
    Claim(
        *("R14", "Fig. 15e", "SPEC programs gain too", None, "%", None, "fig15e"),
        "as Fig. 15a, of the partner's core; of each partner the mean and the median program, "
        "whole intervals",
        programs=True,
        groups=ORDER,
    ),
    Claim(
        *("R15", "Fig. 16", "Page over item, read hit ratio, bayes", 10.88, "times"),
        *((5.44, 21.76), "fig16"),
        "hits and merged, mean of buffer sizes; within a factor of two; none if nothing hits item "
        "frames",
        groups=ITEMS,
    ),
    Claim(
        *("R16a", "Fig. 16", "PAS over FCFS, read hit ratio", 5.0, "%", (2.0, 10.0), "fig16"),
        "hits and merged, relative, mean of programs that read and of sizes",
        programs=True,
        groups=BLOCKS,
    ),
    Claim(
        *("R16b", "Fig. 16", "PAS over FCFS, write hit ratio", 4.0, "%", (2.0, 10.0), "fig16"),
        "hits and merged, relative, mean of programs that write and of sizes",
        programs=True,
        groups=BLOCKS,
    ),
    Claim(
        *("R17a", "Fig. 17", "bayes, mean response, item frames", 158.42, "us", (79.0, 317.0)),
        *("fig17", "4 KB block; within a factor of two; longer than with page frames"),
        groups=ITEMS,
    ),
    Claim(
        *("R17b", "Fig. 17", "bayes, mean response, page frames", 89.73, "us", (45.0, 180.0)),
        *("fig17", "4 KB block; within a factor of two; shorter than with item frames"),
        groups=ITEMS,
    ),
    Claim(
        *("R17c", "Fig. 17", "bayes, item over page", 1.77, "times", (1.3, 2.5), "fig17"),
        "R17a over R17b",
        groups=ITEMS,
    ),
    Claim(
        *("R17d", "Fig. 17", "PAS shortens the mean response further", 10.0, "%", (2.0, 20.0)),
        *("fig17", "mean over the programs, page frames"),
        programs=True,
        groups=BLOCKS,
    ),
    Claim(
        *("R18a", "Fig. 18", "PAS: performance, buffers of 4 MB", 12.0, "%", (5.0, 20.0), "fig18"),
        "rate of block I/O over that of FCFS, mean of programs",
        programs=True,
        groups=(*BLOCKS, "fig18_metric"),
    ),
    Claim(
        *("R18b", "Fig. 18", "PAS: performance, buffers of 512 MB", 15.0, "%", (5.0, 20.0)),
        *("fig18", "the same; not less than with 4 MB"),
        programs=True,
        groups=(*BLOCKS, "fig18_metric"),
    ),
    Claim(
        *("R19a", "Fig. 19", "Proactive GC: mean response while collecting", -52.0, "%"),
        *((-70.0, -30.0), "fig19"),
        "blocks that a collection overlaps, over reactive; mean of two loads, less with each",
        groups=COPIES,
    ),
    Claim(
        *("R19b", "Fig. 19", "Proactive GC removes the worst case", None, "%", (-100.0, -50.0)),
        *("fig19", "longest response over that of reactive; mean of two loads, less with each"),
        groups=COPIES,
    ),
    Claim(
        *("R20a", "Fig. 20", "All techniques over FIRM, mean", 27.0, "%", (15.0, 40.0), "fig20"),
        f"{GAIN}, of the program, mcf, offline; {DRAINED}; {FIRM}",
        programs=True,
        groups=TECHNIQUES,
    ),
    Claim(
        *("R20b", "Fig. 20", "All techniques over HMS alone", 13.0, "%", (5.0, 25.0), "fig20"),
        f"{GAIN}, of the program, mcf, offline; {DRAINED}",
        programs=True,
        groups=TECHNIQUES,
    ),
    Claim(
        *("R21", "Abstract", "All techniques over FIRM, the best program", 35.0, "%"),
        *((25.0, 45.0), "fig20", "as R20a, largest of the programs; the least is said to be 10 %"),
        groups=TECHNIQUES,
    ),
    Claim(
        *("R22", "V-C", "Proactive GC costs no endurance", 0.0, "%", (-2.0, 2.0), "fig19"),
        "erases over those of reactive, same trace; mean of two loads, within the band with each",
        no_change=True,
        groups=COPIES,
    ),
)
BY_ID = {claim.id: claim for claim in CLAIMS}
GROUPS = {  # of claims, by their targets
    "Queues": ("R2", "R3", "R4", "R5", "R6", "R7"),
    "The whole controller": ("R10", "R11", "R13", "R14", "R20", "R21"),
    "The harmonic weight": ("R9", "R12"),
    "Page-aware scheduling": ("R8", "R15", "R16", "R17", "R18"),
    "Garbage collection": ("R19", "R22"),
    "Context": ("R1",),
}
