# SPDX-License-Identifier: BSD-3-Clause
"""A row of a self-check: what is expected, what the simulator gives, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One expectation: ``ok`` when ``got`` is within ``tolerance`` (absolute) of ``expected``.

    One that is ``unjudged``, for the reason that stands there, is shown, and always ``ok``. One
    that is listed as ``missed``, for a reason, is judged like the others, unless one accepts what
    is listed.
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

    @property
    def ok(self) -> bool:
        return self._within() or bool(self.unjudged)

    def passes(self, accept_listed: bool = False) -> bool:
        """Return whether it is ``ok``; accepting what is listed, one that is must be missed."""
        if accept_listed and self.missed and not self.unjudged:
            return not self._within()
        return self.ok

    def verdict(self, accept_listed: bool = False) -> str:
        """Return a word for tables."""
        if self.unjudged:
            return self.unjudged if self._within() else f"{self.unjudged}, missed"
        if accept_listed and self.missed:
            return "FAIL: no longer missed" if self._within() else "missed"
        return "ok" if self._within() else "FAIL"

    def complaint(self) -> str:
        """Return a line on what is wrong with one that does not pass."""
        place = "is within" if self._within() else "lies outside of"
        low, high = self.expected - self.tolerance, self.expected + self.tolerance
        unit = f" {self.unit}".rstrip()
        why = f"; listed as missed: {self.missed}" if self.missed else ""
        name = f"{self.group}: {self.name}"
        return f"{name}: {self.got:.4g}{unit} {place} {low:.4g} to {high:.4g}{unit}{why}"

    def _within(self) -> bool:
        return abs(self.got - self.expected) <= self.tolerance

    def as_dict(self) -> dict[str, Any]:
        """Return the fields and ``ok``."""
        return {**self.__dict__, "ok": self.ok}
