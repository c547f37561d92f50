# SPDX-License-Identifier: BSD-3-Clause
"""Memories that answer at once, for measurements of a machine's base CPI."""

from gem5.components.memory.abstract_memory_system import AbstractMemorySystem
from gem5.utils.override import overrides
from m5.objects import SimpleMemory


class InstantMemory(AbstractMemorySystem):
    """DRAM and NVDIMMs with zero latency and unlimited bandwidth, in place of `HarmonicMemory`.

    A checkpoint made with `HarmonicMemory` can be restored with these memories, because it holds
    bytes by address.
    """

    def __init__(self, dram_size, nvdimm_sizes):
        """
        :param dram_size: in bytes.
        :param nvdimm_sizes: in bytes, one for each NVDIMM range.
        """
        super().__init__()
        self._sizes = [dram_size, *nvdimm_sizes]
        # NVDIMMs are not in the table of memory for general use; the board describes them.
        self.memories = [
            SimpleMemory(latency="0ns", bandwidth="0B/s", conf_table_reported=number == 0)
            for number in range(len(self._sizes))
        ]

    def __getattr__(self, name):
        """Return a memory size, named as in `HarmonicMemory`, or another attribute."""
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
        """Set the range of DRAM and of each NVDIMM, in this order."""
        for memory, part in zip(self.memories, ranges):
            memory.range = part
