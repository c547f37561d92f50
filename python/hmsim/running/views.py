# SPDX-License-Identifier: BSD-3-Clause
"""Three views of the requests of a run (docs/three-views.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

VIEWS = ("application", "interface", "simulator")
LOAD = ("load",)
KINDS = ("load", "prefetch", "core_write", "other_read", "other_write")
READS = ("load", "prefetch", "other_read")
WRITES = ("core_write", "other_write")
RESIDUES = (  # must be 0
    *("residue.application_ps", "residue.interface_ps", "residue.parts_ps"),
    *("residue.comparisons", "residue.order", "residue.unseen"),
)


@dataclass(frozen=True)
class Views:
    """Sums of the three views over the measured window.

    Attributes:
        sums: integers by name. ``VIEW.KIND.count``, ``.bytes`` and ``.ps`` (sum of latencies), with
            a view of `VIEWS` and a kind of `KINDS`; ``VIEW.in_flight`` and ``.area_ps``;
            ``lookup_ps``, ``edge_ps`` and ``admission_ps``; ``residue.*``.
    """

    sums: dict[str, int]

    def total(self, view: str, what: str, kinds: Iterable[str] = KINDS) -> int:
        """Return the sum of ``count``, ``bytes`` or ``ps`` over some kinds, in one view."""
        return sum(self.sums[f"{view}.{kind}.{what}"] for kind in kinds)

    def mean_ns(self, view: str, kinds: Iterable[str] = KINDS) -> float:
        """Return the mean latency in one view; 0 without requests."""
        chosen = tuple(kinds)
        count = self.total(view, "count", chosen)
        return self.total(view, "ps", chosen) / count / 1e3 if count else 0.0

    def little(self, view: str) -> int:
        """Return the residue of Little's law: the occupancy's integral minus the latencies.

        Latencies are counted within the window, also of requests in flight at its ends.
        """
        sums = self.sums
        within = self.total(view, "ps") - sums[f"{view}.before_ps"] + sums[f"{view}.after_ps"]
        return sums[f"{view}.area_ps"] - within

    @property
    def residue(self) -> int:
        """The sum of everything that must be 0: latencies (ps), requests and violations."""
        sums = self.sums
        little = sum(abs(self.little(view)) for view in VIEWS)
        counts = sum(
            abs(sums[f"interface.{kind}.{what}"] - sums[f"simulator.{kind}.{what}"])
            for kind in KINDS
            for what in ("count", "bytes")
        )
        outside = self.total("interface", "ps") - self.total("simulator", "ps")
        admission = abs(outside - sums["admission_ps"])
        return sum(sums[name] for name in RESIDUES) + little + counts + admission + self.loads()

    def loads(self) -> int:
        """Return the difference of application and interface in number of loads plus that in ps."""
        sums = self.sums
        seen = sums["application.load.ps"] - sums["lookup_ps"] - sums["edge_ps"]
        count = sums["application.load.count"] - sums["interface.load.count"]
        return abs(count) + abs(seen - sums["interface.load.ps"])

    def line(self) -> str:
        """Return a line with counts, bytes, means, declared constants and the residue."""
        sums = self.sums
        parts = []
        if loads := sums["application.load.count"]:
            lookup, edge = (sums[name] / loads / 1e3 for name in ("lookup_ps", "edge_ps"))
            parts.append(
                f"application {loads:,} loads, {self.mean_ns('application', LOAD):.2f} ns = "
                f"interface {self.mean_ns('interface', LOAD):.2f} + look-ups {lookup:.2f}"
                f" + edge {edge:.2f}"
            )
        count = self.total("interface", "count")
        admission = sums["admission_ps"] / count / 1e3 if count else 0.0
        parts.append(
            f"interface {count:,} requests, {self.total('interface', 'bytes'):,} bytes,"
            f" {self.mean_ns('interface'):.2f} ns = "
            f"simulator {self.mean_ns('simulator'):.2f} + admission {admission:.2f}"
        )
        return f"views: {'; '.join(parts)}; residue {self.residue:,}"
