# SPDX-License-Identifier: BSD-3-Clause
"""Configurations of a comparison in their write modes (`hmsim.config.write_modes`)."""

from __future__ import annotations

from collections.abc import Sequence

from hmsim.config.configuration import Config
from hmsim.config.write_modes import BOTH, DRAINED, MODES, PARAMETER, split


def expanded(configs: Sequence[Config], writes: str) -> list[Config]:
    """Return each configuration in the given write mode, or in both modes, one after the other.

    Two kinds of configurations are unchanged: if the bundle's name states a mode, and if the
    scheduler sets the direction itself.
    """
    modes = MODES if writes == BOTH else (writes,)
    found: list[Config] = []
    for config in configs:
        is_open = config.writes is None and not config.sets_direction()
        found += [config.with_writes(mode) for mode in modes] if is_open else [config]
    return found


def difference(configs: Sequence[Config]) -> str | None:
    """Return one line on how the bundles of a comparison differ in their write modes, or None.

    A scheduler that sets the direction itself counts as drained. It does not differ from bundles
    that are shown in both modes.
    """
    shown: dict[str, set[str]] = {}
    own = []
    for config in configs:
        name = str(config.policy)
        if config.sets_direction():
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
    return f"write modes differ ({'; '.join(parts)}); NAME,drained and NAME,mixed set them"
