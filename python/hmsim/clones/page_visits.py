# SPDX-License-Identifier: BSD-3-Clause
"""Measures how long ago pages were visited last, for `profile_meter`."""

from __future__ import annotations

import numpy as np

from hmsim.traces.columns import Numbers


class PageVisits:
    """The number of each page's last visit."""

    def __init__(self) -> None:
        self.pages: Numbers = np.zeros(0, dtype=np.int64)
        self._last: Numbers = np.zeros(0, dtype=np.int64)

    def distances(self, pages: Numbers, first: int) -> Numbers:
        """Return how many visits ago the page of each visit was visited last; 0: never.

        The visits are numbered from ``first``.
        """
        numbers = first + np.arange(len(pages))
        order = np.argsort(pages, kind="stable")
        in_order = pages[order]
        again = np.concatenate(([False], in_order[1:] == in_order[:-1]))
        before = np.empty(len(pages), dtype=np.int64)
        before[order[1:]] = numbers[order[:-1]]
        starts = ~again
        own = in_order[starts]
        at = np.searchsorted(self.pages, own)
        known = at < len(self.pages)
        known[known] = self.pages[at[known]] == own[known]
        last = np.full(len(own), -1, dtype=np.int64)
        last[known] = self._last[at[known]]
        before[order[starts]] = last
        ends = np.concatenate((starts[1:], [True]))
        self._merge(own, numbers[order[ends]])
        return np.where(before < 0, 0, numbers - before)

    def _merge(self, pages: Numbers, last: Numbers) -> None:
        everything = np.concatenate((pages, self.pages))
        self.pages, where = np.unique(everything, return_index=True)
        self._last = np.concatenate((last, self._last))[where]
