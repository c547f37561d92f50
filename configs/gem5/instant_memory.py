# SPDX-License-Identifier: BSD-3-Clause
"""Memories that answer at once, where a machine's base CPI is measured."""

from gem5.components.memory.abstract_memory_system import AbstractMemorySystem
from gem5.utils.override import overrides
from m5.objects import SimpleMemory


class InstantMemory(AbstractMemorySystem):
    """DRAM and NVDIMMs of no latency and any bandwidth, for a board that takes `HarmonicMemory`.

    Checkpoints of a machine with such memories go on with these: they hold bytes by address.
    """

    def __init__(self, dram_size, nvdimm_sizes):
        """
        :param dram_size: bytes.
        :param nvdimm_sizes: bytes, one for each range of them.
        """
        super().__init__()
        self._sizes = [dram_size, *nvdimm_sizes]
        # An NVDIMM is not for programs in general: boards say what it is.
        self.memories = [
            SimpleMemory(latency="0ns", bandwidth="0B/s", conf_table_reported=number == 0)
            for number in range(len(self._sizes))
        ]

    def __getattr__(self, name):
        """Return ``dram_size``, ``nvdimm_size`` or ``nvdimm_sizes``, as `HarmonicMemory` does."""
        if name == "dram_size":
            return self._sizes[0]
        if name == "nvdimm_sizes":
            return self._sizes[1:]
        if name == "nvdimm_size":
            return sum(self._sizes[1:])
        return super().__getattr__(name)

    @overrides(AbstractMemorySystem)
    def incorporate_memory(self, board):
        pass

    @overrides(AbstractMemorySystem)
    def get_mem_ports(self):
        return [(memory.range, memory.port) for memory in self.memories]

    @overrides(AbstractMemorySystem)
    def get_memory_controllers(self):
        return list(self.memories)

    @overrides(AbstractMemorySystem)
    def get_size(self):
        return sum(self._sizes)

    @overrides(AbstractMemorySystem)
    def set_memory_range(self, ranges):
        """Take DRAM's range and one for each of the NVDIMM's."""
        for memory, part in zip(self.memories, ranges):
            memory.range = part
