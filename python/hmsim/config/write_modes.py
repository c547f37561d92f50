# SPDX-License-Identifier: BSD-3-Clause
"""Write modes of policy bundles: ``NAME,drained`` and ``NAME,mixed``, for ``controller.writes``.

The mode alone is worth 13 % of mcf's IPC (docs/schedulers.md), so a comparison holds it equal or
shows both. A scheduler that says itself when writes go before reads has no such variants.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from hmsim import _core
from hmsim._core import InputError, nearest_name
from hmsim.config.policies import TransactionScheduler

if TYPE_CHECKING:
    from hmsim.config.configuration import Config

PARAMETER = "controller.writes"
SCHEDULER = "controller.scheduler"  # that of DRAM's queue
DRAINED, MIXED = MODES = ("drained", "mixed")
BOTH = "both"
ITSELF = "sets the direction itself"


def split(text: str) -> tuple[str, str | None]:
    """Return a bundle's name or path and the mode behind its comma, None where there is none.

    The existence of the bundle is not looked into. Raises InputError that names the nearest mode.
    """
    if Path(text).is_file():
        return text, None
    if text in MODES:
        raise InputError(
            f"{text}: a write mode stands behind a bundle's name, as in 'split,{text}' (in quotes "
            "within [...] of YAML)"
        )
    name, comma, mode = text.rpartition(",")
    if not comma or "/" in mode:
        return text, None
    if mode not in MODES:
        near = nearest_name(mode, list(MODES))
        hint = f"did you mean '{near}'?" if near else f"known: {', '.join(MODES)}"
        raise InputError(f"{text}: no write mode '{mode}'; {hint}")
    if name.rpartition(",")[2] in MODES:
        raise InputError(f"{text}: gives two write modes")
    return name, mode


def variant(name: str, mode: str) -> str:
    """Return what a bundle is called in a write mode."""
    return f"{name},{mode}"


def sets_direction(config: Config) -> bool:
    """Tell whether the scheduler of DRAM's queue says itself when writes go before reads."""
    maker = dict(config.objects).get(SCHEDULER)
    if maker is None:
        return config.resolved()[SCHEDULER] in _that_set_it()
    policy = maker()
    return isinstance(policy, TransactionScheduler) and (
        policy.sets_direction or type(policy).direction is not TransactionScheduler.direction
    )


@lru_cache(maxsize=1)
def _that_set_it() -> frozenset[str]:
    return frozenset(piece["name"] for piece in _core.policies() if piece.get("sets_direction"))


def mode_of(config: Config) -> str:
    """Return ``drained``, ``mixed``, or that the scheduler `ITSELF` says."""
    return ITSELF if sets_direction(config) else config.resolved()[PARAMETER]


def conflicts(config: Config) -> list[str]:
    """Return what keeps a configuration from the write mode that its bundle's name gives."""
    if config.writes is None:
        return []
    resolved = config.resolved()
    if sets_direction(config):
        scheduler = dict(config.objects).get(SCHEDULER)
        name = getattr(scheduler, "__name__", "in Python") if scheduler else resolved[SCHEDULER]
        return [
            f"{config.policy}: the scheduler '{name}' {ITSELF}, so there are no write modes to "
            f"choose; write '{split(str(config.policy))[0]}'"
        ]
    if resolved[PARAMETER] != config.writes:
        where = {setting.name: setting.where for setting in config.settings_in_force()}
        return [
            f"{where[PARAMETER]}: {PARAMETER}: '{resolved[PARAMETER]}' contradicts the policy "
            f"'{config.policy}'; leave one of them out"
        ]
    return []


def expanded(configs: Sequence[Config], writes: str | None) -> list[Config]:
    """Return configurations in a write mode, or in both, one after the other.

    Those whose bundle's name gives a mode, or whose scheduler sets the direction itself, stay as
    they are; with None all do. Raises InputError: there is no such mode.
    """
    if writes is None:
        return list(configs)
    if writes not in (*MODES, BOTH):
        near = nearest_name(writes, [*MODES, BOTH])
        hint = f"did you mean '{near}'?" if near else f"known: {', '.join((*MODES, BOTH))}"
        raise InputError(f"writes: no write mode '{writes}'; {hint}")
    modes = MODES if writes == BOTH else (writes,)
    found: list[Config] = []
    for config in configs:
        is_open = config.writes is None and not sets_direction(config)
        found += [config.with_writes(mode) for mode in modes] if is_open else [config]
    return found


def difference(configs: Sequence[Config]) -> str | None:
    """Return on one line how the bundles of a comparison differ in their write mode, if they do.

    Schedulers that set the direction themselves drain. A comparison that shows every other bundle
    in both modes differs in nothing.
    """
    shown: dict[str, set[str]] = {}
    own = []
    for config in configs:
        name = str(config.policy)
        if sets_direction(config):
            own.append(name)
        else:
            scheme = name if config.writes is None else split(name)[0]
            shown.setdefault(scheme, set()).add(config.resolved()[PARAMETER])
    kinds = [*shown.values()]
    if all(kind == kinds[0] and (not own or DRAINED in kind) for kind in kinds):
        return None
    parts = [f"{', '.join(own)}: set by the scheduler"] if own else []
    for kind in {tuple(sorted(each)): None for each in kinds}:
        names = ", ".join(name for name, modes in shown.items() if modes == {*kind})
        parts.append(f"{names}: {' and '.join(kind)}")
    return f"write modes differ ({'; '.join(parts)}); --writes both shows all in both"
