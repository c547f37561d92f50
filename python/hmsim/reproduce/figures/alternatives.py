# SPDX-License-Identifier: BSD-3-Clause
"""Figures made under other readings of the paper's words, and with wrong models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import pandas as pd

from hmsim.reproduce.figures import figures
from hmsim.reproduce.figures.changes import choices_of, of_settings
from hmsim.reproduce.figures.claims import BY_ID, CLAIMS, Claim
from hmsim.reproduce.figures.experiment import Runs
from hmsim.reproduce.figures.page import number
from hmsim.reproduce.figures.readings import READINGS, others
from hmsim.reproduce.figures.style import Made
from hmsim.reproduce.figures.verdicts import DEFAULT, REPRODUCED, judge
from hmsim.reproduce.figures.wrong_models import WRONG, WrongModel


def readings(figure: str, runs: Runs) -> dict[str, Made]:
    """Return a figure under each other reading that matters for its claims, with their findings."""
    found = {}
    for reading in READINGS:
        concerned = {each.id for each in _decided(figure) if reading in others(each)}
        if concerned:
            changed = runs.under(of_settings(reading.settings), choices_of(reading.settings))
            made = figures()[figure].make(changed)
            own = [each for each in made.findings if each.claim in concerned]
            found[reading.name] = replace(made, findings=own)
    return found


def joined(made: Made, others: Mapping[str, Made]) -> Made:
    """Return a figure whose data have those of other readings, by the column ``reading``."""
    parts = {DEFAULT: made, **others}
    data = pd.concat([each.data.assign(reading=name) for name, each in parts.items()])
    return replace(made, data=data) if others else made


@dataclass(frozen=True)
class Wrong:
    """A claim under its wrong model.

    Attributes:
        figure: that decides it.
        claim: its id.
        what: is wrong.
        right: number and verdict of the right model. If that is not reproduced either, the wrong
            model shows nothing.
        ours: number with the wrong model.
        verdict: with the wrong model.
    """

    figure: str
    claim: str
    what: str
    right: tuple[str, str]
    ours: str
    verdict: str

    @property
    def passes(self) -> bool:
        """Whether the verdict misses that the model is wrong."""
        return self.verdict == REPRODUCED

    def cells(self) -> tuple[str, ...]:
        return (self.figure, self.claim, self.what, *self.right, self.ours, self.verdict)


def wrong(figure: str, runs: Runs) -> Iterator[Wrong]:
    """Yield what becomes of each counted claim of a figure under its wrong model."""
    by_model: dict[WrongModel, list[Claim]] = {}
    for claim in _decided(figure):
        if claim.counted:
            by_model.setdefault(WRONG[claim.id], []).append(claim)
    right = _judged(figure, runs) if by_model else {}
    for model, claims in by_model.items():
        wrong_ = _judged(figure, runs.under(model.changes))
        for claim in claims:
            yield Wrong(figure, claim.id, model.what, right[claim.id], *wrong_[claim.id])


def _judged(figure: str, runs: Runs) -> dict[str, tuple[str, str]]:
    """Return number and verdict of each claim."""
    found = {}
    for finding in figures()[figure].make(runs).findings:
        claim = BY_ID[finding.claim]
        ours = None if finding.ours is None else finding.ours.mean
        found[claim.id] = (number(ours, claim.unit), judge(finding, claim))
    return found


def _decided(figure: str) -> list[Claim]:
    return [claim for claim in CLAIMS if claim.figure == figure]
