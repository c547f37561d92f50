# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/policy-comparison.md: every policy bundle on mixes of core and I/O program.

A bundle that leaves its write mode open has a row for each: NAME,drained and NAME,mixed.

The traces of `--data` (by default ../shared/data beside the repository) are not part of it: SPEC
CPU2006 misses of Ramulator and a TPC-C block trace of MQSim, both under the MIT licence.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import hmsim
import pandas as pd
from hmsim.reproduce.figures.experiment import in_modes

from pages import DOCS, ROOT, Documents, below, tables

CONFIG = "mascots16"
SEEDS = (1, 2, 3)
POLICIES = (
    *("unified_fr_fcfs", "unified_256", "unified_fcfs", "fr_fcfs_cap"),
    *("par_bs", "tcm", "atlas", "bliss", "nvm_duet", "firm"),
    *("split", "split_dram_first", "hms", "hms_pas", "all", "ready_batch", "oracle"),
)
# Misses and write-backs per kilo-instruction: the paper, Table IV.
CORES = {
    "mcf": "kind: synthetic_core, core: 0, rpki: 40.58, wpki: 15.42, pattern: pointer_chase, "
    "footprint: 512MiB, dependence: 0.5, instructions: 1000000",
    "lbm": "kind: synthetic_core, core: 0, rpki: 22.68, wpki: 13.28, pattern: stream, "
    "footprint: 512MiB, dependence: 0, instructions: 2000000",
    "milc": "kind: synthetic_core, core: 0, rpki: 1.82, wpki: 1.44, pattern: random, "
    "footprint: 512MiB, dependence: 0.2, instructions: 10000000",
    "hmmer": "kind: llc_trace, core: 0, path: {data}/cputraces/456.hmmer.gz, format: ramulator, "
    "instructions: 10000000",
}
PROGRAMS = {
    "tpcc": "kind: block_trace, core: 1, path: {data}/block/tpcc-small.trace, format: mqsim, "
    "threads: 16, requests: 600",
    "sort": "kind: block_trace, core: 1, path: {root}/workloads/demo/sort.mqsim.zst, "
    "format: mqsim, threads: 16, requests: 300",
    "writes": "kind: synthetic, core: 1, target: nvdimm, pattern: sequential, read_ratio: 0, "
    "footprint: 128MiB, outstanding: 64, interval: 10ns, requests: 100000",
}
MIXES = (
    *(("mcf", "tpcc"), ("lbm", "writes"), ("milc", "tpcc"), ("hmmer", "tpcc")),
    *(("mcf", "writes"), ("mcf", "sort"), ("lbm", "tpcc")),
)
SPREAD = ("core.0.ipc", "weighted_speedup", "max_slowdown")
COLUMNS = {
    "core.0.ipc": ("IPC", 1.0, "{:.3f}"),
    "agent.1.slowdown": ("I/O slowdown", 1.0, "{:.3f}"),
    "weighted_speedup": ("weighted speedup", 1.0, "{:.3f}"),
    "max_slowdown": ("unfairness", 1.0, "{:.2f}"),
    "dram.read_latency_ns.mean": ("DRAM read, ns", 1.0, "{:.0f}"),
    "nvdimm.response_time_us.mean": ("4 KB block, us", 1.0, "{:.1f}"),
    "nvdimm.line_latency_ns.mean": ("flash DIMM request, us", 1e-3, "{:.2f}"),
    "nvdimm.buffer.read_hit_ratio": ("read hits, %", 100.0, "{:.1f}"),
    "nvdimm.buffer.write_hit_ratio": ("write hits, %", 100.0, "{:.1f}"),
    "bus.dram_share": ("bus: DRAM, %", 100.0, "{:.1f}"),
    "bus.nvdimm_share": ("bus: flash DIMM, %", 100.0, "{:.1f}"),
}


def write_mixes(folder: Path, data: Path) -> list[Path]:
    """Write the workloads into a folder; return their paths."""
    paths = []
    for core, program in MIXES:
        agents = [CORES[core], PROGRAMS[program]]
        lines = ["  - {" + agent.format(data=data, root=ROOT) + "}\n" for agent in agents]
        path = folder / f"{core}_{program}.yaml"
        path.write_text("agents:\n" + "".join(lines), encoding="utf-8")
        paths.append(path)
    return paths


def cell(name: str, values: list[float]) -> str:
    """Return the mean over the seeds, scaled; for the columns in `SPREAD` also half the range."""
    _, scale, form = COLUMNS[name]
    if any(value != value for value in values):
        return "-"
    text = form.format(sum(values) / len(values) * scale)
    spread = form.format((max(values) - min(values)) / 2 * scale)
    return f"{text} ± {spread}" if name in SPREAD and len(values) > 1 else text


def table(found: list[pd.DataFrame]) -> str:
    """Return a mix's results, by seed, as a section of Markdown."""
    rows = found[0]
    shown = {name: what for name, what in COLUMNS.items() if name in rows}
    titles = [title for title, _, _ in shown.values()]
    cells = (
        [policy, *(cell(name, [seed[name].iloc[index] for seed in found]) for name in shown)]
        for index, policy in enumerate(rows["policy"])
    )
    return f"\n## {rows['workload'].iloc[0]}\n\n{tables.table(['policy', *titles], cells)}"


def page(data: Path) -> Documents:
    """Run the comparison and yield the page."""
    policies, body = in_modes(POLICIES), ""
    with tempfile.TemporaryDirectory() as folder:
        for mix in write_mixes(Path(folder), data):
            found = [
                hmsim.compare(CONFIG, policies, [mix], seed=seed, progress=True) for seed in SEEDS
            ]
            body += table(found)
    yield below(DOCS / "policy-comparison.md", "policies", body)
