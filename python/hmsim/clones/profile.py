# SPDX-License-Identifier: BSD-3-Clause
"""Profiles: what a trace of misses is like, in a few kilobytes (docs/workloads.md)."""

from __future__ import annotations

from dataclasses import dataclass, field

from hmsim.traces.records import FILL, NT_WRITE, WRITE_BACK

VERSION = 4
PHASES = 32
PAGE_LINES = 64
STREAMS = {  # of a record: its name, memory and kind
    "dram_fills": (False, FILL),
    "dram_write_backs": (False, WRITE_BACK),
    "dram_non_temporal": (False, NT_WRITE),
    "nvdimm_fills": (True, FILL),
    "nvdimm_write_backs": (True, WRITE_BACK),
    "nvdimm_non_temporal": (True, NT_WRITE),
}
MANY = 1 << 40
# Lower bounds of the classes of visits, in accesses.
VISITS = (1, 2, 3, 4, 5, 9, 17, 33, 64, 65, 129)
POWERS = (0, *(1 << k for k in range(41)))  # where other bins begin
SWEEPS = (0, 1, 2, 4, 8, 16, 32, 64)  # where bins of visits in a row begin
LONG_SWEEP = 4
PIECES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)  # where bins of pieces begin
RUNS = tuple(1 << k for k in range(7))  # where bins of runs begin
LONGEST_REUSE = 1 << 18  # visits; longer distances count as LONGEST_REUSE - 1
MOST_PACES = 8
LONGEST_VISIT = 1 << 20  # accesses; a longer one counts as several

Bins = dict[int, list[float]]  # where a bin begins: its share of cases, and their mean
Groups = dict[int, Bins]


@dataclass
class Stream:
    """Profile of one kind of access to one memory; shares are fractions of 1.

    Attributes:
        accesses: number of accesses.
        pages: number of distinct pages.
        visits: number of visits to pages.
        phases: accesses in each of `PHASES` intervals of equally many instructions.
        paces: group of each phase; a group holds phases of similar density.
        jumped: visits that do not begin on the line after the previous visit's last line. Each bin
            of a number of accesses has: the share of visits, their mean number of accesses, and
            the shares of them that go from line to line, begin in the page's first line, and end
            in its last.
        followed: the same for visits that begin on the line after the previous visit's last line.
        swept: the same for followed visits that are at least the `LONG_SWEEP`-th in a row.
        follow: of the visits that end in a page's last line, the shares after which the next visit
            follows, by the number of visits in a row that have followed so far (`SWEEPS`). Six
            kinds of visits are separate: one access; several, from line to line; several, not from
            line to line; each as first or as later visit of its page.
        kinds: shares of visits that jumped, followed (fewer than `LONG_SWEEP` in a row) and swept.
            For information only: twins use `mixes`.
        mixes: the same shares by the phase's pace and by accesses.
        reuse: visits by how many visits ago their page was visited last; 0: never.
        inside: gaps before accesses within a visit, by the phase's pace. A gap is in instructions;
            for write-backs it is in fills.
        between: gaps before the first access of a visit.
        skips: steps within a visit to other lines than the next, in lines.
        edges: first and last runs of consecutive lines in visits that do not go from line to line,
            by the visit's accesses.
        pieces: the runs between the first and the last one.
        runs: accesses by the length of the run of consecutive lines that they belong to. For
            information only: twins do not use it.
    """

    accesses: int = 0
    pages: int = 0
    visits: int = 0
    phases: list[int] = field(default_factory=lambda: [0] * PHASES)
    paces: list[int] = field(default_factory=lambda: [0] * PHASES)
    jumped: Bins = field(default_factory=dict)
    followed: Bins = field(default_factory=dict)
    swept: Bins = field(default_factory=dict)
    follow: Bins = field(default_factory=dict)
    kinds: list[float] = field(default_factory=lambda: [1.0, 0.0, 0.0])
    mixes: Groups = field(default_factory=dict)
    reuse: Bins = field(default_factory=dict)
    inside: Groups = field(default_factory=dict)
    between: Groups = field(default_factory=dict)
    skips: Bins = field(default_factory=dict)
    edges: Groups = field(default_factory=dict)
    pieces: Groups = field(default_factory=dict)
    runs: Bins = field(default_factory=dict)


@dataclass
class Profile:
    """The streams of a trace, and its length."""

    instructions: int
    dram_pages: int  # distinct ones, of all streams together
    nvdimm_pages: int
    streams: dict[str, Stream]
    description: str = ""
    calibrated: str = ""  # to what; "" to nothing

    def rate(self, *names: str) -> float:
        """Return accesses per thousand instructions of some streams."""
        return sum(1000 * self.streams[n].accesses for n in names if n in self.streams) / max(
            self.instructions, 1
        )

    def figures(self) -> dict[str, float]:
        """Return the main statistics by name: rates, ratios, footprints, locality."""
        reads = self.rate("dram_fills", "nvdimm_fills")
        nvdimm = [name for name in STREAMS if name.startswith("nvdimm")]
        writes = self.rate(*STREAMS) - reads
        result = {
            "rpki": reads,
            "wpki": writes,
            "read_ratio": reads / max(reads + writes, 1e-12),
            "nvdimm_rpki": self.rate("nvdimm_fills"),
            "nvdimm_wpki": self.rate("nvdimm_write_backs", "nvdimm_non_temporal"),
            "nvdimm_share": self.rate(*nvdimm) / max(reads + writes, 1e-12),
            "dram_footprint_mib": self.dram_pages / 256,
            "nvdimm_footprint_mib": self.nvdimm_pages / 256,
        }
        for memory in ("dram", "nvdimm"):
            streams = [s for name, s in self.streams.items() if name.startswith(memory)]
            visits = sum(stream.visits for stream in streams)
            if visits:
                accesses = sum(stream.accesses for stream in streams)
                result[f"{memory}_accesses_per_visit"] = accesses / visits
        return result
