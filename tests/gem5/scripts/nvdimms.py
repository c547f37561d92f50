# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: four controllers that interleave DRAM, of which some have an NVDIMM of their own."""

import m5
from machine import US, arguments, instantiate, lines, memory, system, tell

options = arguments(nvdimms=2, lines=256)
try:
    chosen = memory(options, controllers=4, nvdimms=options.nvdimms)
except ValueError as error:
    tell(refused=str(error))
    raise SystemExit(0) from None
made = system(chosen, generators=1 + options.nvdimms)
instantiate(made)
lines(made.generators[0], 0, options.lines, period=10_000)
start = chosen.dram_size
for number, size in enumerate(chosen.nvdimm_sizes):
    lines(made.generators[1 + number], start, options.lines << number, period=10_000)
    start += size
m5.simulate(1000 * US)
tell(sizes=chosen.nvdimm_sizes, statistics=[chosen.statistics(number) for number in range(4)])
