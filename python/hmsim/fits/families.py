# SPDX-License-Identifier: BSD-3-Clause
"""Targets that are measured families of latency against bandwidth (docs/anchors.md).

A machine's points are those of configs/anchors/method.yaml for the family's machine and its first
part, under the fit's keys. Each quantity of a curve is a target.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from hmsim._core import InputError
from hmsim.config.settings import Setting
from hmsim.fits.source import Done, Machine
from hmsim.points.point import Point
from hmsim.reproduce.card import families
from hmsim.reproduce.card.curves import Curve, has, measured
from hmsim.reproduce.card.method import FULL, machine_of, read
from hmsim.runs.options import options
from hmsim.sweep.plan import Planned

VARIANT = "queue 64"


@lru_cache
def method() -> dict[str, Any]:
    """Return configs/anchors/method.yaml."""
    return read("method.yaml")


class FamilySource:
    """A quantity of a family's curve: latency at a share of its own maximum, or that maximum."""

    def __init__(self, family: str, reads: float, at: float | None, constant: str) -> None:
        """Take a quantity.

        Args:
            family: a measured one.
            reads: share of them.
            at: share of the curve's largest bandwidth; None: that bandwidth in per cent of the
                peak, instead of the latency in ns.
            constant: name of a constant of the fit in ns that latencies contain; "": the machine's.
        """
        name = machine_of(family)
        self._machine = method()["machines"][name]
        shares = [share for share in method()["load"]["reads"] if has(family, share)]
        if reads not in shares:
            known = ", ".join(f"{100 * share:g}%" for share in shares)
            raise InputError(f"{100 * reads:g} % reads were not measured; known: {known}")
        self._key = f"{family} {reads:g}"
        self._reads = reads
        self._at = at
        self._constant = constant
        self._theirs = measured(family, round(100 * reads), self._machine["clock_ghz"])

    def wanted(self) -> float:
        """Return the measured number."""
        return self._of(self._theirs, self._machine["peak_gb_per_s"])

    def number(self, machine: Machine, done: Done) -> float:
        if self._key not in machine.memo:
            machine.memo[self._key] = self._points(machine)
        peak, agents, points = machine.memo[self._key]
        planned = [Planned(each.labels(), each) for _, each in points]
        outcomes = machine.outcomes(planned, done)
        found = [
            families.measured(each.values, agents, offered)
            for (offered, _), each in zip(points, outcomes)
        ]
        return self._of(families.curve(found, self._ns(machine)), peak)

    def check(self, machine: Machine) -> None:
        """Find nothing: the quantities are fixed."""

    def _of(self, curve: Curve, peak: float) -> float:
        return 100 * curve.most / peak if self._at is None else curve.at(self._at)

    def _ns(self, machine: Machine) -> float:
        if self._constant:
            return machine.constants[self._constant]
        return float(sum(self._machine["constant"].values()))

    def _points(self, machine: Machine) -> tuple[float, int, list[tuple[float, Point]]]:
        """Return the peak, the number of streams, and a point for each offered load."""
        how = method()
        part = next(iter(self._machine["parts"].values()))
        plain = families.system(how, part, VARIANT, self._machine["channels"])
        own = [Setting(n, v.text, v.where) for n, v in machine.settings().items()]
        config = replace(plain, overrides=(*plain.overrides, *own))
        config.check()
        load = families.Load(
            *(self._machine["agents"], self._machine["outstanding"]),
            *(int(how["load"]["chase_loads"]), how["load"]["warmup"]),
        )
        points = []
        for offered in families.offers(how, FULL):
            agents = families.workload(config, load, self._reads, offered)
            chosen = options(1, load.warmup)  # seeds make next to no difference
            axes = (("run", self._key), ("offered", offered))
            points.append((offered, Point(config, agents, chosen, axes)))
        return families.peak(config), load.agents, points
