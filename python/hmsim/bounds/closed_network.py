# SPDX-License-Identifier: BSD-3-Clause
"""The closed network of a memory: pages in flight on LUNs, flash channels, buses and links."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

LUNS = "flash LUNs"


class Network(NamedTuple):
    """Flash LUNs and their channels, then servers that each unit visits once; times in ns.

    Attributes:
        cells: name of the LUNs, or of what is in their place.
        luns, channels: their numbers.
        sense: time for which a LUN is busy alone.
        transfer: time for which it holds its channel.
        scatter: 1: pages are on LUNs at random; 0: evenly.
        visits: flash accesses of a unit.
        servers: time of a unit at each of the others, by name.
    """

    cells: str = LUNS
    luns: float = 1
    channels: float = 1
    sense: float = 0.0
    transfer: float = 0.0
    scatter: float = 1.0
    visits: float = 0.0
    servers: Mapping[str, float] = {}

    def capacities(self) -> dict[str, float]:
        """Return the largest rate of each server, in units/ns."""
        found = {name: 1 / time for name, time in self.servers.items() if time > 0}
        if self.visits * (self.sense + self.transfer) > 0:
            found[self.cells] = self.luns / (self.sense + self.transfer) / self.visits
        if self.visits * self.transfer > 0:
            found["flash channels"] = self.channels / self.transfer / self.visits
        return found

    def faster(self, part: str, factor: float) -> Network:
        """Return the network with more of a part, or a faster one."""
        if part in ("luns", "channels"):
            return self._replace(**{part: getattr(self, part) * factor})
        if part == "transfer":
            return self._replace(transfer=self.transfer / factor)
        return self._replace(servers={**self.servers, part: self.servers[part] / factor})

    def flash_time(self, rate: float, units: float) -> float:
        """Return the time of a unit at LUNs and channels.

        A LUN is held for the sense, the wait for its channel and the transfer. Only the other LUNs
        of the channel compete for it.
        """
        arriving = rate * self.visits
        most = min(units, self.luns / self.channels)
        hold = self.sense + self._time(self.transfer, arriving / self.channels, most)
        return self._time(hold, arriving / self.luns, units) * self.visits

    def at_servers(self, rate: float, units: float) -> float:
        """Return the time of a unit at the other servers, with ``units`` in flight."""
        times = self.servers.values()
        return sum(self._replace(scatter=1)._time(each, rate, units) for each in times)

    def rate(self, units: float, think: float, parallel: float = 1.0) -> float:
        """Return the rate of ``units`` in flight, each of which pauses for ``think``.

        ``parallel``: flash accesses that each of them has at a time.
        """

        def excess(rate: float) -> float:
            flash = self.flash_time(rate, units * parallel) / parallel
            return rate * (think + flash + self.at_servers(rate, units)) - units

        most = min(self.capacities().values(), default=math.inf)
        if think > 0:
            most = min(most, units / think)
        return root(excess, 0.0, most)

    def of_lines(self, unit: float) -> Network:
        """Return the servers alone, with lines for units of ``unit`` lines."""
        times = {name: time / unit for name, time in self.servers.items()}
        return self._replace(visits=0.0, servers=times)

    def _time(self, service: float, rate: float, units: float) -> float:
        """Return wait and service at one of equal servers.

        A request finds the mean number of the others there (mean value analysis). The one in
        service has half of its time left on a server that is seldom busy.
        """
        busy = min(rate * service, 1.0)
        others = self.scatter * (1 - 1 / max(units, 1.0)) * busy * (1 + busy) / 2
        return service / max(1 - others, 1e-9)


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a growing function is 0, or the nearer end."""
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return high
