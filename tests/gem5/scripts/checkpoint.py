# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: traffic, a checkpoint, and more traffic; or only the latter, from the checkpoint."""

import m5
from machine import US, arguments, instantiate, lines, memory, system, tell

options = arguments(save="", restore="")
chosen = memory(options)
made = system(chosen, generators=2)
instantiate(made, options.restore or None)
dram, nvdimm = made.generators


def traffic(stride):
    lines(dram, 0, 3000, reads=100, period=9_000, stride=stride)
    lines(nvdimm, chosen.dram_size, 600, reads=0, period=40_000, stride=4096 * 5)
    m5.simulate(60 * US)


if options.save:
    traffic(64)
    m5.checkpoint(options.save)
    m5.stats.reset()
traffic(64 * 9)
tell(statistics=chosen.statistics(), end=m5.curTick())
m5.stats.dump()
