# SPDX-License-Identifier: BSD-3-Clause
"""Measures latency and bandwidth under gem5's traffic generators, without processor and caches.

Run by gem5. A crossbar connects the generators to hmsim's controller or to one of gem5's:

    gem5.opt configs/gem5/traffic.py --load mix --policy unified_fr_fcfs --policy split
    gem5.opt configs/gem5/traffic.py --memory hmsim --memory gem5 --pattern linear \\
        --config validate_ddr3 --set dram.ranks=2
    gem5.opt configs/gem5/traffic.py --memory hetero --load mix

`--load dram` and `--load nvdimm` raise the rate of one generator step by step. `--load mix` runs a
generator for each memory at fixed rates, first alone, then together. The script prints a table.
With hmsim's memory, it also makes a run directory of the last step: the highest rate, or both
generators together. Several --memory options make a run each and print the tables side by side.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import m5
from gem5_run import (
    add_memory_options,
    give_up,
    leave_run,
    make_memory,
    more_help,
    resolved,
    run_each_policy,
    ticks,
    without,
)
from m5 import objects
from m5.objects import AddrRange

LINE = 64
PERIODS_NS = (1000, 100, 50, 30, 20, 15, 12, 10, 8, 7, 6, 5)  # for each line
COUNTED = ("totalReads", "totalReadLatency", "totalWrites", "bytesRead", "bytesWritten")
STALLED = 0.1  # share of the requests completed alone, below which a memory counts as stalled
FEW = 100  # requests: with fewer, HeteroMemCtrl has stalled and further steps would also stall
TABLE = "traffic.json"
WIDTH = 44  # of a memory's columns


def arguments():
    example = "traffic.py --load mix --policy unified_fr_fcfs --policy split"
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=more_help(example, "gem5-programs.md")
    )
    parser.add_argument(
        "--memory",
        action="append",
        choices=["hmsim", "gem5", "hetero", "simple"],
        help="hmsim; gem5's MemCtrl with DDR3_1600_8x8 (DRAM only); gem5's "
        "HeteroMemCtrl; or gem5's SimpleMemory with unlimited bandwidth; may be "
        "repeated to compare",
    )
    add_memory_options(parser)
    parser.add_argument(
        "--load", default="dram", choices=["dram", "nvdimm", "mix"], help="generators that run"
    )
    parser.add_argument(
        "--pattern", default="random", choices=["random", "linear"], help="order of addresses"
    )
    parser.add_argument("--reads", type=int, default=100, help="share of reads, percent")
    parser.add_argument("--footprint", type=int, default=256, help="MiB of each memory")
    parser.add_argument("--duration", default="100us", help="simulated time of each step")
    parser.add_argument(
        "--period",
        type=int,
        action="append",
        help="time per line in ns; may be repeated for more steps",
    )
    parser.add_argument("--dram-period", default="20ns", help="time per DRAM line with --load mix")
    parser.add_argument(
        "--nvdimm-period", default="20ns", help="time per NVDIMM line with --load mix"
    )
    parser.add_argument(
        "--row-accesses",
        type=int,
        default=16,
        help="accesses after which gem5's DRAM closes a row (gem5's default: 16; 0: no limit)",
    )
    options = parser.parse_args()
    options.memory = options.memory or ["hmsim"]
    return options


def build(options):
    """Return the system, hmsim's memory or None, and the start address of each generator."""
    system = objects.System(mem_mode="timing", cache_line_size=LINE, mmap_using_noreserve=True)
    system.clk_domain = objects.SrcClockDomain(clock="2GHz", voltage_domain=objects.VoltageDomain())
    system.membus = objects.SystemXBar(width=LINE)
    system.system_port = system.membus.cpu_side_ports
    ours = None
    (kind,) = options.memory
    if kind == "hmsim":
        ours = system.memory = make_memory(options)
        ours.set_memory_range([AddrRange(ours.get_size())])
        for _, port in ours.get_mem_ports():
            system.membus.mem_side_ports = port
        system.mem_ranges = [AddrRange(ours.get_size())]
        starts = {"dram": 0, "nvdimm": ours.dram_size} if ours.nvdimm_size else {"dram": 0}
    elif kind == "simple":
        system.memory = objects.SimpleMemory(range=AddrRange("8GiB"), bandwidth="0GiB/s")
        system.mem_ranges = [system.memory.range]
        starts = {"dram": 0}
        system.membus.mem_side_ports = system.memory.port
    else:
        dram = objects.DDR3_1600_8x8(range=AddrRange("8GiB"))
        dram.max_accesses_per_row = options.row_accesses
        starts = {"dram": 0}
        system.mem_ranges = [dram.range]
        if kind == "gem5":
            system.memory = objects.MemCtrl(dram=dram)
        else:
            nvm = objects.NVM_2400_1x64(range=AddrRange("8GiB", size="16GiB"))
            system.memory = objects.HeteroMemCtrl(dram=dram, nvm=nvm)
            starts["nvdimm"] = 8 << 30
            system.mem_ranges.append(nvm.range)
        system.membus.mem_side_ports = system.memory.port
    used = ("dram", "nvdimm") if options.load == "mix" else (options.load,)
    for name in used:
        if name not in starts:
            give_up(f"--load {options.load}: --memory {kind} has no NVDIMM")
        generator = objects.PyTrafficGen(progress_check="100s")
        setattr(system, name, generator)
        generator.port = system.membus.cpu_side_ports
    return system, ours, {name: starts[name] for name in used}


def peak_of_configuration(parameters, controllers):
    """Return the peak GB/s of hmsim's data buses, from the resolved parameters of a controller.

    A data bus moves at most one line in dram.timing.burst cycles. A channel has one bus, with HBM3
    one for each rank (pseudo-channel).
    """
    buses = controllers * int(parameters["controller.channels"])
    if parameters["dram.preset"].startswith("hbm3"):
        buses *= int(parameters["dram.ranks"])
    picoseconds = int(parameters["dram.timing.burst"]) * int(parameters["dram.timing.tCK"])
    return buses * LINE * 1e3 / picoseconds


def peak_of_interface(interface):
    """Return the peak GB/s of one of gem5's memory interfaces: a burst in each tBURST."""
    bits = interface.device_bus_width * interface.devices_per_rank * interface.burst_length
    return int(bits) / 8 / (float(interface.tBURST.value) * 1e9)


def peaks(options, system, ours):
    """Return the peak GB/s of each memory; SimpleMemory has none."""
    if ours is not None:
        controllers = len(ours.get_memory_controllers())
        # With --nvdimms, the generator's addresses are in the first NVDIMM.
        reached = {"dram": controllers, "nvdimm": 1 if options.nvdimms else controllers}
        parameters = resolved(ours)
        return {name: peak_of_configuration(parameters, count) for name, count in reached.items()}
    if options.memory == ["simple"]:
        return {}
    found = {"dram": peak_of_interface(system.memory.dram)}
    if options.memory == ["hetero"]:
        found["nvdimm"] = peak_of_interface(system.memory.nvm)
    return found


def traffic(options, generator, start, period):
    make = generator.createRandom if options.pattern == "random" else generator.createLinear
    end = start + (options.footprint << 20) - 1
    yield make(ticks(options.duration), start, end, LINE, period, period, options.reads, 0)
    yield generator.createIdle(m5.MaxTick)


def counted(names):
    """Return the `COUNTED` statistics of each generator from gem5's last dump."""
    found = {name: dict.fromkeys(COUNTED, 0.0) for name in names}
    text = Path(m5.options.outdir, "stats.txt").read_text()
    for line in text.rsplit("Begin Simulation Statistics", 1)[1].splitlines():
        words = line.split()
        parts = words[0].split(".") if words else []
        if len(parts) == 3 and parts[1] in found and parts[2] in COUNTED:
            found[parts[1]][parts[2]] = float(words[1])
    return found


def step(options, system, starts, periods, peak):
    """Run the generators in `periods` (ticks per line); return their rows and host seconds.

    `peak` has the peak GB/s of each memory that has one.
    """
    duration = ticks(options.duration)
    m5.stats.reset()
    for name, period in periods.items():
        generator = getattr(system, name)
        generator.start(traffic(options, generator, starts[name], period))
    began = time.time()
    m5.simulate(duration)
    seconds = time.time() - began
    m5.stats.dump()
    rows = []
    for name, values in counted(periods).items():
        reads = values["totalReads"]
        rate = (values["bytesRead"] + values["bytesWritten"]) / duration * 1e3
        rows.append(
            {
                "memory": name,
                "alone": len(periods) == 1,
                "period_ns": periods[name] / 1e3,
                "requests": int(reads + values["totalWrites"]),
                "read_latency_ns": values["totalReadLatency"] / reads / 1e3 if reads else None,
                "gb_per_s": rate,
                "share_of_peak": rate / peak[name] if name in peak else None,
            }
        )
    return rows, seconds


def run(options):
    """Run all steps, write the table, and make a run directory of the last step."""
    system, ours, starts = build(options)
    objects.Root(full_system=False, system=system)
    m5.instantiate()
    if options.load == "mix":
        both = {"dram": ticks(options.dram_period), "nvdimm": ticks(options.nvdimm_period)}
        # The NVDIMM's step would stall gem5's HeteroMemCtrl, which then never runs both together.
        alone = ("dram",) if options.memory == ["hetero"] else ("dram", "nvdimm")
        steps = [{name: both[name]} for name in alone] + [both]
    else:
        steps = [{options.load: period * 1000} for period in options.period or PERIODS_NS]
    peak = peaks(options, system, ours)
    rows, seconds = [], 0.0
    for number, periods in enumerate(steps):
        # gem5's HeteroMemCtrl does not finish draining after NVM requests stall in it.
        if number and options.memory != ["hetero"]:
            m5.drain()
        more, spent = step(options, system, starts, periods, peak)
        rows += more
        seconds += spent
        if options.memory == ["hetero"] and any(row["requests"] < FEW for row in more):
            break
    simulated = (number + 1) * ticks(options.duration) / 1e12
    table = {"memory": options.memory[0], "rows": rows, "host_per_simulated": seconds / simulated}
    Path(m5.options.outdir, TABLE).write_text(json.dumps(table, indent=2) + "\n")
    show([table])
    if ours is not None:
        leave_run(options, ours, f"traffic_{options.load}", [], Steps(seconds))


class Steps:
    """The measured steps, as a region for `leave_run`. They have no cores."""

    def __init__(self, seconds):
        self._seconds = seconds

    def end(self):
        return {}, self._seconds


def cell(rows):
    """Return the text of at most one row; dashes if there is none."""
    if not rows:
        return f"{'-':>12}{'-':>12}{'-':>10}{'-':>10}"
    (row,) = rows
    latency = "-" if row["read_latency_ns"] is None else f"{row['read_latency_ns']:,.1f}"
    share = "-" if row["share_of_peak"] is None else f"{100 * row['share_of_peak']:.1f}"
    return f"{row['requests']:>12,}{latency:>12}{row['gb_per_s']:>10.2f}{share:>10}"


def same(one, other):
    """Return whether two rows belong to the same step."""
    return all(one[key] == other[key] for key in ("memory", "alone", "period_ns"))


def show(tables):
    """Print tables side by side, and which memories stalled."""
    print("".join([f"{'':24}", *(f"{table['memory']:>{WIDTH}}" for table in tables)]))
    head = f"{'requests':>12}{'read, ns':>12}{'GB/s':>10}{'% of peak':>10}"
    print("".join([f"{'memory':12}{'period, ns':>12}", *(head for _ in tables)]))
    for row in max((table["rows"] for table in tables), key=len):
        name = row["memory"] + ("" if row["alone"] else ", both")
        cells = [cell([other for other in t["rows"] if same(other, row)]) for t in tables]
        print("".join([f"{name:12}{row['period_ns']:>12g}", *cells]))
    for table in tables:
        spent = table["host_per_simulated"]
        print(f"{table['memory']}: {spent:,.0f} s of host time per simulated second")
        done = {(row["memory"], row["alone"]): row["requests"] for row in table["rows"]}
        for (name, alone), count in done.items():
            by_itself = done.get((name, True), 0)
            if not alone and count < STALLED * by_itself:
                print(
                    f"{table['memory']}: {name} starves beside the other memory's traffic: "
                    f"{count:,} requests, {by_itself:,} alone"
                )


def run_each_memory(options):
    """Run gem5 once for each memory and print the tables side by side."""
    gem5 = os.readlink("/proc/self/exe")
    rest = without(sys.argv[1:], ["--memory"])
    tables = []
    for kind in options.memory:
        folder = Path(m5.options.outdir, kind)
        own = [sys.argv[0], *rest, "--memory", kind]
        code = subprocess.run([gem5, "-re", f"--outdir={folder}", *own]).returncode
        if code:
            give_up(f"--memory {kind}: gem5 ended with status {code}; see {folder}/simerr.txt")
        tables.append(json.loads((folder / TABLE).read_text()))
    show(tables)


if __name__ == "__m5_main__":
    given = arguments()
    if len(given.memory) > 1:
        run_each_memory(given)
    else:
        run_each_policy(given)
        run(given)
