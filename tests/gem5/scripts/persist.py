# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: a program on one X86 core with a cache, the NVDIMM mapped at 1 TiB."""

import m5
from m5 import objects
from machine import arguments, instantiate, memory, system, tell

options = arguments(program="", how="clwb", lines=100)
chosen = memory(options)
made = system(chosen, generators=0)
made.cpu = objects.X86O3CPU()  # the simple timing one of v24.0 ends at a CLWB
bus = made.membus
made.caches = [
    objects.Cache(
        size="64KiB",
        assoc=8,
        tag_latency=2,
        data_latency=2,
        response_latency=2,
        mshrs=8,
        tgts_per_mshr=8,
        cpu_side=port,
    )
    for port in (made.cpu.icache_port, made.cpu.dcache_port)
]
for cache in made.caches:
    cache.mem_side = bus.cpu_side_ports
made.cpu.createInterruptController()
made.cpu.interrupts[0].pio = bus.mem_side_ports
made.cpu.interrupts[0].int_requestor = bus.cpu_side_ports
made.cpu.interrupts[0].int_responder = bus.mem_side_ports
process = objects.Process(
    executable=options.program, cmd=[options.program, options.how, str(options.lines)]
)
made.workload = objects.SEWorkload.init_compatible(options.program)
made.cpu.workload = process
made.cpu.createThreads()
instantiate(made)
process.map(1 << 40, chosen.dram_size, chosen.nvdimm_size, True)
event = m5.simulate()
tell(
    cause=event.getCause(), code=event.getCode(), ticks=m5.curTick(), statistics=chosen.statistics()
)
