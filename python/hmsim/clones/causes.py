# SPDX-License-Identifier: BSD-3-Clause
"""What the threads of a trace with causes do, in a few kilobytes (docs/profiles.md, "Causes")."""

from __future__ import annotations

from dataclasses import dataclass, field

from hmsim.clones.profile import PHASES, Bins, Stream

FOURS = (0, *(1 << k for k in range(0, 41, 2)))  # where bins of work and microseconds begin
SLEEP = "(for a given time)"  # a step, and no role; others are named by the role that ends the wait
OTHERS = "others"  # the roles of what is small
REQUESTS = ("read", "read_ahead", "write", "flush_write", "flush", "discard")
WITHOUT_PAGES = ("flush", "discard")
READS = ("read", "read_ahead")
MOST_ROLES = 64
MOST_THREADS = 256  # of a role: all together are as many as a job may have
PARTS = 8  # a role's threads by their work, when they are more


def kernel_role(name: str) -> str:
    """Return what the role of the kernel's threads of a name is called."""
    return f"[{name}]"


@dataclass
class Step:
    """A way in which threads of a role wait: they sleep, or until a role's thread wakes them.

    Attributes:
        cases: how many there were.
        after: work of the thread before it, since the step before it; none of first waits.
        length: work of the waker in the meantime; of a sleep its microseconds.
    """

    cases: int = 0
    after: Bins = field(default_factory=dict)
    length: Bins = field(default_factory=dict)


@dataclass
class Request:
    """Requests of one kind to the block device.

    Attributes:
        cases: how many there were.
        phases: their pages, or of requests without pages how many there were, in each of `PHASES`
            intervals of as many instructions.
        sizes: of requests, in pages.
        after: work of the thread since its request or use before it.
        rows: pages of requests in a row, each of which begins where the thread's last one ended.
        again: share of such runs that begin on a page that was copied before.
        used: of pages that were read, the share that a thread loads from later.
        depth: pages that the thread has read, and has yet to use, as it reads on.
        uses: work of the thread before a use, since its request or use before it.
    """

    cases: int = 0
    phases: list[int] = field(default_factory=lambda: [0] * PHASES)
    sizes: Bins = field(default_factory=dict)
    after: Bins = field(default_factory=dict)
    rows: Bins = field(default_factory=dict)
    again: float = 0.0
    used: float = 0.0
    depth: Bins = field(default_factory=dict)
    uses: Bins = field(default_factory=dict)


@dataclass
class Role:
    """Threads of one name. Work is instructions, without those of copies.

    Attributes:
        threads: alive at a time.
        work: of each of them; of more than `PARTS` the means of as many parts, ascending.
        phases: thousandths of all that work in each of `PHASES` intervals of as many instructions.
        ended: share of them that waited at the trace's end, for what it does not tell.
        rpki: reads of DRAM per 1000 instructions of work.
        begin: of threads that wait before they run, by whom they wait for.
        steps: likewise, of those that have run.
        requests: by kind.
    """

    threads: int = 1
    work: list[int] = field(default_factory=lambda: [0])
    phases: list[int] = field(default_factory=lambda: [0] * PHASES)
    ended: float = 0.0
    rpki: float = 0.0
    begin: dict[str, Step] = field(default_factory=dict)
    steps: dict[str, Step] = field(default_factory=dict)
    requests: dict[str, Request] = field(default_factory=dict)


@dataclass
class Copy:
    """How requests copy in one direction; gaps are means, in instructions.

    Attributes:
        lines: of each page.
        first: gap before the first line.
        line: between lines of a page.
        page: between the last line of a page and the first one of the next.
        last: behind the last line.
        rpki: reads of DRAM per 1000 instructions of the copy.
        cold: share of the pages of which at least every second line comes with such a read.
        lead: from a read of DRAM to the next line; the median.
    """

    lines: float = 0.0
    first: float = 0.0
    line: float = 0.0
    page: float = 0.0
    last: float = 0.0
    rpki: float = 0.0
    cold: float = 0.0
    lead: int = 0


@dataclass
class Causes:
    """The roles of a trace, and what they share.

    Attributes:
        turn: instructions that a thread has its vCPU for, when another one takes it: half of all
            such instructions lie in shorter turns.
        read, write: the copies of requests.
        non_temporal: share of the lines written.
        fences: of each page written.
        outside: streams of the NVDIMM's lines that no request copied.
        roles: by name, of the kernel's threads in brackets.
    """

    turn: int = 1
    read: Copy = field(default_factory=Copy)
    write: Copy = field(default_factory=Copy)
    non_temporal: float = 0.0
    fences: float = 0.0
    outside: dict[str, Stream] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=dict)
