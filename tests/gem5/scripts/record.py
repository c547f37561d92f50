# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: a mix of DRAM and NVDIMM traffic whose packets are recorded."""

import m5
from machine import US, arguments, instantiate, memory, scattered, system, tell

options = arguments(end=600_000 * US)
chosen = memory(options, record="packets.trc")
made = system(chosen, generators=3)
instantiate(made)
dram, nvdimm, writer = made.generators
scattered(dram, 0, 1 << 24, 2000, reads=70, period=7_000)
scattered(nvdimm, chosen.dram_size, 1 << 22, 200, reads=80, period=40_000)
scattered(writer, chosen.dram_size, 1 << 20, 60, reads=0, period=60_000)
m5.simulate(options.end)
tell(statistics=chosen.statistics(), resolved=chosen.controllers[0].resolved())
