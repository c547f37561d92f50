# SPDX-License-Identifier: BSD-3-Clause
"""Measures how requests to the block device copy their lines (docs/profiles.md, "Causes")."""

from __future__ import annotations

import numpy as np

from hmsim.clones.causes import Copy
from hmsim.clones.profile import PAGE_LINES
from hmsim.traces.columns import Numbers

LONGEST_LEAD = 255  # instructions


class _Mean:
    total = 0
    cases = 0

    def add(self, total: int, cases: int = 1) -> None:
        self.total += total
        self.cases += cases

    @property
    def mean(self) -> float:
        return self.total / max(self.cases, 1)


class CopyMeter:
    """Gaps of the copies in one direction."""

    def __init__(self) -> None:
        self._means = {name: _Mean() for name in ("lines", "first", "line", "page", "last", "cold")}
        self.instructions = self.fills = 0
        self._leads = np.zeros(LONGEST_LEAD + 1, dtype=np.int64)

    def add(
        self, pages: int, times: Numbers, lines: Numbers, fills: Numbers, begin: int, end: int
    ) -> None:
        """Take a request in: when its lines came, and reads of DRAM between them."""
        self._means["lines"].add(len(lines), pages)
        after = np.searchsorted(times, fills, side="right")
        leads = times[after[after < len(times)]] - fills[after < len(times)]
        self._leads += np.bincount(np.minimum(leads, LONGEST_LEAD), minlength=len(self._leads))
        if len(lines):
            gaps = np.diff(times)
            turns = np.diff(lines // PAGE_LINES) != 0
            self._means["first"].add(int(times[0]) - begin)
            self._means["page"].add(int(gaps[turns].sum()), int(turns.sum()))
            self._means["line"].add(int(gaps[~turns].sum()), int((~turns).sum()))
            self._means["last"].add(end - int(times[-1]))
            page = np.cumsum(np.concatenate(([False], turns)))
            found = np.bincount(page[np.minimum(after, len(times) - 1)], minlength=page[-1] + 1)
            self._means["cold"].add(int((2 * found >= np.bincount(page)).sum()), int(page[-1]) + 1)

    def result(self) -> Copy:
        rpki = 1000 * self.fills / max(self.instructions, 1)
        sums = np.cumsum(self._leads)
        lead = int(np.searchsorted(sums, sums[-1] / 2))
        return Copy(**{name: each.mean for name, each in self._means.items()}, rpki=rpki, lead=lead)
