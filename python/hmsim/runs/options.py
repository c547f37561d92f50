# SPDX-License-Identifier: BSD-3-Clause
"""Options of a run besides its configuration and workload."""

from __future__ import annotations

from typing import NamedTuple

from hmsim import _core
from hmsim._core import InputError

LARGEST_SEED = (1 << 64) - 1
LARGEST_COUNT = (1 << 62) - 1
MOST_SEEDS = 1000
FEWEST_UNIT_FREE = 1000  # instructions that may be asked for without a unit; fewer are a slip


class Options(NamedTuple):
    """Options of a run besides its configuration and workload.

    Attributes:
        seed: of all pseudo-random choices, 0 .. 2^64 - 1.
        warmup_ps: picoseconds before measuring begins.
        warmup_instructions: instructions that every core executes before measuring begins.
        check: check every command against the rules of devices, buses and the ack protocol. It does
            not change results; a violation ends the run with SimulatorFault.
    """

    seed: int = 1
    warmup_ps: int = 0
    warmup_instructions: int = 0
    check: bool = False


def options(seed: int = 1, warmup: str | int | None = None, check: bool = False) -> Options:
    """Return the options of a run.

    Args:
        seed: 0 .. 2^64 - 1.
        warmup: a time with its unit (``"10ms"``), or a number of instructions (``2000000``,
            ``"2M"``), as text at least 1,000.
        check: as `Options.check`.

    Raises:
        InputError: names the argument.
    """
    if not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"seed: must be in 0 .. {LARGEST_SEED}, got {seed}")
    if warmup is None:
        return Options(seed, check=check)
    text = str(warmup).strip()
    count = _count(text)
    if text.startswith("-"):
        raise InputError(f"warmup: must not be negative, got '{text}'")
    if count is None:
        try:
            return Options(seed, warmup_ps=_core.parse_time(text), check=check)
        except InputError as error:
            raise InputError(
                f"warmup: {error}; or a number of instructions, for example 10M"
            ) from error
    if count > LARGEST_COUNT:
        raise InputError(f"warmup: {text} instructions are too many")
    if isinstance(warmup, str) and 0 < count < FEWEST_UNIT_FREE:
        raise InputError(
            f"warmup: '{text}' lacks a unit: {text}us and {text}ms are times, {text}k "
            f"and {text}M thousands and millions of instructions"
        )
    return Options(seed, warmup_instructions=count, check=check)


def seeded(
    seed: int, seeds: int, warmup: str | int | None = None, check: bool = False
) -> list[Options]:
    """Return the options of runs with consecutive seeds.

    Args:
        seed: the first one.
        seeds: their number, 1 .. 1,000.
        warmup: as for `options`.
        check: as for `options`.

    Raises:
        InputError: names the argument.
    """
    if not isinstance(seeds, int) or not 1 <= seeds <= MOST_SEEDS:
        raise InputError(f"seeds: must be an integer in 1 .. {MOST_SEEDS}, got {seeds}")
    return [options(seed + number, warmup, check) for number in range(seeds)]


def _count(text: str) -> int | None:
    try:
        return _core.parse_integer(text)
    except InputError:
        return None
