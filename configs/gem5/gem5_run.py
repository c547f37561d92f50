# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of all run scripts: options, run directories, A/B runs."""

import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import _m5.core
import m5
from m5.objects import Root

RECORD = "hmsim.json"  # in gem5's output folder
SHOWN = (  # statistics that are printed in addition to each core's ipc
    "dram.reads",
    "dram.read_latency_ns.mean",
    "dram.bandwidth_gb_per_s",
    "bus.dram_share",
    "bus.nvdimm_share",
    "nvdimm.reads",
    "nvdimm.writes",
    "nvdimm.line_latency_ns.mean",
    "nvdimm.line_latency_ns.p99",
    "nvdimm.queue.occupancy",
    "nvdimm.queue.greatest_occupancy",
)


def allow_builds_without_ruby():
    """Allow processors in a gem5 v24.0 that was built without Ruby.

    There each processor calls `requires`, which queries Ruby's protocol even if none is required.
    A build without Ruby has none, and the query raises "Protocol '' not recognized". Since v24.1,
    `requires` asks for the supported protocols, which may be none.
    """
    query = "get_runtime_coherence_protocol"
    for name in ("gem5.runtime", "gem5.utils.requires"):
        module = importlib.import_module(name)
        if hasattr(module, query) and not m5.defines.buildEnv.get("PROTOCOL"):
            setattr(module, query, lambda: None)


def has_ruby_protocol(name):
    """Return whether this gem5 was built with a protocol; since v24.1 it can have several."""
    build = m5.defines.buildEnv
    return build.get("PROTOCOL") == name or bool(build.get(f"RUBY_PROTOCOL_{name}"))


def make_root(board):
    """Connect the parts of a board with a workload, and return the root object.

    Since v24.1, `_pre_instantiate` makes the root object, of which there can be only one.
    """
    root = board._pre_instantiate()
    return Root(full_system=board.is_fullsystem(), board=board) if root is None else root


def give_up(message):
    """Print the user's error and exit with status 2."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def more_help(example, page):
    """Return the end of a script's help: an example, and the page to read."""
    return f"Example: gem5.opt configs/gem5/{example}. More in docs/{page}."


def add_memory_options(made):
    """Add the options that `make_memory`, `run_each_policy` and `leave_run` read."""
    made.add_argument("--config", default="gem5", help="hmsim configuration: a name or a path")
    made.add_argument(
        "--policy", action="append", default=[], help="policy bundle; repeat for one run per policy"
    )
    made.add_argument(
        "--set", action="append", default=[], metavar="PATH=VALUE", help="set a parameter"
    )
    made.add_argument(
        "--controllers", type=int, default=1, help="number of controllers, which interleave lines"
    )
    made.add_argument(
        "--nvdimms", type=int, help="controllers with a separate NVDIMM; default: all share one"
    )
    made.add_argument("--seed", type=int, default=1, help="seed of all pseudo-random choices")
    made.add_argument(
        "--check", action="store_true", help="check every command against the protocol"
    )
    made.add_argument(
        "--views",
        action="store_true",
        help="compare gem5's times of each request with hmsim's, and print a line",
    )
    made.add_argument("--record", default="", metavar="FILE", help="packet trace of all requests")
    made.add_argument(
        "--out", help="run directory; with several policies, the parent of one directory each"
    )
    made.add_argument("--force", action="store_true", help="replace existing run directories")
    made.add_argument("--jobs", type=int, default=1, help="policies to run at a time")


def ticks(text):
    """Convert a time with a unit to ticks (picoseconds)."""
    try:
        return round(m5.util.convert.toLatency(text) * 1e12)
    except ValueError as error:
        give_up(str(error))


def hmsim_command(*arguments):
    """Return hmsim's command line; the environment variable HMSIM overrides the program."""
    return [*os.environ.get("HMSIM", "hmsim").split(), *arguments]


def make_memory(options):
    """Return the memory system that the options describe."""
    from gem5.components.memory.harmonic_memory import HarmonicMemory

    overrides = {}
    for text in options.set:
        name, equals, value = text.partition("=")
        if not equals:
            give_up(f"--set {text}: expected PATH=VALUE")
        overrides[name] = value
    policy = options.policy[0] if options.policy else None
    try:
        return HarmonicMemory(
            options.config,
            policy,
            overrides,
            seed=options.seed,
            check=options.check,
            views=options.views,
            record=options.record,
            controllers=options.controllers,
            nvdimms=options.nvdimms,
            written=getattr(options, "written", ""),
        )
    except ValueError as error:
        give_up(str(error))


def leave_run(options, memory, name, agents, region):
    """End the region, record the run in gem5's output folder, and make a run directory of it.

    `agents` describes each core's program: texts by key.
    """
    cores, seconds = region.end()
    stats = {**memory_statistics(memory), **cores}
    content = {
        "simulator": {"gem5": _m5.core.gem5Version},
        "config": Path(options.config).stem,
        "policy": title(options.policy[0]) if options.policy else None,
        "parameters": resolved(memory),
        "workload": {"name": name, "agents": agents},
        "seed": options.seed,
        "host": {"seconds": round(seconds, 3)},
        "statistics": stats,
    }
    record = Path(m5.options.outdir, RECORD)
    record.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    directory = options.out or os.path.join(m5.options.outdir, "hmsim")
    show({content["policy"] or "as configured": stats})
    if options.views:
        print_views(memory)
    command = hmsim_command("import", str(record), "--out", directory)
    command += ["--force"] if options.force else []
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL)
    except OSError as error:
        give_up(f"{' '.join(command)}: {error.strerror}; run it later")
    if done.returncode:
        sys.exit(done.returncode)
    print(f"run directory: {directory}")


def view_sums(memory):
    """Return the sums of the views of all controllers by name (gem5-ext/README.md)."""
    sums = Counter()
    for controller in memory.get_memory_controllers():
        for line in controller.view_sums().splitlines():
            name, _, value = line.partition("=")
            sums[name] += int(value)
    return sums


def print_views(memory):
    """Print the line of the views; exit with status 1 if they disagree."""
    sums = view_sums(memory)
    packets, size, lines, outside, inside = (
        sums[f"read.{what}"] + sums[f"write.{what}"]
        for what in ("packets", "bytes", "lines", "interface_ps", "simulator_ps")
    )
    each = 1e3 * max(packets, 1)
    residue = sum(abs(value) for name, value in sums.items() if name.startswith("residue."))
    print(
        f"views: interface {packets:,} packets, {size:,} bytes in {lines:,} lines, "
        f"{outside / each:.2f} ns = simulator {inside / each:.2f} + admission "
        f"{sums['admission_ps'] / each:.2f}; residue {residue:,}"
    )
    if residue:
        print(f"the views disagree: {dict(sums)}", file=sys.stderr)
        sys.exit(1)


def resolved(memory):
    """Return the resolved parameters of the first controller, which all controllers share."""
    lines = memory.get_memory_controllers()[0].resolved().splitlines()
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def memory_statistics(memory):
    """Return the statistics of all controllers; several have prefixes ``controllers.N``."""
    each = [memory.statistics(number) for number in range(len(memory.get_memory_controllers()))]
    if len(each) == 1:
        return each[0]
    requests = sum(own["sim.requests"] for own in each)
    whole = {"sim.ticks": each[0]["sim.ticks"], "sim.requests": requests}
    numbered = {
        f"controllers.{number}.{name}": value
        for number, own in enumerate(each)
        for name, value in own.items()
    }
    return {**whole, **numbered}


def show(columns):
    """Print statistics side by side, one column per title."""
    first = next(iter(columns.values()))
    names = [name for name in first if name.endswith(".ipc")] + list(SHOWN)
    for number in range(len(first)):
        if f"controllers.{number}.sim.ticks" in first:
            names += [f"controllers.{number}.{name}" for name in SHOWN]
    names = [name for name in names if any(name in column for column in columns.values())]
    width = 2 + max(map(len, names))
    print("".join([f"{'':{width}}", *(f"{title:>16}" for title in columns)]))
    for name in names:
        cells = [column.get(name) for column in columns.values()]
        texts = [f"{'-' if cell is None else format(cell, ',.5g'):>16}" for cell in cells]
        print("".join([f"{name:{width}}", *texts]))


def title(policy):
    """Return a policy bundle's title in results: name and write mode, without folder."""
    return Path(policy).name.replace(".yaml", "")


def run_each_policy(options):
    """If there are several policies, run gem5 for each, print the results side by side and exit."""
    if len(options.policy) < 2:
        return
    gem5 = os.readlink("/proc/self/exe")
    rest = without(sys.argv[1:], ["--policy", "--out"])

    def run(policy):
        folder = Path(m5.options.outdir, title(policy))
        own = [sys.argv[0], *rest, "--policy", policy]
        own += ["--out", os.path.join(options.out, title(policy))] if options.out else []
        return subprocess.run([gem5, "-re", f"--outdir={folder}", *own]).returncode

    with ThreadPoolExecutor(max(options.jobs, 1)) as pool:
        codes = list(pool.map(run, options.policy))
    columns = {}
    for policy, code in zip(options.policy, codes):
        folder = Path(m5.options.outdir, title(policy))
        if code:
            print(f"{policy}: gem5 ended with status {code}; see {folder}/simerr.txt")
        else:
            columns[title(policy)] = json.loads((folder / RECORD).read_text())["statistics"]
    if columns:
        show(columns)
    sys.exit(max(codes))


def without(arguments, options):
    """Return the arguments without the given options, each of which takes a value."""
    kept = []
    skip = False
    for text in arguments:
        if skip:
            skip = False
        elif text in options:
            skip = True
        elif text.partition("=")[0] not in options:
            kept.append(text)
    return kept
