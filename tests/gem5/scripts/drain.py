# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: writes until work of a given kind is in progress, a drain, then reads."""

import m5
from machine import NS, US, arguments, instantiate, lines, memory, scattered, system, tell

options = arguments(work="writes")
chosen = memory(options)
made = system(chosen, generators=2)
instantiate(made)
dram, nvdimm = made.generators


def values():
    wanted = ("dram.reads", "dram.writes", "nvdimm.writes", "nvdimm.gc.count")
    wanted += ("nvdimm.gc.valid_pages.count", "nvdimm.gc.valid_pages.max", "nvdimm.ftl.gc_pages")
    found = chosen.statistics()
    return {name: int(found.get(name, 0)) for name in wanted}


if options.work == "writes":
    lines(dram, 0, 4, reads=0)
    lines(nvdimm, chosen.dram_size, 4, reads=0, stride=4096)
    m5.simulate(30 * NS)
else:
    if options.work == "erase":  # victims have no valid page: a collection is its erase
        lines(nvdimm, chosen.dram_size, 1 << 16, reads=0, stride=4096, period=20 * US)
    else:
        size = chosen.nvdimm_size
        scattered(nvdimm, chosen.dram_size, size, 1 << 16, reads=0, period=20 * US)
    for _ in range(2000):
        m5.simulate(400 * US)
        now = values()
        if now["nvdimm.gc.valid_pages.count"] > now["nvdimm.gc.count"]:
            break
before, start = values(), m5.curTick()
m5.drain()
after, end = values(), m5.curTick()
lines(dram, 0, 4)
m5.simulate(10 * US)
tell(before=before, after=after, ticks=end - start, resumed=values())
