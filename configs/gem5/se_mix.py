# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs on one core each, without an operating system (system call emulation).

Run by gem5:

    gem5.opt configs/gem5/se_mix.py --program "block_copy read 64 0" \\
        --program "pointer_chase 32 4 0" --policy unified_fr_fcfs --policy split --out runs

A name without a slash means workloads/gem5/NAME.c, which is compiled. Other names are paths of
static executables. Atomic cores run until each program signals the start of its measured part
(workloads/gem5/gem5.h), or for --fast-forward instructions each. Then detailed cores take over. The
whole NVDIMM is mapped in every process. The environment variables HMSIM_NVDIMM and
HMSIM_NVDIMM_BYTES hold its address and size.
"""

import shlex
import subprocess
import sys
from pathlib import Path

import m5
from cores_and_caches import CPUS, Caches, shape_cores
from gem5.components.boards.simple_board import SimpleBoard
from gem5.components.processors.simple_switchable_processor import SimpleSwitchableProcessor
from gem5.isas import ISA
from gem5_run import (
    allow_builds_without_ruby,
    give_up,
    leave_run,
    make_memory,
    make_root,
    run_each_policy,
    ticks,
)
from m5.objects import Process, SEWorkload
from program_runs import Region, parser

OURS = Path(__file__).resolve().parents[2] / "workloads" / "gem5"
NVDIMM_ADDRESS = 1 << 40  # virtual, in each process
MOST_MAPPED = 1 << 30  # bytes per call of Process.map, which takes an int
LAST = "exiting with last active thread context"
LIMIT = "simulate() limit reached"


def arguments():
    made = parser(
        __doc__.splitlines()[0],
        "se_mix.py --program 'block_copy read 64 0' --policy all --out runs",
        "gem5-programs.md",
    )
    made.add_argument(
        "--program",
        action="append",
        required=True,
        help="command line of a program; may be repeated, one per core",
    )
    made.add_argument(
        "--fast-forward", type=int, default=0, metavar="N", help="instructions to skip on each core"
    )
    return made.parse_args()


def executable(name):
    """Return the path of a program; compiles workloads/gem5/NAME.c into gem5's output folder."""
    if "/" in name:
        path = Path(name)
        if not path.is_file():
            give_up(f"--program {name}: no such file")
        return path.resolve()
    source = OURS / f"{name}.c"
    if not source.is_file():
        known = ", ".join(sorted(path.stem for path in OURS.glob("*.c")))
        give_up(f"--program {name}: is neither a path nor a shipped program; known: {known}")
    path = Path(m5.options.outdir, name).resolve()
    compiler = ["gcc", "-O2", "-static", "-o", str(path), str(source)]
    if subprocess.run(compiler).returncode:
        give_up(f"--program {name}: cannot be compiled")
    return path


def make_processes(lines, memory, folders=None):
    """Return a process for each command line. ``folders`` are their working directories."""
    made = []
    for number, line in enumerate(lines):
        name, *rest = shlex.split(line)
        path = str(executable(name))
        process = Process(
            pid=100 + number,
            executable=path,
            cmd=[path, *rest],
            output=str(Path(m5.options.outdir, f"program.{number}.out").resolve()),
            env=[f"HMSIM_NVDIMM={NVDIMM_ADDRESS:#x}", f"HMSIM_NVDIMM_BYTES={memory.nvdimm_size}"],
        )
        if folders:
            process.cwd = str(folders[number])
        made.append(process)
    return made


def make_board(options, processes, memory):
    processor = SimpleSwitchableProcessor(
        starting_core_type=CPUS["atomic"],
        switch_core_type=CPUS[options.cpu],
        isa=ISA.X86,
        num_cores=len(processes),
    )
    shape_cores(processor, options)
    board = SimpleBoard(
        clk_freq=options.clock, processor=processor, memory=memory, cache_hierarchy=Caches(options)
    )
    board._set_fullsystem(False)
    board.exit_on_work_items = True
    board.multi_thread = False
    board.workload = SEWorkload.init_compatible(processes[0].executable)
    for cores in processor._switchable_cores.values():
        for core, process in zip(cores, processes):
            core.set_workload(process)
    return board


def map_nvdimm(processes, memory):
    """Map the whole NVDIMM, which follows DRAM, into every process."""
    for process in processes:
        for at in range(0, memory.nvdimm_size, MOST_MAPPED):
            size = min(MOST_MAPPED, memory.nvdimm_size - at)
            process.map(NVDIMM_ADDRESS + at, memory.dram_size + at, size, True)


def fast_forward(options, cores):
    """Run on atomic cores until every program reaches its measured part."""
    for core in cores:
        if options.fast_forward:
            core.get_simobject().scheduleInstStop(0, options.fast_forward, "fast-forward")
    wanted = "fast-forward" if options.fast_forward else "workbegin"
    for _ in cores:
        event = m5.simulate()
        if event.getCause() != wanted:
            give_up(
                "a program ended before all programs reached their measured parts: "
                f"'{event.getCause()}'"
            )


def run_mix(options, lines, folders=None):
    """Run each command line on its own core, and make a run directory."""
    memory = make_memory(options)
    processes = make_processes(lines, memory, folders)
    board = make_board(options, processes, memory)
    make_root(board)
    m5.instantiate()
    board._post_instantiate()
    map_nvdimm(processes, memory)
    processor = board.get_processor()
    fast_forward(options, processor.get_cores())
    processor.switch()
    if ticks(options.warmup) and m5.simulate(ticks(options.warmup)).getCause() != LIMIT:
        give_up("a program ended in the warm-up")
    region = Region(processor.get_cores(), options.clock)
    event = m5.simulate(ticks(options.duration))
    if event.getCause() not in (LIMIT, LAST):
        give_up(f"ended by '{event.getCause()}'")
    if options.record:
        m5.drain()  # completes accepted requests, as a replay of the trace does
    names = [shlex.split(line)[0] for line in lines]
    agents = [
        {"kind": "gem5_core", "core": str(number), "cpu": options.cpu, "program": line}
        for number, line in enumerate(lines)
    ]
    leave_run(options, memory, "+".join(Path(name).stem for name in names), agents, region)


if __name__ == "__m5_main__":
    given = arguments()
    allow_builds_without_ruby()
    run_each_policy(given)
    run_mix(given, given.program)
    sys.exit(0)
