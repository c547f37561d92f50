# SPDX-License-Identifier: BSD-3-Clause
"""Conditions under which the paper's size of a claim holds, as far as they are known.

A condition that was searched for is `FITTED`: it shows that the model can produce the number, and
reproduces nothing.
"""

from __future__ import annotations

from typing import NamedTuple

GIVEN, ASSUMED, FITTED = "given in the paper", "assumed before", "fitted to this claim"
AGAINST = "against the paper's words"


class Condition(NamedTuple):
    """A condition, and where it comes from."""

    kind: str
    text: str


FREE = Condition(AGAINST, "5 % of the write part is kept free")
HALF = Condition(FITTED, "a copy engine, half of the data in flash")  # the figure `resident`
CONDITIONS: dict[str, Condition] = {
    "R2c": Condition(FITTED, "a copy engine, 10 to 20 % of the data in flash"),
    "R3a": Condition(ASSUMED, "dfsioe_w meets a write part full of dirty pages"),
    "R3b": HALF,
    "R3c": Condition(GIVEN, "the reading with command queues in the controller"),
    "R7": Condition(GIVEN, "reads that fill the queue"),
    "R8": Condition(GIVEN, "block I/O in whole pages"),
    "R10": HALF,
    "R17b": Condition(GIVEN, "frames of a page"),
    "R18a": Condition(GIVEN, "32 commands outstanding; with 33: -7 %"),
    "R19a": Condition(ASSUMED, "idle chips: -56 % with the load that has them"),
    "R20a": HALF,
    "R20b": FREE,
}
