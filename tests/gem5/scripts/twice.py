# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: one system, or two like it in one process, with the same traffic each."""

import m5
from m5 import objects
from machine import US, arguments, lines, memory, system, tell

options = arguments(systems=1)
chosen = [memory(options) for _ in range(options.systems)]
root = objects.Root(full_system=False)
root.systems = [system(each, generators=2) for each in chosen]
m5.instantiate()
for each, made in zip(chosen, root.systems):
    lines(made.generators[0], 0, 2000, reads=100, period=7000)
    lines(made.generators[1], each.dram_size, 500, reads=0, stride=4096 * 3, period=9000)
m5.simulate(30 * US)
tell(statistics=[each.statistics() for each in chosen])
