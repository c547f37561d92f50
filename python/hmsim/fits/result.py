# SPDX-License-Identifier: BSD-3-Clause
"""A fit's result as frames."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from hmsim.fits import tables
from hmsim.fits.findings import Findings
from hmsim.fits.space import Values
from hmsim.reproduce.card.content import Table

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd


class Fitted:
    """What `hmsim.fit` returns: the tables of the fit's page as frames, and the fitted values."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    @property
    def values(self) -> Values:
        """The fitted value of each key and constant."""
        return self.findings.best.values

    @cached_property
    def targets(self) -> pd.DataFrame:
        """A row a target: wanted, reached, verdict."""
        return _frame(tables.targets(self.findings))

    @cached_property
    def keys(self) -> pd.DataFrame:
        """A row a key: value, range within the bands, whether it is determined."""
        return _frame(tables.keys(self.findings))

    @cached_property
    def conflicts(self) -> pd.DataFrame:
        """A row for each target, or pair of targets, that no trial met."""
        return _frame(tables.conflicts(self.findings))

    @cached_property
    def neighbours(self) -> pd.DataFrame:
        """A row for each key and step: the targets that fail there."""
        return _frame(tables.neighbours(self.findings))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """A row a machine: fitted, at random, unfitted."""
        return _frame(tables.scores(self.findings))


def _frame(table: Table) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([list(row) for row in table.rows], columns=list(table.columns))
