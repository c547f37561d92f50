# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: pages of the NVDIMM are written, then a generator reads pages one by one.

A program on an atomic core writes them, with or without a checkpoint in between, or a file lists
them.
"""

import m5
from m5 import objects
from m5.params import allEnums
from machine import US, arguments, instantiate, lines, memory, system, tell

options = arguments(program="", save="", restore="", written="", pages="0", controllers=1)
chosen = memory(options, written=options.written, controllers=options.controllers)
made = system(chosen)
(generator,) = made.generators
if options.program:
    made.mem_mode = "atomic"
    made.cpu = cpu = objects.X86AtomicSimpleCPU()
    cpu.icache_port = cpu.dcache_port = made.membus.cpu_side_ports
    cpu.createInterruptController()
    cpu.interrupts[0].pio = made.membus.mem_side_ports
    cpu.interrupts[0].int_requestor = made.membus.cpu_side_ports
    cpu.interrupts[0].int_responder = made.membus.mem_side_ports
    process = objects.Process(executable=options.program, cmd=[options.program])
    made.workload = objects.SEWorkload.init_compatible(options.program)
    cpu.workload = process
    cpu.createThreads()
instantiate(made, options.restore or None)
if options.program:
    if not options.restore:
        process.map(1 << 40, chosen.dram_size, chosen.nvdimm_size, True)
        tell(cause=m5.simulate().getCause())
    if options.save:
        m5.checkpoint(options.save)
    m5.drain()
    cpu.switchOut()  # it knows atomic mode only
    made.setMemoryMode(allEnums["MemoryMode"]("timing").getValue())


def from_flash():
    each = [chosen.statistics(number) for number in range(options.controllers)]
    return sum(one["nvdimm.nand.reads"] for one in each)


found = {}
for page in options.pages.split(","):
    before = from_flash()
    lines(generator, chosen.dram_size + 4096 * int(page), 64)
    m5.simulate(1000 * US)
    found[page] = from_flash() - before
tell(from_flash=found)
