# SPDX-License-Identifier: BSD-3-Clause
"""docs/policy-comparison.csv and its picture: policy bundles on mixes of core and I/O program.

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
from hmsim.reproduce.figures.style import CYCLE, PAGE_WIDTH, legend_below
from matplotlib.figure import Figure

from pages import DOCS, ROOT, Documents
from pages.pictures import svg

CONFIG = "mascots16"
SEEDS = 3
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
# By title: the statistic, its factor, and the digits after the point.
COLUMNS = {
    "IPC": ("core.0.ipc", 1, 3),
    "I/O slowdown": ("agent.1.slowdown", 1, 3),
    "weighted speedup": ("weighted_speedup", 1, 3),
    "unfairness": ("max_slowdown", 1, 2),
    "DRAM read (ns)": ("dram.read_latency_ns.mean", 1, 0),
    "4 KB block (us)": ("nvdimm.response_time_us.mean", 1, 1),
    "flash DIMM request (us)": ("nvdimm.line_latency_ns.mean", 1e-3, 2),
    "read hits (%)": ("nvdimm.buffer.read_hit_ratio", 100, 1),
    "write hits (%)": ("nvdimm.buffer.write_hit_ratio", 100, 1),
    "bus: DRAM (%)": ("bus.dram_share", 100, 1),
    "bus: flash DIMM (%)": ("bus.nvdimm_share", 100, 1),
}
SHOWN = {
    "unified_fr_fcfs,drained": "FR-FCFS, 128 entries",
    "par_bs,drained": "PAR-BS",
    "firm": "FIRM-like",
    "unified_256,drained": "256 entries",
    "split,drained": "two queues",
    "hms,drained": "harmonic",
    "all,drained": "all techniques",
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


def picture(table: pd.DataFrame) -> str:
    """Draw the core's IPC in each mix, in relation to a bus and queues of its own (oracle)."""
    wide = table.pivot(index="workload", columns="policy", values="IPC")
    share = wide.div(wide["oracle,drained"], axis=0)[[*SHOWN]].rename(columns=SHOWN)

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        share.plot.bar(ax=axes, width=0.8, color=CYCLE, rot=0, legend=False)
        axes.set(xlabel="", ylabel="IPC over that without interference")
        legend_below(figure, axes, 4)

    return svg(paint, (PAGE_WIDTH, 3.4))


def page(data: Path) -> Documents:
    """Run the comparison; yield its table and its picture."""
    with tempfile.TemporaryDirectory() as folder:
        mixes = write_mixes(Path(folder), data)
        found = hmsim.compare(CONFIG, in_modes(POLICIES), mixes, seeds=SEEDS, progress=True)
    means = found.groupby(["workload", "policy"], sort=False).mean(numeric_only=True).reset_index()
    table = means[["workload", "policy"]].copy()
    for title, (name, factor, digits) in COLUMNS.items():
        table[title] = (means[name] * factor).round(digits)
    path = DOCS / "policy-comparison.csv"
    yield path, table.to_csv(index=False)
    yield path.with_suffix(".svg"), picture(table)
