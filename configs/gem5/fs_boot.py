# SPDX-License-Identifier: BSD-3-Clause
"""Boots Linux once on an x86 machine with the NVDIMM /dev/pmem0, then measures from a checkpoint.

Run by gem5 (docs/gem5-programs.md). The input is a machine captured from QEMU (`hmsim guest
prepare`), or the kernel and image from `hmsim guest build --small`:

    gem5.opt configs/gem5/fs_boot.py --machine M --checkpoint CPT --cores 4
    gem5.opt configs/gem5/fs_boot.py --machine M --checkpoint CPT --cores 4 \\
        --duration 20ms --policy firm --policy all --out runs
    gem5.opt configs/gem5/fs_boot.py --vmlinux V --initramfs I --checkpoint CPT \\
        --prepare configs/gem5/jobs/file_read.prepare.sh
    gem5.opt configs/gem5/fs_boot.py --vmlinux V --initramfs I --checkpoint CPT \\
        --script configs/gem5/jobs/file_read.sh --cpu o3 --policy firm --policy all --out runs

If the checkpoint does not exist, this script makes it with atomic cores without caches. A machine
continues to its job's region of interest, and with --io to a time at which the job uses the NVDIMM.
A kernel boots. The guest then makes an ext4 file system on /dev/pmem0, mounts it at /data, runs the
script given by --prepare, and drops its page cache.

If the checkpoint exists, the machine continues from it. A script runs until `gem5 begin`. Atomic
cores with caches (timing cores with --ruby) run for --skip, plus --spread for each seed above 1,
then for --warm. Detailed cores run for --warmup and are measured until `gem5 end`, at most for
--duration. With --base-cpi-out, the memories have zero latency, and the result is each core's base
CPI (docs/cores.md) instead of a run directory.
"""

import fcntl
import json
import sys
import time
from pathlib import Path

import m5
from cores_and_caches import CPUS, Caches, shape_cores
from gem5.components.boards.x86_pmem_board import X86PmemBoard
from gem5.components.cachehierarchies.classic.no_cache import NoCache
from gem5.components.processors.simple_switchable_processor import SimpleSwitchableProcessor
from gem5.isas import ISA
from gem5_run import (
    allow_builds_without_ruby,
    give_up,
    has_ruby_protocol,
    leave_run,
    make_memory,
    make_root,
    run_each_policy,
    ticks,
)
from instant_memory import InstantMemory
from m5.params import isNullPointer
from program_runs import Region, parser

# KVM's device, the ioctl that reads its API version, and that version (include/uapi/linux/kvm.h).
KVM, GET_API_VERSION, API_VERSION = "/dev/kvm", 0xAE00, 12
MACHINE = "machine.json"  # description of the machine in a checkpoint
WRITTEN = "written"  # file of a captured machine: NVDIMM pages written before
# Drivers of the NVDIMM: Linux's nd_pmem; hmsim's driver in the guest, which copies as PMBD does, by
# non-temporal (nt), cached (wb) or uncached stores (uc); dax, a file system without a page cache.
DRIVERS = ["nd_pmem", "pmbd-nt", "pmbd-wb", "pmbd-uc", "dax"]
MILLISECOND = 10**9  # ticks
RUBY_PROTOCOL = "MESI_Two_Level"
MOVED = ("bytesRead", "bytesWritten")  # statistics of gem5's memories
LIMIT, EXIT = "simulate() limit reached", "m5_exit instruction encountered"
# gem5 has no Spectre to mitigate. Random addresses at boot would make runs differ.
KERNEL_ARGUMENTS = ["nokaslr", "norandmaps", "mitigations=off", "panic=-1", "hmsim_gem5=1"]


def arguments():
    made = parser(
        __doc__.splitlines()[0],
        "fs_boot.py --machine M --checkpoint CPT --cores 4 --policy all --out runs",
        "gem5-programs.md",
    )
    made.add_argument("--machine", metavar="DIR", help="folder from 'hmsim guest prepare'")
    made.add_argument("--vmlinux", help="kernel, an ELF file; instead of --machine")
    made.add_argument("--initramfs", help="image for --vmlinux, an uncompressed cpio archive")
    made.add_argument(
        "--prepare", default="", metavar="FILE", help="shell script to run after boot"
    )
    made.add_argument("--script", default="", metavar="FILE", help="shell script to measure")
    made.add_argument("--driver", default="nd_pmem", choices=DRIVERS, help="driver of the NVDIMM")
    made.add_argument(
        "--kernel-arguments", default="", help="additional arguments, for example loglevel=7"
    )
    made.add_argument(
        "--checkpoint", required=True, metavar="DIR", help="checkpoint to restore, or to make"
    )
    made.add_argument("--cores", type=int, default=1, help="number of cores")
    made.add_argument(
        "--boot-cpu", default="atomic", choices=["atomic", "kvm"], help="cores that boot"
    )
    made.add_argument("--ruby", action="store_true", help="Ruby's MESI_Two_Level caches; no --l2")
    made.add_argument(
        "--patience", default="100s", help="simulated time to wait for the checkpoint or the region"
    )
    made.add_argument(
        "--io",
        metavar="BYTES",
        help="checkpoint after a millisecond that moves this many NVDIMM bytes",
    )
    made.add_argument("--io-within", default="500ms", help="part of the region to search for --io")
    made.add_argument("--skip", default="0us", help="part of the region to skip")
    made.add_argument(
        "--warm", default="0us", help="time after --skip to warm the caches, with atomic cores"
    )
    made.add_argument("--spread", default="50us", help="time between the starts of two seeds")
    made.add_argument(
        "--base-cpi-out", metavar="FILE", help="measure base CPIs of O3 cores instead; JSON file"
    )
    # Clock and L2 are the paper's; a duration of 0 has no limit.
    made.set_defaults(duration="0us", clock="2GHz", l2="2MiB")
    options = made.parse_args()
    if bool(options.machine) == bool(options.vmlinux):
        give_up("--machine, or --vmlinux and --initramfs are required, not both")
    if options.vmlinux and not options.initramfs:
        give_up("--vmlinux needs --initramfs")
    if options.machine and (options.prepare or options.script or options.driver != DRIVERS[0]):
        give_up("--prepare, --script and --driver need --vmlinux; a machine has its job")
    if options.io is not None:
        if not options.machine:
            give_up("--io needs --machine; a script marks the measured part itself")
        number_of_bytes(options.io)
        if ticks(options.io_within) < MILLISECOND:
            give_up(f"--io-within {options.io_within}: must be at least 1ms")
    for name in ("vmlinux", "initramfs", "prepare", "script"):
        path = getattr(options, name)
        if path and not Path(path).is_file():
            give_up(f"--{name} {path}: no such file")
    if options.boot_cpu == "kvm":
        why_not = kvm_fault()
        if why_not:
            give_up(f"--boot-cpu kvm: {why_not}; use 'atomic', or --machine")
    if options.seed < 1:
        give_up(f"--seed {options.seed}: must be at least 1")
    if options.ruby and not has_ruby_protocol(RUBY_PROTOCOL):
        give_up(f"--ruby: this gem5 was built without {RUBY_PROTOCOL}")
    if options.base_cpi_out is not None:
        if options.cpu != "o3" or options.policy or options.ruby or options.out:
            give_up("--base-cpi-out: needs O3 cores and classic caches, without --policy and --out")
        if not Path(options.base_cpi_out).parent.is_dir():
            give_up(f"--base-cpi-out {options.base_cpi_out}: no such folder")
    return options


def number_of_bytes(text):
    try:
        wanted = m5.util.convert.toMemorySize(text)
    except ValueError as error:
        give_up(f"--io: {error}")
    if wanted < 1:
        give_up(f"--io {text}: must be at least 1 byte")
    return wanted


def kvm_fault():
    """Return why KVM cannot work here, or an empty text if no reason is known in advance."""
    try:
        with open(KVM, "r+b", buffering=0) as device:
            version = fcntl.ioctl(device, GET_API_VERSION)
    except OSError as error:
        return f"{KVM}: {error.strerror}"
    return "" if version == API_VERSION else f"{KVM}: version {version}, not {API_VERSION}"


def make_board(options, first_cpu, caches, at_once=False):
    """Return the machine. With ``at_once`` its memories have zero latency (`InstantMemory`)."""
    memory = make_memory(options)
    if at_once:
        memory = InstantMemory(memory.dram_size, memory.nvdimm_sizes)
    processor = SimpleSwitchableProcessor(
        starting_core_type=CPUS[first_cpu],
        switch_core_type=CPUS[options.cpu],
        isa=ISA.X86,
        num_cores=options.cores,
    )
    shape_cores(processor, options)
    for core in processor._all_cores():
        if core.is_kvm_core():
            core.get_simobject().usePerf = False  # its counts are not used, and few hosts have them
    try:
        board = X86PmemBoard(
            clk_freq=options.clock, processor=processor, memory=memory, cache_hierarchy=caches
        )
        if options.machine:
            board.set_left_machine(options.machine, options.cores)
        else:
            more = [*KERNEL_ARGUMENTS, f"hmsim_driver={options.driver}"]
            more += options.kernel_arguments.split()
            board.set_linux(options.vmlinux, options.initramfs, more)
    except ValueError as error:
        give_up(str(error))
    board.exit_on_work_items = True
    return board


def machine(options, board):
    """Return the values that must be equal in a checkpoint and the machine that restores it."""
    memory = board.get_memory()
    source = options.machine or options.initramfs
    return {
        "cores": options.cores,
        "dram_bytes": memory.dram_size,
        "nvdimm_bytes": memory.nvdimm_size,
        "clock": options.clock,
        "controllers": options.controllers,
        "nvdimms": options.nvdimms,
        "driver": options.driver,
        "source": [Path(source).name, size_of(source)],
    }


def size_of(source):
    """Return the bytes of a file, or of all files directly in a folder."""
    path = Path(source)
    files = path.iterdir() if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files if each.is_file())


def start(options, board, checkpoint=None):
    root = make_root(board)
    if options.machine:
        board.keep_timers(m5.util.convert.toFrequency(options.clock))
    if board.get_processor().get_cores()[0].is_kvm_core():
        m5.ticks.fixGlobalFrequency()
        root.sim_quantum = m5.ticks.fromSeconds(0.001)
    m5.instantiate(checkpoint)
    board._post_instantiate()


def boot(options):
    """Run to the guest's checkpoint mark or, with --io, to a busy millisecond; save the machine."""
    began = time.time()
    options.written = str(Path(options.machine, WRITTEN)) if options.machine else ""
    board = make_board(options, options.boot_cpu, NoCache())
    board.readfile = options.prepare
    start(options, board)
    run_up_to("checkpoint", options)
    description = machine(options, board)
    if options.io is not None:
        run_up_to("workbegin", options)
        await_io(options, board.get_memory())
        description["io"] = options.io
    m5.checkpoint(options.checkpoint)
    content = json.dumps(description) + "\n"
    Path(options.checkpoint, MACHINE).write_text(content, encoding="utf-8")
    cores = board.get_processor().get_cores()
    instructions = sum(core.get_simobject().totalInsts() for core in cores)
    print(
        f"at the checkpoint: {instructions:,} instructions, {m5.curTick() / 1e12:.3f} s simulated, "
        f"{time.time() - began:.0f} s"
    )


def run_until(causes, duration=0):
    """Simulate until one of the causes, or for a duration in ticks (0: no limit); return the cause.

    Any other cause is an error.
    """
    event = m5.simulate(duration) if duration else m5.simulate()
    if event.getCause() not in causes:
        give_up(f"ended by '{event.getCause()}', status {event.getCode()}; see the terminal")
    return event.getCause()


def run_up_to(cause, options):
    """Simulate until the guest signals ``cause``, at most for --patience."""
    if run_until([cause, LIMIT], ticks(options.patience)) == LIMIT:
        give_up(
            f"--patience {options.patience}: the guest did not signal {cause}; see the terminal"
        )


def run_for(duration, what):
    """Simulate the given number of ticks; it is an error if the region ends in them."""
    if duration and run_until([LIMIT, "workend", EXIT], duration) != LIMIT:
        give_up(f"{what}: the region ends in this time; set a shorter one")


def await_io(options, memory):
    """Continue to the end of the region's first millisecond that moves --io bytes."""
    all_nvdimms = (each.nvdimm for each in memory.get_memory_controllers())
    nvdimms = [each for each in all_nvdimms if not isNullPointer(each)]

    def moved():
        statistics = (each.resolveStat(name) for each in nvdimms for name in MOVED)
        return sum(statistic.total for statistic in statistics)

    wanted = number_of_bytes(options.io)
    for number in range(1, ticks(options.io_within) // MILLISECOND + 1):
        before = moved()
        run_for(MILLISECOND, "--io")
        found = moved() - before
        if found >= wanted:
            print(f"{found:,.0f} bytes of the NVDIMM moved in millisecond {number} of the region")
            return
    give_up(
        f"--io {options.io}: no millisecond within {options.io_within} of the "
        "region moved this many bytes of the NVDIMM; set fewer, or another window"
    )


def leave_base_cpis(options, name, region):
    """Write the cycles per instruction of each core, without halted cycles, to --base-cpi-out."""
    statistics, _ = region.end()
    cores = []
    for number in range(options.cores):
        instructions, ipc = (
            statistics[f"core.{number}.{what}"] for what in ("instructions", "busy_ipc")
        )
        base_cpi = round(1 / ipc, 4) if ipc else None
        cores.append({"core": number, "instructions": instructions, "base_cpi": base_cpi})
        print(f"core {number}: {instructions:,} instructions, base CPI {base_cpi}")
    content = json.dumps({"program": name, "cores": cores}, indent=1) + "\n"
    Path(options.base_cpi_out).write_text(content, encoding="utf-8")


def measure(options):
    """Continue from the checkpoint, measure a part of the region, and make a run directory."""
    if options.ruby:  # has no atomic accesses
        from ruby_caches import RubyCaches

        board = make_board(options, "timing", RubyCaches(options))
    else:
        at_once = options.base_cpi_out is not None
        board = make_board(options, "atomic", Caches(options), at_once)
    board.readfile = options.script
    found = json.loads(Path(options.checkpoint, MACHINE).read_text(encoding="utf-8"))
    io = found.pop("io", None)  # given: the region has already begun
    if options.io not in (None, io):
        made = "without --io" if io is None else f"with --io {io}"
        give_up(f"--checkpoint {options.checkpoint}: made {made}, not with {options.io}")
    if found != machine(options, board):
        here = machine(options, board)
        differing = [name for name in here if found.get(name) != here[name]]
        differences = ", ".join(f"{name} {found.get(name)}, not {here[name]}" for name in differing)
        give_up(f"--checkpoint {options.checkpoint}: belongs to a machine with {differences}")
    start(options, board, options.checkpoint)
    if io is None:
        run_up_to("workbegin", options)
    run_for(ticks(options.skip) + (options.seed - 1) * ticks(options.spread), "--skip")
    run_for(ticks(options.warm), "--warm")
    processor = board.get_processor()
    processor.switch()
    run_for(ticks(options.warmup), "--warmup")
    region = Region(processor.get_cores(), options.clock)
    cause = run_until([LIMIT, "workend", EXIT], ticks(options.duration))
    print(f"measured until: {cause}")
    name = Path(options.script or options.machine).stem
    if options.base_cpi_out is not None:
        leave_base_cpis(options, name, region)
        return
    agents = [
        {"kind": "gem5_core", "core": str(number), "cpu": options.cpu, "script": name}
        for number in range(options.cores)
    ]
    leave_run(options, board.get_memory(), name, agents, region)


def main():
    options = arguments()
    allow_builds_without_ruby()
    booted = Path(options.checkpoint, MACHINE).is_file()
    if booted and (options.script or options.machine):
        run_each_policy(options)
        measure(options)
    elif booted:
        give_up(f"--checkpoint {options.checkpoint}: already exists; continue it with --script")
    elif options.script:
        give_up(
            f"--checkpoint {options.checkpoint}: does not exist; make it without --script first"
        )
    else:
        boot(options)


if __name__ == "__m5_main__":
    main()
    sys.exit(0)
