# SPDX-License-Identifier: BSD-3-Clause
"""The part of a trace that a conversion keeps."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hmsim._core import InputError
from hmsim.traces.file import TraceFile
from hmsim.traces.records import (
    FORMATS,
    LINE,
    NVDIMM,
    Access,
    AnyPath,
    Reading,
    Reporter,
    has_two_memories,
)

MEMORIES = ("dram", "nvdimm", "both")
ENDLESS = 1 << 63  # instructions
SAMPLED = ("accesses", "blocks")  # kinds of traces whose records can be cut and sampled


@dataclass(frozen=True)
class Part:
    """What is kept of a trace.

    Attributes:
        memory: of a trace of two memories, the accesses to keep: ``dram``, ``nvdimm`` or ``both``.
            With ``both``, the NVDIMM's lines are 2^45 bytes above DRAM's.
        vcpu: of a trace that records vCPUs, the one whose records are kept; None: all.
        skip: in hmsim's format, instructions before the first record that is kept, counted over the
            vCPUs that are kept; in traces of memory requests and blocks, records.
        limit: in hmsim's format, instructions from there on; None: all.
        take: in traces of memory requests and blocks, records to keep at most; None: all.
        every: in these traces, the first of each ``every`` records after ``skip`` is kept, at its
            own time.
    """

    memory: str | None = None
    vcpu: int | None = None
    skip: int = 0
    limit: int | None = None
    take: int | None = None
    every: int = 1

    @property
    def window(self) -> range:
        """The kept instructions of a trace in hmsim's format."""
        return range(self.skip, ENDLESS if self.limit is None else self.skip + self.limit)

    @property
    def both(self) -> bool:
        """Whether lines of all memories of the trace are kept."""
        return self.memory in (None, "both")

    def check(self, source: AnyPath, name: str) -> None:
        """Raise InputError unless a trace of format ``name`` has such a part."""
        path = os.fspath(source)
        if self.memory is not None and self.memory not in MEMORIES:
            raise InputError(f"memory: must be one of {', '.join(MEMORIES)}, got '{self.memory}'")
        if self.vcpu is not None:
            if name != "hmsim":
                raise InputError(f"{path}: traces of format {name} record no vCPUs")
            vcpus = TraceFile(source).header.vcpus
            if not 0 <= self.vcpu < vcpus:
                raise InputError(f"{path}: has no vCPU {self.vcpu}: must be below {vcpus}")
        two = name == "hmsim" and has_two_memories(source)
        if two and self.memory is None:
            raise InputError(f"{path}: has lines of two memories: choose one, or both (--memory)")
        if self.memory is not None and not two:
            raise InputError(f"{path}: has lines of one memory: --memory is not allowed")
        if name != "hmsim" and self.limit is not None:
            raise InputError(
                f"{path}: --limit counts instructions of hmsim's format; use --take for records of "
                f"{name}"
            )
        sampled = FORMATS[name].kind in SAMPLED
        if (self.take is not None or self.every != 1) and not sampled:
            raise InputError(
                f"{path}: --take and --every need a trace of memory requests or blocks, got {name} "
                f"with {FORMATS[name].kind}"
            )
        if name != "hmsim" and self.skip and not sampled:
            raise InputError(
                f"{path}: --skip needs a trace of memory requests or blocks, or of format hmsim, "
                f"got {name}"
            )

    def of_lines(self, accesses: Iterable[Access]) -> Iterator[Access]:
        """Yield kept accesses of hmsim's format; times become those over all kept vCPUs."""
        times: dict[int, int] = {}
        total = 0
        window = self.window
        for access in accesses:
            if self.vcpu is not None and access.source != self.vcpu:
                continue
            total += access.time - times.get(access.source, 0)
            times[access.source] = access.time
            if total >= window.stop:
                return
            if total < window.start:
                continue
            time = total - window.start
            if self.both:
                yield access._replace(time=time)
            elif (access.address >= NVDIMM * LINE) == (self.memory == "nvdimm"):
                yield access._replace(time=time, address=access.address % (NVDIMM * LINE))

    def of_records(self, reading: Reading, report: Reporter | None) -> Iterator[Access]:
        """Yield kept records of a trace of memory requests or blocks."""
        most = None if self.take is None else self.skip + (self.take - 1) * self.every + 1
        return itertools.islice(reading.accesses(report, most), self.skip, None, self.every)


WHOLE = Part()
