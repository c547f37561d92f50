# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: its memory tester, whose functional and timing accesses see each other's bytes. It
ends the run with a panic when a read brings another byte than the last write."""

import m5
from m5 import objects
from machine import arguments, instantiate, memory, system, tell

options = arguments(loads=20_000)
chosen = memory(options)
made = system(chosen, generators=0)
where = dict(
    base_addr_1=0, base_addr_2=chosen.dram_size, uncacheable_base_addr=chosen.dram_size + (1 << 20)
)
made.testers = [
    objects.MemTest(
        max_loads=options.loads, percent_reads=50, percent_functional=50, size=4096, **where
    )
    for _ in range(4)
]
for tester in made.testers:
    tester.port = made.membus.cpu_side_ports
instantiate(made)
cause = m5.simulate().getCause()
tell(cause=cause, statistics=chosen.statistics())
