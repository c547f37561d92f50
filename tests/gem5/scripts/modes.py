# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: timing mode, atomic mode and timing mode again."""

import m5
from m5.params import allEnums
from machine import US, arguments, instantiate, lines, memory, system, tell

options = arguments()
chosen = memory(options)
made = system(chosen, generators=2)
instantiate(made)
dram, nvdimm = made.generators


def mode(name):
    m5.drain()
    made.setMemoryMode(allEnums["MemoryMode"](name).getValue())


def traffic():
    lines(dram, 0, 100, period=20_000)
    lines(nvdimm, chosen.dram_size, 100, period=20_000, stride=4096)
    m5.simulate(100 * US)
    m5.drain()
    return chosen.statistics()


first = traffic()
mode("atomic")
m5.simulate(5000 * US)
still = chosen.statistics()
mode("timing")
second = traffic()
tell(first=first, still=still, second=second, end=m5.curTick())
