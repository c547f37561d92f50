# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of the scripts that run programs: options, and the measured part of a run."""

import argparse
import time

import m5
from cores_and_caches import add_core_options
from gem5_run import add_memory_options, more_help
from m5.objects import BaseO3CPU


def parser(text, example, page):
    """Return a parser with the options common to all scripts that run programs.

    Its help has ``text``, an ``example`` of a command line and the ``page`` to read.
    """
    made = argparse.ArgumentParser(description=text, epilog=more_help(example, page))
    add_memory_options(made)
    made.add_argument(
        "--cpu", default="o3", choices=["timing", "o3"], help="cores of the measured part"
    )
    made.add_argument("--clock", default="3GHz", help="clock of the cores")
    add_core_options(made)
    made.add_argument(
        "--warmup", default="0us", help="simulated time to run in detail before measuring"
    )
    made.add_argument("--duration", default="1ms", help="largest simulated time to measure")
    return made


class Region:
    """The measured part of a run. It begins at construction."""

    def __init__(self, cores, clock):
        self._cores = cores
        self._period = round(1e12 / m5.util.convert.toFrequency(clock))  # ticks
        self._began = time.time()
        m5.stats.reset()
        self._start = m5.curTick()
        self._before = [core.get_simobject().totalInsts() for core in cores]

    def end(self):
        """Return statistics of the cores by dotted path, and the host seconds of this part."""
        m5.stats.dump()
        elapsed = m5.curTick() - self._start
        found = {}
        for number, core in enumerate(self._cores):
            done = core.get_simobject().totalInsts() - self._before[number]
            found[f"agent.{number}.progress"] = done
            found[f"agent.{number}.rate"] = done / elapsed * 1e12
            found[f"core.{number}.instructions"] = done
            found[f"core.{number}.ipc"] = done * self._period / elapsed
            if isinstance(core.get_simobject(), BaseO3CPU):  # other cores also count halted cycles
                cycles = core.get_simobject().resolveStat("numCycles").value
                found[f"core.{number}.busy"] = cycles * self._period
                found[f"core.{number}.busy_ipc"] = done / cycles if cycles else 0.0
        ipcs = [value for name, value in found.items() if name.endswith(".ipc")]
        return {**found, "system.ipc": sum(ipcs)}, time.time() - self._began
