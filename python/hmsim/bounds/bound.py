# SPDX-License-Identifier: BSD-3-Clause
"""What bound a run: the limit of each class's rate, and the parameters that raise it.

A *unit* of requests is a page's lines, or less if requests or flash reads are smaller. Units
circulate in a closed network: they wait at the agents, take entries of the queue, are read from
LUNs over flash channels, and pass buses and links. The network's service times and its wait at LUNs
are measured in the run. Its rate at doubled parameters predicts what they gain.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hmsim.bounds.closed_network import LUNS, Network
from hmsim.common.tables import number

LEAST = 1.03  # gain of a doubled parameter that is worth its name
CLOSE = 0.6  # of the best parameter's gain: named as well
MOST = 3  # advices
FULL = 0.9  # of its time: busy enough to be called the bound
NEAR = 1.05  # of the bound: the runner-up
FACTORS = (4.0, 8.0, 16.0, 32.0, 64.0)  # of room that is too small for another page
MANIFOLD = 3.0  # gain from which it is printed as a factor
Factors = Mapping[str, float]
Gain = tuple[tuple[str, ...], float, float]  # parameters, their factor, and the rate's


class Limit(NamedTuple):
    """A limit of the requests in flight.

    Attributes:
        what: the part whose room limits them.
        names: the parameters of that room.
        units: how many it has room for.
        think: time that each of them spends outside the network, in ns.
        parallel: pages that each has at the flash at a time.
        lines: room in lines, which the buffer and the bus serve one by one.
        hit: time of each of these lines, in ns.
    """

    what: str
    names: tuple[str, ...]
    units: float
    think: float = 0.0
    parallel: float = 1.0
    lines: float = 0.0
    hit: float = 0.0

    def rate(self, network: Network, unit: float) -> float:
        """Return the rate that the room allows, in units of ``unit`` lines per ns."""
        found = math.inf
        if network.visits or not self.lines:
            found = network.rate(self.units, self.think, self.parallel)
        if self.lines:
            found = min(found, network.of_lines(unit).rate(self.lines, self.hit) / unit)
        return found


class Bound(NamedTuple):
    """What bound a class of memory.

    Attributes:
        memory: DRAM or NVDIMM, the class.
        noun: its name in the sentence, as `labels.slow_memory` returns it.
        what: the bound.
        rate: measured, in GB/s.
        capacity: of the server with the least capacity, in GB/s.
        server: its name.
        second: a bound within 5 %, or ''.
        gains: names of parameters, a factor, and the predicted gain if all of them are multiplied
            by it; the best first. Empty: the load asks for no more.
    """

    memory: str
    noun: str
    what: str
    rate: float
    capacity: float
    server: str
    second: str
    gains: tuple[Gain, ...]

    def __str__(self) -> str:
        """Return the sentence that a run prints."""
        second = f" ({self.second} within 5 %)" if self.second else ""
        reached = f"{number(self.rate)} of {number(self.capacity)} GB/s of the {self.server}"
        raised = "the load asks for no more"
        if self.gains:
            raised = f"raise {' or '.join(map(_advice, self.gains))}"
        return f"{self.noun} bound by {self.what}{second}, at {reached}: {raised}"


@dataclass
class Model:
    """The closed network of one class, and the limits of its requests in flight.

    Attributes:
        memory, noun: as `Bound`.
        unit: lines of a unit.
        measured: units per ns; ``gb_per_s``: the same in GB/s.
        network: fitted to the run.
        limits: the limits if parameters are multiplied by these factors.
        candidates: parameters, and the parts of the network that each of them enlarges.
    """

    memory: str
    noun: str
    unit: float
    measured: float
    gb_per_s: float
    network: Network
    limits: Callable[[Factors], list[Limit]]
    candidates: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        """Find the limit that bound the run. The rest of its error scales predictions."""
        rates = {each: each.rate(self.network, self.unit) for each in self.limits({})}
        self.binding = min(rates, key=rates.__getitem__)
        self.rates = {each.what: rate for each, rate in rates.items()}
        self.scale = self.measured / rates[self.binding]
        self.base = self.rate({})

    def rate(self, factors: Factors) -> float:
        """Return the predicted rate if parameters are multiplied."""
        network = self.network
        for name, factor in factors.items():
            for part in self.candidates.get(name, ()):
                network = network.faster(part, factor)
        found = min(network.capacities().values())
        for each in self.limits(factors):
            scale = self.scale if each.what == self.binding.what else max(self.scale, 1.0)
            found = min(found, scale * each.rate(network, self.unit))
        return found

    def gains(self) -> list[Gain]:
        """Return the parameters whose doubling gains most, then the room that would gain."""
        good: list[Gain] = []
        for together in (1, 2):
            pairs = itertools.combinations(self.candidates, together)
            found = [(names, 2.0, self.gain(names, 2.0)) for names in pairs]
            best = max((gain for *_, gain in found), default=0.0)
            if best >= LEAST and not good:
                least = max(LEAST, 1 + CLOSE * (best - 1))
                good = sorted((each for each in found if each[2] >= least), key=lambda e: -e[2])
        near = [each for each in self.limits({}) if self.near(self.rates[each.what])]
        room = tuple(name for each in near for name in each.names if name in self.candidates)
        if room and not any(set(names) & set(room) for names, *_ in good):
            factors = (factor for factor in FACTORS if self.gain(room, factor) >= LEAST)
            factor = next(factors, 0.0)
            gain = self.gain(room, factor) if factor else 0.0
            if gain > 1 and all(gain - 1 >= CLOSE * (other - 1) for *_, other in good):
                good = [*good[: MOST - 1], (room, factor, gain)]
        return good[:MOST]

    def gain(self, names: Sequence[str], factor: float) -> float:
        """Return the predicted gain of multiplying parameters together."""
        return self.rate(dict.fromkeys(names, factor)) / self.base

    def near(self, rate: float) -> bool:
        """Return whether a bound is within 5 % of the one that holds."""
        return rate <= NEAR * min(self.rates.values())

    def bound(self) -> Bound:
        """Return the bound, and the parameters that raise it."""
        capacities = self.network.capacities()
        server = min(capacities, key=capacities.__getitem__)
        share = min(1.0, self.measured / capacities[server])
        what = f"the {server}"
        if share < FULL:
            what = self.binding.what
            pages = self.binding.units * self.binding.parallel * (self.network.visits > 0)
            if pages >= 1 and self.binding.names and self.network.cells == LUNS:
                what = f"{what}, {number(pages)} page{'s' if pages > 1 else ''} at the flash"
        others = {**self.rates, **capacities}
        close = [name for name, rate in others.items() if name not in what and self.near(rate)]
        second = " and ".join(close)
        capacity = self.gb_per_s / share
        gains = tuple(self.gains())
        reached = (self.gb_per_s, capacity, server)
        return Bound(self.memory, self.noun, what, *reached, second, gains)


def _advice(gain: Gain) -> str:
    names, factor, raised = gain
    more = f"+{100 * (raised - 1):.0f} %" if raised < MANIFOLD else f"x {raised:.0f}"
    given = "" if any(" to " in name for name in names) else f"x {factor:.0f}: "
    return f"{' and '.join(names)} ({given}about {more})"
