# SPDX-License-Identifier: BSD-3-Clause
"""Measures a program's base CPI: its cycles per instruction with an ideal (zero-latency) memory.

Run by gem5:

    gem5.opt configs/gem5/base_cpi.py --program "/tmp/network_simplex 100000 600000 1" \\
        --fast-forward 300000000 --instructions 10000000 --base-cpi-out base_cpi.json

The program is a static executable. It runs on an atomic core for --fast-forward, then on an
out-of-order core with caches, whose instruction window is that of hmsim's cores. The result is the
value of ``base_cpi`` for an agent that replays the program's misses (docs/cores.md).
"""

import argparse
import json
import shlex
import sys
from pathlib import Path

import m5
from cores_and_caches import CPUS, Caches, add_core_options, shape_cores
from gem5.components.boards.simple_board import SimpleBoard
from gem5.components.memory.simple import SingleChannelSimpleMemory
from gem5.components.processors.simple_switchable_processor import SimpleSwitchableProcessor
from gem5.isas import ISA
from gem5_run import allow_builds_without_ruby, give_up, make_root, more_help
from m5.objects import Process, SEWorkload

CLOCK = "3GHz"


def arguments():
    example = "base_cpi.py --program './network_simplex 100000 600000 1' --base-cpi-out cpi.json"
    made = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=more_help(example, "gem5.md")
    )
    made.add_argument("--program", required=True, help="command line of a static executable")
    made.add_argument(
        "--fast-forward", type=int, default=0, metavar="N", help="instructions to skip"
    )
    made.add_argument(
        "--warmup",
        type=int,
        default=1_000_000,
        metavar="N",
        help="instructions to run in detail before measuring",
    )
    made.add_argument(
        "--instructions", type=int, default=10_000_000, help="number of instructions to measure"
    )
    add_core_options(made)
    made.add_argument("--memory", default="2GiB", help="size of the memory")
    made.add_argument("--base-cpi-out", metavar="FILE", help="JSON file for the result")
    return made.parse_args()


def make_board(options):
    try:
        name, *rest = shlex.split(options.program)
    except ValueError:
        give_up(f"--program '{options.program}': expected a command line")
    if not Path(name).is_file():
        give_up(f"--program {name}: no such file")
    path = str(Path(name).resolve())
    processor = SimpleSwitchableProcessor(
        starting_core_type=CPUS["atomic"], switch_core_type=CPUS["o3"], isa=ISA.X86, num_cores=1
    )
    shape_cores(processor, options)
    board = SimpleBoard(
        clk_freq=CLOCK,
        processor=processor,
        memory=SingleChannelSimpleMemory("0ns", "0ns", "0B/s", options.memory),
        cache_hierarchy=Caches(options),
    )
    board._set_fullsystem(False)
    board.multi_thread = False
    board.workload = SEWorkload.init_compatible(path)
    process = Process(pid=100, executable=path, cmd=[path, *rest])
    for cores in processor._switchable_cores.values():
        for core in cores:
            core.set_workload(process)
    return board


def run_for(core, instructions, what):
    """Run the given number of instructions; exit with an error if the program ends earlier."""
    core.scheduleInstStop(0, instructions, what)
    cause = m5.simulate().getCause()
    if cause != what:
        give_up(f"the program ended during {what}: '{cause}'")


def measure(options):
    if options.instructions < 1:
        give_up(f"--instructions {options.instructions}: must be at least 1")
    board = make_board(options)
    make_root(board)
    m5.instantiate()
    board._post_instantiate()
    processor = board.get_processor()
    if options.fast_forward:
        run_for(processor.get_cores()[0].get_simobject(), options.fast_forward, "fast-forward")
    processor.switch()
    core = processor.get_cores()[0].get_simobject()
    run_for(core, options.warmup, "warm-up")
    begin, before = m5.curTick(), core.totalInsts()
    run_for(core, options.instructions, "measured part")
    period = round(1e12 / m5.util.convert.toFrequency(CLOCK))
    instructions = core.totalInsts() - before
    result = {
        "program": options.program,
        "instructions": instructions,
        "base_cpi": round((m5.curTick() - begin) / period / instructions, 4),
    }
    print(json.dumps(result))
    if options.base_cpi_out:
        Path(options.base_cpi_out).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__m5_main__":
    given = arguments()
    allow_builds_without_ruby()
    measure(given)
    sys.exit(0)
