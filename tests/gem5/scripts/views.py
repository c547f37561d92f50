# SPDX-License-Identifier: BSD-3-Clause
"""Reads or writes of generators, a drain, and the views of hmsim's controller."""

import m5
from machine import NS, arguments, instantiate, lines, memory, scattered, system, tell

FOOTPRINT = 1 << 26

given = arguments(period=1000, count=2000, reads=100, order="random", clock="2GHz", target="dram")
hmsim = memory(given, views=True)
made = system(hmsim)
made.clk_domain.clock = given.clock
instantiate(made)
(generator,) = made.generators
m5.stats.reset()
start = 0 if given.target == "dram" else hmsim.dram_size
if given.order == "random":
    scattered(generator, start, FOOTPRINT, given.count, given.reads, given.period * NS)
else:
    lines(generator, start, given.count, given.reads, given.period * NS)
m5.simulate(given.count * given.period * NS)
m5.drain()
m5.stats.dump()
(controller,) = hmsim.get_memory_controllers()
sums = dict(line.split("=", 1) for line in controller.view_sums().splitlines())
tell(views={name: int(value) for name, value in sums.items()}, statistics=hmsim.statistics())
