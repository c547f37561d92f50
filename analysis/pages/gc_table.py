# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/garbage-collection.md: GC schedulers on an NVDIMM that must collect.

The TPC-C trace of `--data` (by default ../shared/data beside the repository) is not part of it: it
is MQSim's, under the MIT licence.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

import hmsim
from hmsim.reproduce.figures.log_trace import write_log

from pages import DOCS, Documents, below, tables

SEEDS = (1, 2, 3)
KEY = "nvdimm.gc.scheduler"
SETTINGS: dict[str, dict[str, Any]] = {
    "no collection: a fresh NVDIMM": {
        "nvdimm.precondition.fill": 0,
        "nvdimm.precondition.overwrite": 0,
    },
    **{name: {KEY: name} for name in ("reactive", "reactive_copyback", "background", "preemptive")},
    **{
        f"proactive, {name}": {KEY: "proactive", f"policies.proactive.{parameter}": value}
        for name, parameter, value in (
            ("stage 1", "stages", "1"),
            ("stage 2", "stages", "2"),
            ("both stages", "stages", "both"),
            ("both, estimate parallel", "estimate", "parallel"),
            ("both, LUN shared", "lun", "shared"),
        )
    },
}
SEQUENTIAL = {"nvdimm.precondition.pattern": "sequential"}
# By title: the trace, the keys of its agent, what differs from quick.yaml.
LOADS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "TPC-C, as fast as it goes": ("tpcc", "requests: 4000", {}),
    "Log, as fast as it goes": ("log", "", SEQUENTIAL),
}
PAPERS = {
    **{"nvdimm.access": "line", "nvdimm.buffer.manager": "on_demand"},
    "nvdimm.nand.suspend": "none",
}
COLUMNS = {
    "nvdimm.response_time_us.mean": ("mean, us", "{:.0f}"),
    "nvdimm.response_time_us.p99": ("p99, us", "{:.0f}"),
    "nvdimm.response_time_us.max": ("max, us", "{:.0f}"),
    "nvdimm.gc.response_time_us.mean": ("mean while collecting, us", "{:.0f}"),
    "nvdimm.ftl.waf": ("WAF", "{:.2f}"),
    "nvdimm.gc.count": ("collections", "{:.0f}"),
    "nvdimm.gc.urgent": ("urgent steps", "{:.0f}"),
}


def run(workload: Path, overrides: dict[str, Any], seed: int) -> dict[str, float]:
    """Return the statistics of a run of the program alone."""
    config = hmsim.load_config("quick", {**PAPERS, **overrides})
    return dict(hmsim.run(config, workload, policy="split", seed=seed).stats)


def cell(name: str, form: str, runs: list[dict[str, float]]) -> str:
    """Return the mean over the seeds, with the range of means of response times."""
    values = [found[name] for found in runs if name in found]
    if not values:
        return "-"
    text = form.format(statistics.mean(values))
    if name.endswith("response_time_us.mean") and min(values) != max(values):
        text += f" ({form.format(min(values))} to {form.format(max(values))})"
    return text


def table(title: str, workload: Path, overrides: dict[str, Any]) -> str:
    """Return a load's results as a section of Markdown."""
    rows = []
    for name, setting in SETTINGS.items():
        runs = [run(workload, {**overrides, **setting}, seed) for seed in SEEDS]
        rows.append([name, *(cell(column, form, runs) for column, (_, form) in COLUMNS.items())])
    columns = ["scheduler", *(title for title, _ in COLUMNS.values())]
    return f"\n### {title}\n\n{tables.table(columns, rows)}"


def page(data: Path) -> Documents:
    """Run the schedulers and yield the page."""
    body = ""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.trace"
        traces = {"tpcc": data / "block" / "tpcc-small.trace", "log": log}
        write_log(log)
        for title, (trace, keys, overrides) in LOADS.items():
            agent = f"kind: block_trace, core: 0, path: {traces[trace]}, format: mqsim, {keys}"
            workload = Path(folder) / "alone.yaml"
            workload.write_text(f"agents:\n  - {{{agent}}}\n", encoding="utf-8")
            body += table(title, workload, overrides)
    yield below(DOCS / "garbage-collection.md", "collection", body)
