# SPDX-License-Identifier: BSD-3-Clause
"""Settings of captures: of a program, of a whole machine, and those of the shipped captures."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Optional

from hmsim.capture.emulation import Caches


@dataclass(frozen=True)
class ProgramSettings:
    """Settings of a program capture.

    Attributes:
        block_format: of the block trace: ``mqsim``, which has no flushes, or ``blkparse``, in which
            fsync and its like are flushes, and writes of files that are open with O_SYNC or O_DSYNC
            are FUA.
        files: a pattern (``*``, ``?``, ``[]``; ``*`` matches ``/``) of full paths whose I/O to
            record; None: all regular files but programs and shared libraries. Files in /proc, /sys
            and /dev are never recorded.
        follow: record the files of the processes that the program starts (x86-64 programs, and
            scripts that one interprets). The clock is the instructions of all of them. Only for a
            block trace alone, of the whole run; processes that outlive the program are ended.
        skip, limit: record the program's instructions from ``skip`` to ``skip`` + ``limit``, and
            end the program there. QEMU rounds both up to the end of a block of its code. Caches are
            warm.
        roi: record only between the 1st and 2nd, 3rd and 4th, ... ``xchg %bx,%bx``.
        caches: sizes and ways; L1 and L2 are private to a thread, L3 is shared.
        level: of zstd's and gzip's compression.
        timeout: seconds of host time; None: no limit.
    """

    block_format: str = "mqsim"
    files: Optional[str] = None
    follow: bool = False
    skip: Optional[int] = None
    limit: Optional[int] = None
    roi: bool = False
    caches: Caches = field(default_factory=Caches)
    level: int = 10
    timeout: Optional[float] = None


@dataclass(frozen=True)
class SystemSettings:
    """The machine of a full-system capture, and what is recorded.

    Attributes:
        scale: factor on the size of the job's files.
        driver: of the NVDIMM's block device, one of `hmsim.capture.machine.DRIVERS`.
        delay: a time, such as ``100us``, by which each request of a ``pmbd`` driver ends later in
            the guest while the job runs; None: no delay.
        processor: one of `hmsim.capture.machine.PROCESSORS`; on that of ``gem5``, Linux and
            programs run the instructions that they run in gem5.
        memory: DRAM, 3GiB at most; None: 1GiB for jobs of the small guest, 2GiB for others.
        nvdimm: size of the NVDIMM.
        vcpus: processors, 8 at most.
        icount: let the guest's time be its instructions, so that traces repeat bit for bit.
        causes: record which threads run and what they wait for.
        skip, limit: record the instructions of all vCPUs from ``skip`` to ``skip`` + ``limit``,
            counted from the begin of the job's first region of interest. The machine ends there.
        size_limit: size of the uncompressed trace at which the machine ends; None: no limit.
        timeout: seconds of host time for the whole run.
    """

    scale: int = 1
    driver: str = "nd_pmem"
    delay: Optional[str] = None
    processor: str = "qemu64"
    memory: Optional[str] = None
    nvdimm: str = "256MiB"
    vcpus: int = 1
    icount: bool = False
    causes: bool = False
    skip: Optional[int] = None
    limit: Optional[int] = None
    size_limit: Optional[str] = None
    timeout: float = 600


_WAITING = SystemSettings(driver="pmbd-nt", icount=True, causes=True, timeout=20_000)
# Settings of the shipped captures in workloads/captures, by job.
SHIPPED = {
    "bayes": replace(_WAITING, scale=8, limit=48_000_000_000),
    "dfsioe_r": replace(_WAITING, scale=32, nvdimm="3GiB"),
    "dfsioe_w": replace(_WAITING, scale=32, nvdimm="3GiB"),
    "kmeans": replace(_WAITING, scale=4, limit=40_000_000_000),
    "lucene-indexing": replace(_WAITING, scale=16, nvdimm="1GiB"),
    "pagerank": replace(_WAITING, scale=8, limit=48_000_000_000),
    "sort": replace(_WAITING, scale=32, nvdimm="2GiB"),
    "wordcount": replace(_WAITING, scale=32),
}
