# SPDX-License-Identifier: BSD-3-Clause
"""Cores and caches of measured machines, for the run scripts. The paper also has --l2 2MiB."""

from gem5.components.cachehierarchies.abstract_cache_hierarchy import AbstractCacheHierarchy
from gem5.components.cachehierarchies.classic.abstract_classic_cache_hierarchy import (
    AbstractClassicCacheHierarchy,
)
from gem5.components.cachehierarchies.classic.caches.l1dcache import L1DCache
from gem5.components.cachehierarchies.classic.caches.l1icache import L1ICache
from gem5.components.cachehierarchies.classic.caches.l2cache import L2Cache
from gem5.components.cachehierarchies.classic.caches.mmu_cache import MMUCache
from gem5.components.processors.cpu_types import CPUTypes
from gem5.isas import ISA
from gem5.utils.override import overrides
from m5.objects import BadAddr, BaseO3CPU, Cache, L2XBar, SystemXBar

CPUS = {
    "atomic": CPUTypes.ATOMIC,
    "kvm": CPUTypes.KVM,
    "timing": CPUTypes.TIMING,
    "o3": CPUTypes.O3,
}
# Without write-back: gem5 v24 fails an assertion (TimeBuffer::valid) if that stage is narrow.
STAGES = ("fetch", "decode", "rename", "dispatch", "issue", "commit", "squash")


def add_core_options(made):
    """Add the options of out-of-order cores and their caches to a parser."""
    made.add_argument("--window", type=int, default=128, help="instructions in flight, O3 core")
    made.add_argument("--width", type=int, default=4, help="instructions per cycle, O3 core")
    made.add_argument("--mshrs", type=int, default=64, help="misses in flight per cache")
    made.add_argument("--l1", default="32KiB", help="size of each first-level cache of a core")
    made.add_argument(
        "--l2", default="", help="size of each private second-level cache (default: none)"
    )
    made.add_argument("--llc", default="8MiB", help="size of the shared last-level cache")


def shape_cores(processor, options):
    """Set the width and window of the out-of-order cores of a switchable processor."""
    for core in processor._all_cores():
        cpu = core.get_simobject()
        if isinstance(cpu, BaseO3CPU):
            cpu.numROBEntries = options.window
            for stage in STAGES:
                setattr(cpu, f"{stage}Width", options.width)


class Caches(AbstractClassicCacheHierarchy):
    """Private first levels, optional private second levels, and a shared last level.

    Each cache can have many misses in flight. With the 4 to 20 of gem5's own caches, a core cannot
    fill the controller's queue.
    """

    def __init__(self, options):
        super().__init__()
        self._options = options
        self.membus = SystemXBar(width=64)
        self.membus.badaddr_responder = BadAddr()
        self.membus.default = self.membus.badaddr_responder.pio

    @overrides(AbstractClassicCacheHierarchy)
    def get_mem_side_port(self):
        return self.membus.mem_side_ports

    @overrides(AbstractClassicCacheHierarchy)
    def get_cpu_side_port(self):
        return self.membus.cpu_side_ports

    def _with_misses(self, cache):
        cache.mshrs = self._options.mshrs
        cache.write_buffers = self._options.mshrs
        cache.tgts_per_mshr = 16
        return cache

    @overrides(AbstractCacheHierarchy)
    def incorporate_cache(self, board):
        board.connect_system_port(self.membus.cpu_side_ports)
        for _, port in board.get_memory().get_mem_ports():
            self.membus.mem_side_ports = port
        options, cores = self._options, board.get_processor().get_cores()
        self.l1icaches = [
            self._with_misses(L1ICache(size=options.l1, writeback_clean=False)) for _ in cores
        ]
        self.l1dcaches = [self._with_misses(L1DCache(size=options.l1)) for _ in cores]
        self.iptw_caches = [MMUCache(size="8KiB", writeback_clean=False) for _ in cores]
        self.dptw_caches = [MMUCache(size="8KiB", writeback_clean=False) for _ in cores]
        self.llcbus = L2XBar()
        self.llc = self._with_misses(L2Cache(size=options.llc, assoc=16))
        if options.l2:
            self.llc.tag_latency = self.llc.data_latency = 30
            self.l2buses = [L2XBar() for _ in cores]
            self.l2caches = [self._with_misses(L2Cache(size=options.l2, assoc=8)) for _ in cores]
        for number, core in enumerate(cores):
            core.connect_icache(self.l1icaches[number].cpu_side)
            core.connect_dcache(self.l1dcaches[number].cpu_side)
            core.connect_walker_ports(
                self.iptw_caches[number].cpu_side, self.dptw_caches[number].cpu_side
            )
            if board.get_processor().get_isa() == ISA.X86:
                core.connect_interrupt(self.membus.mem_side_ports, self.membus.cpu_side_ports)
            else:
                core.connect_interrupt()
            below = self.llcbus
            if options.l2:
                below = self.l2buses[number]
                below.mem_side_ports = self.l2caches[number].cpu_side
                self.l2caches[number].mem_side = self.llcbus.cpu_side_ports
            for caches in (self.l1icaches, self.l1dcaches, self.iptw_caches, self.dptw_caches):
                caches[number].mem_side = below.cpu_side_ports
        self.llcbus.mem_side_ports = self.llc.cpu_side
        self.membus.cpu_side_ports = self.llc.mem_side
        if board.has_coherent_io():
            self.iocache = Cache(
                assoc=8,
                tag_latency=50,
                data_latency=50,
                response_latency=50,
                mshrs=20,
                size="1KiB",
                tgts_per_mshr=12,
                addr_ranges=board.mem_ranges,
            )
            self.iocache.mem_side = self.membus.cpu_side_ports
            self.iocache.cpu_side = board.get_mem_side_coherent_io_port()
