# SPDX-License-Identifier: BSD-3-Clause
"""Row of a self-check: the expected value, the simulator's value, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

AT_LEAST, AT_MOST = "at least", "at most"
PREREGISTERED = "set before the runs"  # source of a band that no formula gives
# Papers state effects in whole per cents, so a smaller effect is none: ratios that rise, ratios
# that fall, and per cents that are lost.
RISES, FALLS, LOSS = 1.005, 0.995, 0.5
FIELDS = (  # of `Row.as_dict`
    *("group", "name", "expected", "got", "unit", "tolerance", "source", "unjudged", "missed"),
)


@dataclass(frozen=True)
class Row:
    """One expectation: ``ok`` when ``got`` is within ``tolerance`` (absolute) of ``expected``.

    A row with an ``unjudged`` reason is shown and always ``ok``. A row with a ``missed`` reason is
    judged like the others, unless the caller accepts the listed misses.

    For a ``claim`` the band counts, not its middle. A claim with a ``side``, "at least" or "at
    most", is stated by that end of the band alone; the other end only excludes impossible values. A
    ``trend`` states a direction without a size.
    """

    group: str
    name: str
    expected: float
    got: float
    unit: str
    tolerance: float
    source: str
    unjudged: str = ""
    missed: str = ""
    claim: bool = False
    side: str = ""
    trend: bool = False

    @property
    def band(self) -> str:
        """The row's requirement in words: the band of a claim, the value of a closed form."""
        low, high = self.expected - self.tolerance, self.expected + self.tolerance
        if self.side:
            return f"{self.side} {low if self.side == AT_LEAST else high:.4g}"
        if not self.tolerance:
            return f"exactly {self.expected:.5g}"
        if self.claim:
            return f"{low:.4g} to {high:.4g}"
        return f"{self.expected:.5g} +- {self.tolerance:.2g}"

    @property
    def document(self) -> str:
        """The source of the band, without the reason of a miss."""
        return self.source.removesuffix(f"; {self.missed}")

    @property
    def ok(self) -> bool:
        return self._within() or bool(self.unjudged)

    def passes(self, accept_listed: bool = False) -> bool:
        """Return whether the row is ``ok``.

        With ``accept_listed``, a row with a ``missed`` reason passes only if it is still missed.
        """
        if accept_listed and self.missed and not self.unjudged:
            return not self._within()
        return self.ok

    def verdict(self, accept_listed: bool = False) -> str:
        """Return a word for tables; a trend adds that only its direction is tested."""
        if self.unjudged:
            return self.unjudged if self._within() else f"{self.unjudged}, missed"
        if accept_listed and self.missed:
            word = "FAIL: no longer missed" if self._within() else "missed"
        else:
            word = "ok" if self._within() else "FAIL"
        return f"{word}, direction only" if self.trend else word

    def complaint(self) -> str:
        """Return a line that states why a row that does not pass() fails."""
        place = "is within" if self._within() else "is outside"
        low, high = self.expected - self.tolerance, self.expected + self.tolerance
        unit = f" {self.unit}".rstrip()
        why = f"; listed as missed: {self.missed}" if self.missed else ""
        name = f"{self.group}: {self.name}"
        return f"{name}: {self.got:.4g}{unit} {place} {low:.4g} to {high:.4g}{unit}{why}"

    def _within(self) -> bool:
        return abs(self.got - self.expected) <= self.tolerance

    def as_dict(self) -> dict[str, Any]:
        """Return the fields and ``ok``; with a ``side`` also the band in words."""
        fields = {name: self.__dict__[name] for name in FIELDS}
        stated = {"band": f"{self.band}, direction only" if self.trend else self.band}
        return {**fields, "ok": self.ok, **(stated if self.side else {})}


def counts(rows: Sequence[Row]) -> str:
    """Return a sentence with the number of rows of each kind and the number that hold."""
    forms = [row for row in rows if not row.claim]
    claims = [row for row in rows if row.claim and not row.unjudged]
    met = [row for row in claims if row.ok]
    trends = sum(row.trend for row in met)
    shown = [row.unjudged for row in rows if row.unjudged]
    parts = []
    if forms:
        kind = "bands" if all(row.source == PREREGISTERED for row in forms) else "closed forms"
        parts.append(f"{kind}: {sum(row.ok for row in forms)} of {len(forms)} hold")
    if claims:
        missed = len(claims) - len(met)
        parts.append(f"claims: {len(met)} met ({trends} direction only), {missed} missed")
    if shown:
        words = ", ".join(f"{shown.count(why)} {why}" for why in dict.fromkeys(shown))
        parts.append(f"not judged: {words}")
    return "; ".join(parts)
