# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: both memories' responses compete for one narrow way back, which refuses them, while
their queues refuse requests."""

import m5
from machine import NS, US, arguments, instantiate, lines, memory, system, tell

options = arguments(lines=1000, way=1)
chosen = memory(options)
made = system(chosen, generators=4, way=options.way)
instantiate(made)
for index, generator in enumerate(made.generators):
    start = chosen.dram_size if index % 2 else 0
    lines(generator, start + index * (1 << 20), options.lines, period=NS)
cause = m5.simulate(10_000 * US).getCause()
tell(statistics=chosen.statistics(), cause=cause)
m5.stats.dump()
