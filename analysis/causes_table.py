#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a second queue does for captured programs that wait: the table of docs/programs.md.

python analysis/causes_table.py [PROGRAM]...
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from cut_captures import lines, middle
from hmsim.common.paths import data_directory
from hmsim.config.configuration import load_config
from hmsim.config.settings import from_mapping
from hmsim.running.mixes import PROGRAMS
from hmsim.running.runner import run
from hmsim.running.workload import Workload, load_agent
from tables import head, percent, row

MACHINES = {"dma": "an engine", "table3": "cores copy"}
REGIMES = {"none": "from flash", "resident": "resident"}
PART = 80_000_000  # instructions: four turns of the captured tasks
ONE, TWO = "unified_fr_fcfs,drained", "split,drained"


def busy_part(capture: Path) -> int:
    """Return where the middle one begins, by lines of the NVDIMM, of the parts that have any."""
    reads, writes = lines(capture, PART)
    return middle(reads + writes > 0, reads + writes) * PART


def statistics(program: str, machine: str, regime: str, policy: str) -> Any:
    """Return the statistics of a part of a captured program beside mcf."""
    folder = data_directory() / "workloads"
    capture = folder / "captures" / "causes" / f"{program}.hmsim.zst"
    partner = {
        **{"kind": "llc_trace", "core": 0, "path": f"{folder}/profiles/mcf.yaml:whole"},
        **{"format": "hmsim", "instructions": 1_000_000_000, "measured": False},
    }
    job = {
        **{"kind": "job", "path": str(capture), "format": "hmsim", "cores": "1-3"},
        **{"skip": busy_part(capture), "instructions": PART, "skip_idle": True},
    }
    agents = tuple(load_agent(from_mapping(keys, program)) for keys in (partner, job))
    wanted = {"frontend.node.machine": machine, "nvdimm.precondition.buffer": regime}
    bundle, _, writes = policy.partition(",")
    config = load_config("mascots16", wanted).with_policy(bundle).with_writes(writes)
    return run(config, Workload(program, agents)).stats


def change(before: Any, after: Any, name: str) -> str:
    """Return a change in per cent."""
    return f"{100 * (float(after[name]) / float(before[name]) - 1):+,.1f} %"


def main() -> None:
    head(
        *("program", "copies", "its data", "makespan, ms: one queue", "two", "change"),
        *("mcf's IPC: one queue", "two", "change", "time > 104 NVDIMM entries, one queue"),
    )
    for program in sys.argv[1:] or PROGRAMS:
        for machine, copies in MACHINES.items():
            for regime, where in REGIMES.items():
                one, two = (statistics(program, machine, regime, each) for each in (ONE, TWO))
                makespan, ipc = "agent.1.makespan_us", "core.0.ipc"
                row(
                    *(program, copies, where),
                    *(f"{each[makespan] / 1e3:.1f}" for each in (one, two)),
                    change(one, two, makespan),
                    *(f"{each[ipc]:.3f}" for each in (one, two)),
                    change(one, two, ipc),
                    percent(one["nvdimm.queue.share_over_104"]),
                )


if __name__ == "__main__":
    main()
