# SPDX-License-Identifier: BSD-3-Clause
"""Is every claim of the paper in the table, with the number that the paper states?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hmsim.reproduce.figures import figures
from hmsim.reproduce.figures.claims import BY_ID, CLAIMS, GROUPS
from hmsim.reproduce.figures.page import AS_CLAIMED, FAILS, OTHER, direction, measures, text
from hmsim.reproduce.figures.verdicts import (
    NOT,
    REPRODUCED,
    Estimate,
    Finding,
    judge,
)

FIGURES = Path(__file__).resolve().parents[2] / "docs" / "figures"
TARGETS = {f"R{number}" for number in range(1, 23)}
# The paper's text, by hand.
STATED = {
    **{"R2a": 91.96, "R2b": 89.68, "R2c": 9.26, "R2d": 9.08, "R3a": 69, "R3b": 51, "R4": 90},
    **{"R5a": 80, "R5b": 5, "R9": 3096, "R10": 13, "R11": 11, "R13b": 4, "R15": 10.88},
    **{"R16a": 5, "R16b": 4, "R17a": 158.42, "R17b": 89.73, "R17d": 10, "R18a": 12, "R18b": 15},
    **{"R19a": -52, "R20a": 27, "R20b": 13, "R21": 35},
}


def test_every_target_has_a_claim_and_every_claim_is_of_a_figure() -> None:
    assert {claim.target for claim in CLAIMS} == TARGETS
    assert len(BY_ID) == len(CLAIMS)
    assert {claim.figure for claim in CLAIMS} <= {*figures()}
    for claim in CLAIMS:
        assert claim.statement and claim.how and claim.place
        assert claim.band is None or claim.band[0] <= claim.band[1]


@pytest.mark.parametrize("name", STATED)
def test_the_papers_number_is_in_its_own_band(name: str) -> None:
    claim = BY_ID[name]
    assert claim.paper == pytest.approx(STATED[name])
    low, high = claim.band or (claim.paper, claim.paper)
    assert claim.paper is not None and low <= claim.paper <= high


def test_the_sums_of_the_paper_agree() -> None:
    def times(name: str) -> float:
        return 1 + (BY_ID[name].paper or 0) / 100

    assert times("R3a") / times("R3b") == pytest.approx(times("R3c"), abs=0.01)
    ratio = (BY_ID["R17a"].paper or 0) / (BY_ID["R17b"].paper or 1)
    assert ratio == pytest.approx(BY_ID["R17c"].paper, abs=0.01)


def test_the_page_has_a_row_for_each_claim_in_its_group_and_the_file_of_measures_too() -> None:
    page = text(FIGURES, FIGURES.parent / "results.md")
    assert {*re.findall(r"^\| (R\w+) \|", page, re.MULTILINE)} == BY_ID.keys()
    assert re.findall(r"^(R\w+),", measures(FIGURES), re.MULTILINE) == [*BY_ID]
    assert sorted(target for group in GROUPS.values() for target in group) == sorted(TARGETS)


def test_a_direction_is_that_of_an_effect_beyond_rounding() -> None:
    cases = (("R2a", 0.6, AS_CLAIMED), ("R2a", -0.6, OTHER), ("R19a", -0.6, AS_CLAIMED))
    for name, ours, expected in (*cases, ("R19a", 0.6, OTHER), ("R2a", 0.4, "no effect")):
        finding = Finding(name, Estimate.exact(ours), True)
        assert direction(BY_ID[name], finding) == expected, (name, ours)
    order = Finding("R13a", Estimate.exact(5), False)  # gains, but not between those of others
    assert direction(BY_ID["R13a"], order) == FAILS


def test_no_effect_reproduces_no_claim_of_an_effect() -> None:
    effects = [claim for claim in CLAIMS if claim.counted and claim.no_effect is not None]
    assert {claim.id for claim in CLAIMS if claim.no_change} == {"R22"} and len(effects) > 20
    for claim in effects:
        none = Estimate.exact(claim.no_effect or 0)
        assert judge(Finding(claim.id, none, True, none), claim) == NOT
        ours = claim.paper if claim.paper is not None else -60 if claim.falls else 5
        full = Estimate.exact(ours)
        assert judge(Finding(claim.id, full, True, full), claim) == REPRODUCED, claim.id
