# SPDX-License-Identifier: BSD-3-Clause
"""A crossbar, generators and hmsim's memory, for the scripts in this folder that gem5 runs."""

import argparse
import json

import m5
import m5.objects as objects
from m5.objects import AddrRange

LINE = 64
NS, US = 1000, 1000000  # in ticks

# An NVDIMM of 256 MiB raw and a buffer of 64 + 64 pages, after 2 GB of DRAM.
SMALL = {
    "nvdimm.capacity": "256MiB",
    "nvdimm.ftl.over_provisioning": "28",
    "nvdimm.buffer.read_size": "256KiB",
    "nvdimm.buffer.write_size": "256KiB",
}


def tell(**values):
    """Print values as a line that the test reads as the script's result."""
    print("RESULT " + json.dumps(values), flush=True)


def arguments(**more):
    """Parse the options of every script, and this script's: ``more`` holds their defaults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--policy")
    parser.add_argument("--set", action="append", default=[])
    for name, default in more.items():
        parser.add_argument("--" + name.replace("_", "-"), default=default, type=type(default))
    return parser.parse_args()


def memory(options, **more):
    """Return a memory system of hmsim whose address ranges begin at 0."""
    from gem5.components.memory.harmonic_memory import HarmonicMemory

    overrides = {**SMALL, **dict(item.split("=", 1) for item in options.set)}
    made = HarmonicMemory("gem5", options.policy, overrides, check=True, **more)
    made.set_memory_range([AddrRange(made.get_size())])
    return made


def system(memory, generators=1, way=0):
    """Return a system of generators on a crossbar.

    `way`: bytes per cycle of a second crossbar between the first one and the memory; 0: none.
    """
    made = objects.System(mem_mode="timing", cache_line_size=LINE, mmap_using_noreserve=True)
    made.clk_domain = objects.SrcClockDomain(clock="2GHz", voltage_domain=objects.VoltageDomain())
    made.membus = last = objects.SystemXBar(width=LINE)
    made.system_port = made.membus.cpu_side_ports
    if way:
        made.narrow = last = objects.IOXBar(width=way)
        made.membus.mem_side_ports = made.narrow.cpu_side_ports
    made.memory = memory
    made.mem_ranges = [AddrRange(memory.get_size())]
    for _, port in memory.get_mem_ports():
        last.mem_side_ports = port
    if generators:
        made.generators = [objects.PyTrafficGen(progress_check="1s") for _ in range(generators)]
        for generator in made.generators:
            generator.port = made.membus.cpu_side_ports
    return made


def instantiate(system, checkpoint=None):
    """Make the objects, restored from a checkpoint if one is named."""
    root = objects.Root(full_system=False, system=system)
    m5.instantiate(checkpoint)
    return root


def lines(generator, start, count, reads=100, period=NS, stride=LINE):
    """Have a generator send `count` lines, `stride` bytes apart; silence afterwards."""

    def states():
        end = start + count * stride - 1
        yield generator.createStrided(
            m5.MaxTick, start, end, 0, LINE, LINE, stride, period, period, reads, count * LINE
        )
        yield generator.createIdle(m5.MaxTick)

    generator.start(states())


def scattered(generator, start, size, count, reads=100, period=NS):
    """Have a generator send `count` lines at random places of a range; silence afterwards."""

    def states():
        yield generator.createRandom(
            m5.MaxTick, start, start + size - 1, LINE, period, period, reads, count * LINE
        )
        yield generator.createIdle(m5.MaxTick)

    generator.start(states())
