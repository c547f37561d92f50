# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: 100 us of traffic in a given number of parts, each ended by a dump and a reset."""

import m5
from machine import US, arguments, instantiate, lines, memory, system, tell

options = arguments(parts=1)
chosen = memory(options)
made = system(chosen, generators=2)
instantiate(made)
lines(made.generators[0], 0, 20_000, reads=100, period=9_000)
lines(made.generators[1], chosen.dram_size, 4_000, reads=0, period=40_000, stride=4096)
parts = []
for _ in range(options.parts):
    m5.simulate(100 * US // options.parts)
    parts.append(chosen.statistics())
    m5.stats.dump()
    m5.stats.reset()
tell(parts=parts)
