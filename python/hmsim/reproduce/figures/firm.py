# SPDX-License-Identifier: BSD-3-Clause
"""FIRM at its published parameters and at others: claims over FIRM use the stronger one."""

from __future__ import annotations

import pandas as pd

from hmsim import Bundle
from hmsim.reproduce.figures.gains import average, chosen, gains

PUBLISHED = "firm"
# Fewer turnarounds, and older batches. On mcf alone, which runs at an IPC of 0.59 under published
# parameters and of 0.78 under FR-FCFS with drained writes, these two gain 14 and 18 %.
OTHERS = (
    Bundle("firm_5", PUBLISHED, {"policies.firm.turnaround_share": 5}),
    Bundle(
        "firm_1_1ms",
        PUBLISHED,
        {"policies.firm.turnaround_share": 1, "policies.firm.batch_age": "1ms"},
    ),
)
NAMES = (PUBLISHED, *(each.name for each in OTHERS))


def strongest(table: pd.DataFrame, core: str) -> str:
    """Return the name of the best of FIRM's parameters on the mixes of a table.

    The best has the highest mean gain over the published ones; these, if none gains.

    Args:
        table: a row for each mix, seed and policy, in one write mode.
        core: whose gain counts: partner, program or both.
    """
    found = {
        name: average(chosen(gains(table, name, (PUBLISHED,)), core=core)).mean
        for name in NAMES[1:]
    }
    best = max(found, key=lambda name: found[name])
    return best if found[best] > 0 else PUBLISHED
