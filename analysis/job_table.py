#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of docs/waiting-programs.md, from a directory of `hmsim sweep jobs`.

hmsim sweep jobs --out DIR
analysis/job_table.py DIR
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import hmsim
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "waiting-programs.md"
MARK = "<!-- Tables: analysis/job_table.py writes all that follows. -->\n"
SECTIONS = {
    ("table3", "none"): "Cores that copy, flash-bound: from an empty buffer",
    ("table3", "resident"): "Cores that copy, resident: from a full one",
    ("dma", "none"): "A copy engine, flash-bound",
    ("dma", "resident"): "A copy engine, resident",
}
# What tells a technique's points from the others: title, and the values of their axes.
BASE = "one queue"
SPLIT = "two queues"
TECHNIQUES: dict[str, dict[str, object]] = {
    BASE: {"policy": "unified_fr_fcfs,drained"},
    SPLIT: {"policy": "split,drained"},
    "HMS, w 0.2": {"policy": "hms,drained", "policies.harmonic.weight": 0.2},
    "HMS, w 0.5": {"policy": "hms,drained", "policies.harmonic.weight": 0.5},
    "HMS, w 0.8": {"policy": "hms,drained", "policies.harmonic.weight": 0.8},
    "PAS": {"policy": "split,drained", "controller.nvdimm_scheduler": "pas"},
    "prefetch": {"policy": "split,drained", "nvdimm.buffer.manager": "prefetch"},
    "pre-eviction": {"policy": "split,drained", "nvdimm.buffer.manager": "preevict"},
    "proactive GC": {"policy": "split,drained", "nvdimm.gc.scheduler": "proactive"},
    "all": {"policy": "all,drained"},
}
AXES = (
    *("policies.harmonic.weight", "controller.nvdimm_scheduler"),
    *("nvdimm.buffer.manager", "nvdimm.gc.scheduler"),
)
BLOCKED = ("copying", "reading", "read_ahead", "writing", "throttled", "syncing")
MEASURES = {
    "makespan of the program": "agent.1.makespan_us",
    "mcf's IPC": "core.0.ipc",
    "time that its threads copy or are blocked": "blocked",
}


def points(table: pd.DataFrame, regime: str, technique: dict[str, object]) -> pd.DataFrame:
    """Return the rows of a technique in a regime."""
    rows = table[table["nvdimm.precondition.buffer"] == regime]
    rows = rows[rows["policy"] == technique["policy"]]
    for axis in AXES:
        wanted = technique.get(axis)
        rows = rows[rows[axis].isna() if wanted is None else rows[axis] == wanted]
    return rows


def cells(table: pd.DataFrame, regime: str, measure: str) -> pd.DataFrame:
    """Return the change of a measure in per cent, seed by seed: technique, workload, seed, change.

    The second queue is compared with the one queue, everything else with two queues.
    """
    found = []
    means = {}
    for name, technique in TECHNIQUES.items():
        rows = points(table, regime, technique).set_index(["workload", "seed"])[measure]
        means[name] = rows
        if name != BASE:
            against = means[BASE if name == SPLIT else SPLIT]
            change = (100 * (rows / against - 1)).rename("change").reset_index()
            found.append(change.assign(technique=name))
    return pd.concat(found)


def section(table: pd.DataFrame, regime: str, title: str, measure: str) -> str:
    """Return a table in Markdown: means over the seeds, with the range if it is a point or more."""
    changes = cells(table, regime, measure)
    programs = sorted(changes["workload"].unique())
    short = [name.removeprefix("mix:").partition("+")[0] for name in programs]
    base = points(table, regime, TECHNIQUES[SPLIT]).groupby("workload")[measure].mean()
    lines = [f"\n**{title}**, change in %\n", f"| | {' | '.join(short)} |"]
    lines.append("|---|" + "---:|" * len(programs))
    for name in TECHNIQUES:
        texts = []
        for program in programs:
            mine = changes[(changes["technique"] == name) & (changes["workload"] == program)]
            # A time that was none has no change in per cent.
            values = mine["change"].replace(math.inf, math.nan).dropna()
            if values.empty:
                texts.append("-")
                continue
            text = f"{values.mean():+.1f}"
            if values.max() - values.min() >= 1:
                text += f" ({values.min():+.1f} to {values.max():+.1f})"
            texts.append(text)
        if name != BASE:
            lines.append(f"| {name} | {' | '.join(texts)} |")
    unit = "" if measure == "core.0.ipc" else ", us"
    absolute = " | ".join(f"{base[program]:.4g}" for program in programs)
    lines.append(f"| *two queues, as it is{unit}* | {absolute} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read the sweep and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sweep", type=Path)
    table = hmsim.load_results(parser.parse_args().sweep)
    table["blocked"] = sum(table[f"agent.1.time.{part}"] for part in BLOCKED) / 1e6
    body = ""
    for (machine, regime), title in SECTIONS.items():
        body += f"\n### {title}\n"
        of_machine = table[table["frontend.node.machine"] == machine]
        for name, measure in MEASURES.items():
            body += section(of_machine, regime, name, measure)
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0] + MARK
    PAGE.write_text(head + body, encoding="utf-8")


if __name__ == "__main__":
    main()
