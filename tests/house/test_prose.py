# SPDX-License-Identifier: BSD-3-Clause
"""Does tools/prose.py find wording to avoid in names of tests?"""

import pytest

from tools import prose


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def test_a_compiler_is_told():", "def test_a_missing_compiler_is_named():"),
        ("TEST(Pool, RefusesSlotsThatAreNone) {", "TEST_P(Pool, RejectsInvalidSlots) {"),
        ("TEST_F(Gc, OfOneLunGoesOn) {", "TEST(Gc, CollectionOfOneLunContinues) {"),
        ("TEST(Kernel, WhoeverStepsSeesAll) {", "TEST(Kernel, ANewClockCountsFromZero) {"),
    ],
)
def test_old_names_of_tests_are_reported(old: str, new: str) -> None:
    name = "a.py" if old.startswith("def") else "a.cc"
    assert [*prose.complaints(name, old)] and not [*prose.complaints(name, new)]
