# SPDX-License-Identifier: BSD-3-Clause
"""Tables of statistics whose columns also have their deprecated names."""

from __future__ import annotations

from typing import Any

import pandas as pd

from hmsim.common.statistic_names import valid


class StatisticTable(pd.DataFrame):
    """DataFrame whose ``table[name]`` accepts deprecated names of columns."""

    @property
    def _constructor(self) -> type[StatisticTable]:  # of the tables that pandas derives
        return StatisticTable

    def __getitem__(self, key: Any) -> Any:
        """Return a column, or several for a list of names, as a DataFrame does."""
        if isinstance(key, str):
            return super().__getitem__(key if key in self.columns else valid(key))
        if isinstance(key, list):
            key = [valid(name) if isinstance(name, str) else name for name in key]
        return super().__getitem__(key)
