# SPDX-License-Identifier: BSD-3-Clause
"""The costs in docs/schedulers.md: host instructions of each policy bundle.

One channel of configs/mascots16.yaml, the same requests under every bundle: both memories by turns
at random, one third writes (pattern `classes` of the benchmark). Instructions are counted as in
benchmarks/run.py.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import hmsim
from hmsim.common.paths import shipped
from hmsim.runs.calibration import with_table

from benchmarks.run import DEFAULT_PROGRAM, instructions
from pages import DOCS, Documents, below

REFERENCE = "unified_fr_fcfs"
COUNTED = (5_000, 20_000)  # requests


def cost(program: Path, bundle: str) -> float:
    """Return host instructions per request."""
    config = with_table(hmsim.load_config("mascots16").with_policy(bundle), True, None, True)
    settings = [f"{name}={value}" for name, value in config.flat() if not name.startswith("front")]
    short, long = (instructions(program, "classes", count, settings) for count in COUNTED)
    return (long - short) / (COUNTED[1] - COUNTED[0])


def page(_: Path) -> Documents:
    """Measure the cost of each bundle, and yield the page with them."""
    bundles = sorted(shipped("configs/policies"))
    costs = {bundle: cost(DEFAULT_PROGRAM, bundle) for bundle in bundles}
    base = costs[REFERENCE]
    times = (f"`{name}` {costs[name] / base:.2f}" for name in sorted(costs, key=costs.__getitem__))
    body = f"{base:,.0f} instructions under FR-FCFS; as multiples of it: {', '.join(times)}."
    yield below(DOCS / "schedulers.md", "costs", f"\n{textwrap.fill(body, 100)}\n")
