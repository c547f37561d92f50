# SPDX-License-Identifier: BSD-3-Clause
"""Write modes of policy bundles: ``NAME,drained`` and ``NAME,mixed``, for ``controller.writes``.

The mode can matter more than the scheduler (docs/schedulers.md), so a comparison keeps it equal or
shows both. A scheduler that sets itself when writes go before reads has no such variants.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hmsim import _core
from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.config.policies import PolicyMaker, TransactionScheduler

PARAMETER = "controller.writes"
SCHEDULER = "controller.scheduler"  # that of DRAM's queue
DRAINED, MIXED = MODES = ("drained", "mixed")
BOTH = "both"
ITSELF = "sets the direction itself"


def split(text: str) -> tuple[str, str | None]:
    """Return a bundle's name or path and the mode after its comma, None without a mode.

    Does not check that the bundle exists. Raises InputError that names the nearest mode.
    """
    if Path(text).is_file():
        return text, None
    if text in MODES:
        raise InputError(
            f"{text}: a write mode must follow a bundle's name, for example 'split,{text}' "
            "(in quotes within [...] of YAML)"
        )
    name, comma, mode = text.rpartition(",")
    if not comma or "/" in mode:
        return text, None
    if mode not in MODES:
        raise InputError(f"{text}: unknown write mode '{mode}'; {hint(mode, MODES)}")
    if name.rpartition(",")[2] in MODES:
        raise InputError(f"{text}: must have only one write mode")
    return name, mode


def variant(name: str, mode: str) -> str:
    """Return the name of a bundle in a write mode."""
    return f"{name},{mode}"


def sets_direction(scheduler: str, maker: PolicyMaker | None) -> bool:
    """Return whether a scheduler decides itself when writes issue before reads.

    Args:
        scheduler: its registered name.
        maker: creates the scheduler if it is in Python; then ``scheduler`` is not used.
    """
    if maker is None:
        return scheduler in _names_that_set_direction()
    policy = maker()
    return isinstance(policy, TransactionScheduler) and (
        policy.sets_direction or type(policy).direction is not TransactionScheduler.direction
    )


@lru_cache(maxsize=1)
def _names_that_set_direction() -> frozenset[str]:
    return frozenset(piece["name"] for piece in _core.policies() if piece.get("sets_direction"))
