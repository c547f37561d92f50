# SPDX-License-Identifier: BSD-3-Clause
"""Can every verdict that counts come out both ways?

Formulas stand for the simulator, under which all claims hold. Then each claim's wrong model must
make its verdict fail. `hmsim figure all --wrong-models` does so with the simulator.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
from hmsim.reproduce.figures import alternatives, experiment, figures
from hmsim.reproduce.figures.claims import BY_ID, CLAIMS
from hmsim.reproduce.figures.experiment import Runs
from hmsim.reproduce.figures.verdicts import NOT, REPRODUCED, judge
from hmsim.reproduce.figures.wrong_models import WRONG

COUNTED = [claim for claim in CLAIMS if claim.counted]
QUICK = ("table1", "table2", "fig7", "fig8a", "fig8c", "fig19")
DECIDING = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
    for name in sorted({claim.figure for claim in COUNTED})
]


@pytest.fixture(autouse=True)
def no_simulator(by_formulas: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let formulas give what points measure, and every capture have a few lines."""
    lines = lru_cache(lambda program, length: tuple([0, 5, 0, 9, 1, 0, 2, 7, 0, 0]))
    monkeypatch.setattr(experiment, "lines", lines)


def test_each_counted_claim_names_a_wrong_model() -> None:
    assert {claim.id for claim in COUNTED} == WRONG.keys()
    assert all(model.what and model.changes for model in WRONG.values())


@pytest.mark.parametrize("figure", DECIDING)
def test_claims_hold_in_a_right_model(figure: str, tmp_path: Path) -> None:
    made = figures()[figure].make(Runs(tmp_path, quick=True))
    verdicts = {each.claim: judge(each, BY_ID[each.claim]) for each in made.findings}
    counted = {claim.id: REPRODUCED for claim in COUNTED if claim.figure == figure}
    assert {name: verdicts[name] for name in counted} == counted, made.findings


@pytest.mark.parametrize("figure", DECIDING)
def test_claims_fail_in_a_wrong_model(figure: str, tmp_path: Path) -> None:
    found = list(alternatives.wrong(figure, Runs(tmp_path, quick=True)))
    assert {each.claim for each in found} == {c.id for c in COUNTED if c.figure == figure}
    assert {each.claim: each.verdict for each in found if each.verdict != NOT} == {}
