#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of docs/controls.md: what single choices are worth, all else being equal.

    analysis/controls.py [--data DIR] [--jobs N]

The mixes and their traces are those of analysis/policy_table.py. Takes about two minutes of one
processor.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hmsim import Bundle, load_config
from hmsim._core import Simulation
from hmsim.running.comparison import Comparison, compare_runs
from hmsim.running.options import options
from policy_table import CONFIG, MIXES, ROOT, write_mixes

PAGE = ROOT / "docs" / "controls.md"
MARK = "<!-- Tables: analysis/controls.py writes all that follows. -->\n"
BLOCKS = tuple(mix for mix in MIXES if mix[1] != "writes")  # mixes with block I/O
FEW_FRAMES = {"controller.outstanding": 4, "nvdimm.buffer.read_size": "16KiB"}
FLASH = {
    "nvdimm.buffer.read_hit_ratio_strict": ("strict read hits", "{:.1%}"),
    "nvdimm.nand.reads": ("flash reads", "{:.0f}"),
}
CONTESTS = {
    "arbiter.dram_wins": ("won by DRAM", "{:.0f}"),
    "arbiter.nvdimm_wins": ("won by NVDIMM", "{:.0f}"),
}


@dataclass(frozen=True)
class Control:
    """One table: settings that differ in one thing, the first of them the reference."""

    title: str
    settings: Sequence[Bundle]
    mixes: Sequence[tuple[str, str]] = MIXES
    overrides: dict[str, Any] = field(default_factory=dict)  # of the configuration, for all rows
    columns: dict[str, tuple[str, str]] = field(default_factory=dict)  # beside COLUMNS


def choices(parameter: str) -> list[str]:
    """Return what a parameter may be, by the registry."""
    ranges = {entry["name"]: entry["range"] for entry in Simulation.parameters()}
    return ranges[parameter].split(" | ")


def variants(base: str, parameter: str, values: Sequence[Any]) -> list[Bundle]:
    """Return a bundle for each value of a parameter, all else as in `base`."""
    short = parameter.rpartition(".")[2]
    return [Bundle(f"{base}, {short} {v}", base, {parameter: v}) for v in values]


WINDOW = "frontend.block.window"
ORDERS = [
    *variants("hms", "controller.nvdimm_scheduler", ("fcfs", "fr_fcfs")),
    *variants("hms_pas", "policies.pas.trigger", choices("policies.pas.trigger")),
    *variants("hms_pas", "policies.pas.return_after", (16,)),
]
CONTROLS = (
    Control(
        "Queues: 128 entries, 256 entries, two of 128",
        [Bundle(name, name) for name in ("unified_fr_fcfs", "unified_256", "split")],
    ),
    Control(
        "Lines that each of the program's four threads keeps outstanding",
        [b for base in ("unified_fr_fcfs", "split") for b in variants(base, WINDOW, (64, 10, 128))],
        BLOCKS,
    ),
    Control("Order of NVDIMM commands", ORDERS, BLOCKS, columns=FLASH),
    Control(
        "Order of NVDIMM commands: 4 outstanding, 4 read frames",
        ORDERS,
        BLOCKS,
        FEW_FRAMES,
        FLASH,
    ),
    Control(
        "After the ack",
        variants("hms", "controller.ack", choices("controller.ack")),
        columns=CONTESTS,
    ),
    Control(
        "Weight of harmonic scheduling",
        variants("hms", "policies.harmonic.weight", (0.5, 0.2, 0.8)),
        columns=CONTESTS,
    ),
)
COLUMNS = {
    "core.0.ipc": ("IPC", "{:.3f}"),
    "agent.0.speedup": ("IPC, times", "{:.3f}"),
    "agent.1.speedup": ("I/O rate, times", "{:.3f}"),
    "weighted_speedup": ("weighted speedup", "{:.3f}"),
    "max_slowdown": ("unfairness", "{:.2f}"),
    "dram.read_latency_ns.mean": ("DRAM read, ns", "{:.0f}"),
    "nvdimm.response_time_us.mean": ("4 KB block, us", "{:.1f}"),
    "nvdimm.line_latency_ns.mean": ("NVDIMM line, ns", "{:.0f}"),
}


def table(control: Control, found: Comparison) -> str:
    """Return a control's results as a section of Markdown."""
    columns = {**COLUMNS, **control.columns}
    titles = " | ".join(title for title, _ in columns.values())
    lines = ["", f"## {control.title}", "", f"| mix | setting | {titles} |"]
    lines.append("|---|---|" + "---:|" * len(columns))
    for row, result in zip(found.table.to_dict("records"), found.results):
        values = {**result.stats, **row}
        cells = [
            form.format(values[name]) if values.get(name) == values.get(name, "") else "-"
            for name, (_, form) in columns.items()
        ]
        lines.append(f"| {row['workload']} | {row['policy']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the controls and write their tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--jobs", type=int)
    arguments = parser.parse_args()
    body = ""
    with tempfile.TemporaryDirectory() as folder:
        mixes = {path.stem: path for path in write_mixes(Path(folder), arguments.data.resolve())}
        for control in CONTROLS:
            config = load_config(CONFIG, control.overrides)
            chosen = [mixes[f"{core}_{program}"] for core, program in control.mixes]
            runs = compare_runs(
                config, control.settings, chosen, options(), arguments.jobs, progress=True
            )
            body += table(control, runs)
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0] + MARK
    PAGE.write_text(head + body, encoding="utf-8")


if __name__ == "__main__":
    main()
