# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: controllers that share both address ranges, line by line or more."""

import m5
from machine import LINE, US, arguments, instantiate, lines, memory, system, tell

options = arguments(interleaving=LINE, lines=1024)
chosen = memory(options, controllers=2, interleaving=options.interleaving)
made = system(chosen, generators=2)
instantiate(made)
lines(made.generators[0], 0, options.lines, period=10_000)
lines(made.generators[1], chosen.dram_size, options.lines, period=10_000)
m5.simulate(1000 * US)
tell(statistics=[chosen.statistics(index) for index in range(2)])
