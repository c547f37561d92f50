# SPDX-License-Identifier: BSD-3-Clause
"""Linux on an x86 machine whose NVDIMM is /dev/pmem0: boot once, then measure from a checkpoint.

Run by gem5, with kernel and image of `hmsim guest build --small` (docs/gem5.md):

    gem5.opt configs/gem5/fs_boot.py --vmlinux V --initramfs I --checkpoint CPT \\
        --prepare configs/gem5/jobs/file_read.prepare.sh
    gem5.opt configs/gem5/fs_boot.py --vmlinux V --initramfs I --checkpoint CPT \\
        --script configs/gem5/jobs/file_read.sh --cpu o3 --policy firm --policy all --out runs

Without --script the machine boots, with atomic cores and no caches: the guest makes an ext4 file
system on /dev/pmem0, mounts it at /data, runs the script that --prepare names, drops its page cache
and has the checkpoint written. With --script it goes on from there with detailed cores and runs
that script, which marks what is measured by `gem5 begin` and `gem5 end`; with --duration, it is
measured no longer than that.
"""

import json
import sys
import time
from pathlib import Path

import m5
from gem5.components.boards.x86_pmem_board import X86PmemBoard
from gem5.components.cachehierarchies.classic.no_cache import NoCache
from gem5.components.processors.cpu_types import CPUTypes
from gem5.components.processors.simple_processor import SimpleProcessor
from gem5.isas import ISA
from gem5_run import (
    Caches,
    Region,
    allow_builds_without_ruby,
    give_up,
    leave_run,
    make_memory,
    parser,
    run_each_policy,
    ticks,
)
from m5.objects import Root

MACHINE = "machine.json"  # in a checkpoint: what the machine has
CPUS = {
    "atomic": CPUTypes.ATOMIC,
    "kvm": CPUTypes.KVM,
    "timing": CPUTypes.TIMING,
    "o3": CPUTypes.O3,
}
# gem5 has no performance counters and no spectre; what is random at boot would differ with time.
KERNEL_ARGUMENTS = ["nokaslr", "norandmaps", "mitigations=off", "panic=-1", "hmsim_gem5=1"]


def arguments():
    made = parser(__doc__.splitlines()[0])
    made.add_argument("--vmlinux", help="the kernel, an ELF file")
    made.add_argument("--initramfs", help="its image, an uncompressed cpio archive")
    made.add_argument("--machine", metavar="DIR", help="of 'hmsim guest prepare', instead of them")
    made.add_argument("--checkpoint", required=True, metavar="DIR", help="to go on from, or make")
    made.add_argument("--prepare", default="", metavar="FILE", help="shell script, at boot")
    made.add_argument("--script", default="", metavar="FILE", help="shell script, measured")
    made.add_argument("--cores", type=int, default=1)
    made.add_argument("--boot-cpu", default="atomic", choices=["atomic", "kvm"])
    made.add_argument("--kernel-arguments", default="", help="more of them, e.g. loglevel=7")
    made.set_defaults(duration="0us")  # to the end of the script's region
    options = made.parse_args()
    for name in ("vmlinux", "initramfs", "prepare", "script"):
        path = getattr(options, name)
        if path and not Path(path).is_file():
            give_up(f"--{name} {path}: no such file")
    return options


def make_board(options, cpu, caches, script):
    try:
        board = X86PmemBoard(
            clk_freq=options.clock,
            processor=SimpleProcessor(cpu_type=cpu, isa=ISA.X86, num_cores=options.cores),
            memory=make_memory(options),
            cache_hierarchy=caches,
        )
        more = [*KERNEL_ARGUMENTS, *options.kernel_arguments.split()]
        if options.machine:
            board.set_left_machine(options.machine, options.cores)
        else:
            board.set_linux(options.vmlinux, options.initramfs, more)
    except ValueError as error:
        give_up(str(error))
    board.readfile = script
    board.exit_on_work_items = True
    return board


def machine(options, board):
    """Return what a checkpoint must have in common with the machine that goes on from it."""
    memory = board.get_memory()
    return {
        "cores": options.cores,
        "dram_bytes": memory.dram_size,
        "nvdimm_bytes": memory.nvdimm_size,
        "initramfs_bytes": Path(options.initramfs).stat().st_size if options.initramfs else 0,
    }


def start(options, board, checkpoint=None):
    board._pre_instantiate()
    root = Root(full_system=True, board=board)
    cores = board.get_processor().get_cores()
    if cores[0].is_kvm_core():
        for core in cores:
            core.get_simobject().usePerf = False  # nobody needs its counts, and few may have them
        m5.ticks.fixGlobalFrequency()
        root.sim_quantum = m5.ticks.fromSeconds(0.001)
    if options.machine:
        board.keep_timers(m5.util.convert.toFrequency(options.clock))
    m5.instantiate(checkpoint)
    board._post_instantiate()


def boot(options):
    """Boot up to the guest's own checkpoint."""
    began = time.time()
    board = make_board(options, CPUS[options.boot_cpu], NoCache(), options.prepare)
    start(options, board)
    event = m5.simulate()
    if event.getCause() != "checkpoint":
        give_up(f"boot: ended by '{event.getCause()}', status {event.getCode()}; see the terminal")
    m5.checkpoint(options.checkpoint)
    Path(options.checkpoint, MACHINE).write_text(json.dumps(machine(options, board)) + "\n")
    instructions = sum(
        core.get_simobject().totalInsts() for core in board.get_processor().get_cores()
    )
    print(
        f"booted: {instructions:,} instructions, {m5.curTick() / 1e12:.3f} s simulated, "
        f"{time.time() - began:.0f} s"
    )


def run_until(causes, duration=None):
    """Simulate until one of these ends it, or for a duration; return its cause."""
    event = m5.simulate(duration) if duration else m5.simulate()
    if event.getCause() not in causes:
        give_up(f"ended by '{event.getCause()}', status {event.getCode()}; see the terminal")
    return event.getCause()


def measure(options):
    """Go on from the checkpoint, and leave the run directory of the script's region."""
    board = make_board(options, CPUS[options.cpu], Caches(options), options.script)
    found = json.loads(Path(options.checkpoint, MACHINE).read_text())
    if found != machine(options, board):
        give_up(f"--checkpoint {options.checkpoint}: of a machine with {found}, not this one")
    start(options, board, options.checkpoint)
    limit, exit_cause = "simulate() limit reached", "m5_exit instruction encountered"
    run_until(["workbegin"])
    if ticks(options.warmup):
        run_until([limit], ticks(options.warmup))
    region = Region(board.get_processor().get_cores(), options.clock)
    cause = run_until([limit, "workend", exit_cause], ticks(options.duration))
    print(f"measured until: {cause}")
    script = Path(options.script).stem
    agents = [
        {"kind": "gem5_core", "core": str(number), "cpu": options.cpu, "script": script}
        for number in range(options.cores)
    ]
    leave_run(options, board.get_memory(), script, agents, region)


def main():
    options = arguments()
    allow_builds_without_ruby()
    booted = Path(options.checkpoint, MACHINE).is_file()
    if not options.script:
        if booted:
            give_up(f"--checkpoint {options.checkpoint}: there already; --script goes on from it")
        boot(options)
    elif not booted:
        give_up(f"--checkpoint {options.checkpoint}: none there; make it without --script first")
    else:
        run_each_policy(options)
        measure(options)


if __name__ == "__m5_main__":
    main()
    sys.exit(0)
