# SPDX-License-Identifier: BSD-3-Clause
"""What shapes a run beside its configuration and workload."""

from __future__ import annotations

from dataclasses import dataclass

from hmsim import _core
from hmsim._core import InputError

LARGEST_SEED = (1 << 64) - 1
LARGEST_COUNT = (1 << 62) - 1


@dataclass(frozen=True)
class Options:
    """What shapes a run beside its configuration and workload.

    Attributes:
        seed: of all pseudo-random choices, 0 .. 2^64 - 1.
        warmup_ps: picoseconds before measuring begins.
        warmup_instructions: instructions that every core does before measuring begins.
        check: judge every command by the rules of devices, buses and the ack protocol; changes no
            result, but ends the run with SimulatorFault when one is broken.
    """

    seed: int = 1
    warmup_ps: int = 0
    warmup_instructions: int = 0
    check: bool = False


def options(seed: int = 1, warmup: str | int | None = None, check: bool = False) -> Options:
    """Return the options of a run.

    Args:
        seed: 0 .. 2^64 - 1.
        warmup: a time with its unit (``"10ms"``), or a number of instructions.
        check: as `Options.check`.

    Raises:
        InputError: names the argument.
    """
    if not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"seed: {seed} is outside 0 .. {LARGEST_SEED}")
    if warmup is None:
        return Options(seed, check=check)
    text = str(warmup).strip()
    if text.isdecimal() and text.isascii():
        if int(text) > LARGEST_COUNT:
            raise InputError(f"warmup: {text} instructions are too many")
        return Options(seed, warmup_instructions=int(text), check=check)
    try:
        return Options(seed, warmup_ps=_core.parse_time(text), check=check)
    except InputError as error:
        raise InputError(f"warmup: {error}, nor a number of instructions") from error
