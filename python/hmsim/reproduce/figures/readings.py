# SPDX-License-Identifier: BSD-3-Clause
"""Readings of the paper's words, from readings.yaml, where they allow several machines.

A reading changes one group from its default; all other groups keep theirs. A claim counts as
reproduced only if it is reproduced under each reading of its groups (`Claim.groups`) that the words
leave open. Readings that the words decide against are shown and have no say.

A key of `settings` is a parameter of the system. It wins over a policy bundle, and an experiment
that sweeps the same parameter wins over it. ``bundle.NAME.KEY`` sets KEY of points under the policy
bundle NAME alone. ``figure.NAME`` is a choice of a figure (`Runs.choice`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hmsim.reproduce.figures.claims import Claim, table


@dataclass(frozen=True)
class Reading:
    """One reading of a group.

    Attributes:
        name: unique among all readings.
        words: the paper's words for it, with their section.
        settings: the keys that it changes.
        default: whether the default system has it: the first reading of each group.
        decided: whether the words decide against it (docs/assumptions.md gives the reason).
        group: the question that its readings answer differently.
    """

    name: str
    words: str
    settings: Mapping[str, str] = field(default_factory=dict)
    default: bool = False
    decided: bool = False
    group: str = ""


READINGS: tuple[Reading, ...] = tuple(
    Reading(**entry, default=not number, group=group)
    for group, entries in table("readings.yaml").items()
    for number, entry in enumerate(entries)
)
# Groups that matter for a claim over mixes unless it names its own.
MIX_GROUPS = ("outstanding",)


def others(claim: Claim) -> list[Reading]:
    """Return the readings, except the default, of a claim's groups."""
    if claim.uncounted or claim.constructed:
        return []
    groups = MIX_GROUPS if claim.groups is None else claim.groups
    return [each for each in READINGS if each.group in groups and not each.default]
