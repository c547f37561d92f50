# SPDX-License-Identifier: BSD-3-Clause
"""Targets that are claims of the paper: what its figures find on a machine.

A key changes every point that decides a claim. It wins over the policy bundle; what an experiment
varies itself wins over the key, except the start of the buffer and the kind of cores, which each
program has on its own otherwise. Runs are those of ``hmsim figure --quick`` for the fit's seeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from hmsim._core import InputError
from hmsim.common.paths import cache_directory
from hmsim.config.harmonic_table import table_parameter
from hmsim.config.node_reader import Value
from hmsim.config.settings import from_mapping
from hmsim.fits.source import Done, Machine
from hmsim.fits.wanted import Wanted
from hmsim.points.point import Point
from hmsim.points.run import as_table
from hmsim.reproduce.figures import figures
from hmsim.reproduce.figures.changes import Change, decides
from hmsim.reproduce.figures.claims import BY_ID, Claim
from hmsim.reproduce.figures.experiment import HMS, Runs, system
from hmsim.reproduce.figures.regimes import BUFFER, MACHINE_KEY
from hmsim.reproduce.figures.verdicts import Finding, is_effect
from hmsim.runs.calibration import with_table
from hmsim.sweep.plan import Planned, with_agent_key

if TYPE_CHECKING:
    import pandas as pd

WINNING = (BUFFER, MACHINE_KEY)
TABLE = "policies.harmonic.table"
FOLDER = cache_directory().absolute() / "figures"  # of files that points read


def wanted(claim: Claim) -> Wanted:
    """Return a claim's band around the paper's number; an order holds (1) or does not (0)."""
    if claim.band is None:
        return Wanted(1.0, math.inf)
    low, high = claim.band
    inside = claim.paper is not None and low < claim.paper < high
    return Wanted(low, high, claim.paper if inside and math.isfinite(high) else None)


def claim_of(name: str) -> Claim:
    """Return a claim that can fail. Raises InputError."""
    known = [claim.id for claim in BY_ID.values() if claim.counted]
    if name not in known:
        raise InputError(f"'{name}' is not a claim that can fail; known: {', '.join(known)}")
    return BY_ID[name]


class ClaimSource:
    """The number of a claim, by the figure that decides it."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim

    def number(self, machine: Machine, done: Done) -> float:
        figure = self._claim.figure
        if figure not in machine.memo:
            runs = Asked.of(machine, done)
            found = {each.claim: each for each in figures()[figure].make(runs).findings}
            machine.memo[figure] = found
        ours: Finding = machine.memo[figure][self._claim.id]
        if self._claim.band is None:
            return float(ours.trend and (ours.ours is None or is_effect(ours.ours, self._claim)))
        return ours.ours.mean if ours.ours and ours.trend else math.nan

    def check(self, machine: Machine) -> None:
        """Find nothing: claims name no statistic."""


@dataclass(frozen=True)
class Asked(Runs):
    """Runs of a machine, whose points the bench of a fit executes.

    Attributes:
        machine, done: whose points, and what has run.
        agents: keys of agents, ``agent.0`` a mix's partner and ``agent.1`` its job.
    """

    machine: Machine | None = field(default=None, compare=False)
    done: Done | None = field(default=None, compare=False)
    agents: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, machine: Machine, done: Done) -> Asked:
        """Return the runs of a machine."""
        texts = {name: value.text for name, value in machine.settings().items()}
        agents = tuple((n, text) for n, text in texts.items() if n.startswith("agent."))
        parts: dict[bool, dict[str, str]] = {False: {}, True: {}}
        for name, text in texts.items():
            if not name.startswith("agent."):
                parts[name in WINNING][name] = text
        changes = tuple(
            Change(tuple(own.items()), wins=wins, deciding=True)
            for wins, own in parts.items()
            if own
        )
        return cls(FOLDER, True, changes=changes, machine=machine, done=done, agents=agents)

    @property
    def seeds(self) -> Sequence[int]:
        """Seeds of the fit."""
        assert self.machine is not None
        return self.machine.seeds

    def changed(self, each: Point) -> Point:
        """Return a point with the machine's keys and the headline's table. Raises InputError."""
        changed = super().changed(each)
        if decides(each) and each.labels().get("partner"):
            workload = changed.workload
            for name, text in self.agents:
                workload = with_agent_key(workload, name, Value(text, name))
            changed = replace(changed, workload=workload)
        if table_parameter(changed.config) is None:
            return changed
        own = tuple(from_mapping({TABLE: headline_table()}, "claims"))
        config = replace(changed.config, overrides=(*changed.config.overrides, *own))
        return replace(changed, config=config)

    def table(self, points: Iterable[Point]) -> pd.DataFrame:
        """Return a row for each point. Raises Missing: some have not run."""
        assert self.machine is not None and self.done is not None
        planned = [Planned(each.labels(), each) for each in map(self.changed, points)]
        outcomes = self.machine.outcomes(planned, self.done)
        return as_table([(each.labels, found) for each, found in zip(planned, outcomes)])


@lru_cache
def headline_table() -> str:
    """Return the path of the table that harmonic scheduling has in the figures' own system."""
    return str(with_table(system(HMS)).resolved()[TABLE])
