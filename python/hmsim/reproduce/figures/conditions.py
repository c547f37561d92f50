# SPDX-License-Identifier: BSD-3-Clause
"""Conditions under which the paper's size of a claim holds, as far as they are known.

A condition that was searched for is `FITTED`: it shows that the model can produce the number, and
reproduces nothing.
"""

from __future__ import annotations

from typing import NamedTuple

GIVEN, ASSUMED, FITTED = "given in the paper", "assumed before", "fitted to this claim"


class Condition(NamedTuple):
    """A condition, and where it comes from."""

    kind: str
    text: str


CONDITIONS: dict[str, Condition] = {
    "R8": Condition(GIVEN, "block I/O in whole pages"),
}
