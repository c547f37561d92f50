# SPDX-License-Identifier: BSD-3-Clause
"""Are samples spread evenly, and are conditions evaluated as written?"""

from __future__ import annotations

import math

import hmsim
import pytest
from hmsim.sweep.constraints import Constraint
from hmsim.sweep.sampling import MOST_DIMENSIONS, Choice, draw, parse_range, sobol
from messages import naming


def test_first_sobol_points() -> None:
    # By hand: the van der Corput sequence in Gray code's order, and Joe and Kuo's second dimension.
    assert sobol(2, 8, 0) == [
        *([0.0, 0.0], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75]),
        *([0.375, 0.375], [0.875, 0.875], [0.625, 0.125], [0.125, 0.625]),
    ]


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_sobol_points_fill_every_dimension_and_the_first_plane_evenly(seed: int) -> None:
    points = sobol(MOST_DIMENSIONS, 256, seed)
    for dimension in range(MOST_DIMENSIONS):
        assert sorted(int(point[dimension] * 256) for point in points) == [*range(256)]
    # Dimensions 1 and 2 are a (0, 8, 2) net: one point in every box of area 2^-8.
    for wide in range(9):
        boxes = {(int(p[0] * 2**wide), int(p[1] * 2 ** (8 - wide))) for p in points}
        assert len(boxes) == 256


def test_sobol_integrates_better_than_chance() -> None:
    exact = (math.e - 1) ** 3
    found = sum(math.exp(sum(point)) for point in sobol(3, 1024, 0)) / 1024
    assert abs(found - exact) < 0.02 * exact  # chance: 3 % at one standard deviation... of 1024


def test_ranges_are_spaced_and_scaled() -> None:
    assert parse_range("0.2", "0.8").spaced(5) == ["0.2", "0.35", "0.5", "0.65", "0.8"]
    assert parse_range("1", "16", "log").spaced(5) == ["1", "2", "4", "8", "16"]
    assert parse_range("1MiB", "4MiB").spaced(4) == ["1MiB", "2MiB", "3MiB", "4MiB"]
    assert parse_range("1", "3").spaced(9) == ["1", "2", "3"]
    whole = parse_range("10ns", "13ns")
    assert [whole.at(share) for share in (0.0, 0.24, 0.26, 0.99, 1.0)] == [
        *("10ns", "10ns", "11ns", "13ns", "13ns")
    ]
    assert Choice(("a", "b")).at(0.5) == "b"
    for wrong in (("1", "x"), ("1ns", "2us"), ("2", "1"), ("1", "1"), ("1", "1e999")):
        with pytest.raises(hmsim.InputError):
            parse_range(*wrong)
    with pytest.raises(hmsim.InputError, match="above 0"):
        parse_range("0", "1", "log")


@pytest.mark.parametrize("method", ["random", "sobol"])
def test_draws_depend_on_the_seed_alone(method: str) -> None:
    domains = [parse_range("0.0", "1.0"), parse_range("1", "1000", "log"), Choice(("a", "b"))]
    first = draw(domains, 64, method, 3)
    assert first == draw(domains, 64, method, 3) != draw(domains, 64, method, 4)
    assert first[:16] == draw(domains, 16, method, 3)
    assert {row[2] for row in first} == {"a", "b"}
    assert all(1 <= int(row[1]) <= 1000 and 0 <= float(row[0]) <= 1 for row in first)


NAMES = ("policy", "controller.queue_depth", "agent.0.requests", "size")
VALUES = {"policy": "hms", "controller.queue_depth": "64", "agent.0.requests": "10", "size": "4MiB"}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("controller.queue_depth <= 64", True),
        ("controller.queue_depth * 2 > 128", False),
        ("32 < controller.queue_depth < 100", True),
        ("policy == 'hms' and not policy in ['split']", True),
        ("policy != 'hms' or agent.0.requests % 3 == 1", True),
        ("size == '4096KiB'", True),
        ("size / 2 < '1MiB'", False),
        ("-agent.0.requests < 0", True),
        ("policy not in ('split', 'all')", True),
    ],
)
def test_conditions_are_evaluated(text: str, holds: bool) -> None:
    assert Constraint(text, NAMES).holds(VALUES) is holds


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("controler.queue_depth < 3", ("'controller.queue_depth'?",)),
        ("__import__('os').system('true')", ("'__import__('os').system('true')' ",)),
        ("size.__class__", ("size.__class__ ", "controller.queue_depth")),
        ("9 ** 9 ** 9", ("'9 ** 9 ** 9' ",)),
        ("[x for x in policy]", ("'[x for x in policy]' ",)),
        ("policy ==", ("'policy =='", "syntax")),
        ("(" * 400 + ")" * 400, ("500 characters",)),
        ("size < b'1'", ("'b'1'' ",)),
        ("policy < 3", ("'policy < 3' ", "policy=hms")),
        ("1 / 0 == 1", ("'1 / 0 == 1' ", "zero")),
        ("policy * 1000 == 1", ("'policy * 1000 == 1' ", "policy=hms")),
        ("1 in 'a' * 10000000000", ("only numbers", "policy=hms")),
        ("1 in [1] * 10000000000", ("list", "'in'")),
        ("size == ['4MiB']", ("list", "'in'")),
        ("[1, 2]", ("list", "'in'")),
        ("-[1] < 2", ("list", "'in'")),
        ("policy in [['hms']]", ("list", "'in'")),
    ],
)
def test_invalid_conditions_are_rejected(text: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(hmsim.InputError, match=naming(*parts)):
        Constraint(text, NAMES).holds(VALUES)
