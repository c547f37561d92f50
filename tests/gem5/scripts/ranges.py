# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: ranges that fit neither each other nor the configuration."""

from m5.objects import AddrRange
from machine import arguments, instantiate, memory, system, tell

options = arguments(fault="overlap")
chosen = memory(options)
tell(nvdimm=chosen.nvdimm_size)
made = system(chosen)
if options.fault == "overlap":
    chosen.set_memory_range(
        [AddrRange(chosen.dram_size), AddrRange(chosen.dram_size // 2, size=chosen.nvdimm_size)]
    )
else:
    chosen.controllers[0].nvdimm.range = AddrRange(chosen.dram_size, size=chosen.nvdimm_size // 2)
instantiate(made)
