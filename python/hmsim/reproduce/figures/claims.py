# SPDX-License-Identifier: BSD-3-Clause
"""Claims of the paper that the figures check, from claims.yaml.

Bands and forms come from the paper's words and were set before the runs. Bands are wide because
the traces are not the paper's. A claim without a band states an order or a direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Claim:
    """One claim.

    Attributes:
        id: ``R2a``: target R2, its first number.
        place: where the paper says it.
        statement: in our words.
        figure: what decides it.
        how: how our number is computed.
        paper: its number in `unit`; None where it gives none.
        unit: '%' of a gain or a change, 'us', ...
        band: what counts as reproduced; None: order or direction only.
        uncounted: why no verdict is given, if so.
        constructed: why its form cannot fail, if so: it is checked, and not counted.
        programs: whether it is about the programs, so that the median program has a say.
        no_change: whether it claims that nothing changes.
        groups: of readings that matter for it; None: those of all mixes.
    """

    id: str
    place: str
    statement: str
    figure: str
    how: str
    paper: float | None = None
    unit: str = ""
    band: tuple[float, float] | None = None
    uncounted: str = ""
    constructed: str = ""
    programs: bool = False
    no_change: bool = False
    groups: tuple[str, ...] | None = None

    @property
    def target(self) -> str:
        return self.id.rstrip("abcdefgh")

    @property
    def counted(self) -> bool:
        return not self.uncounted and not self.constructed

    @property
    def no_effect(self) -> float | None:
        """Our number if there were no effect; None if the claim is about no effect."""
        if self.no_change:
            return None
        return {"%": 0.0, "times": 1.0}.get(self.unit)

    @property
    def falls(self) -> bool:
        """Whether the effect that it claims is negative."""
        return (self.paper or 0) < 0 or (self.band is not None and self.band[1] <= 0)


def table(name: str) -> Any:
    """Return the content of a YAML file beside this one."""
    return yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def _claim(entry: Mapping[str, Any]) -> Claim:
    lists = {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
    return Claim(**{**entry, **lists})


_CONTENT = table("claims.yaml")
CLAIMS = tuple(map(_claim, _CONTENT["claims"]))
BY_ID = {claim.id: claim for claim in CLAIMS}
GROUPS: dict[str, list[str]] = _CONTENT["groups"]  # targets of claims, by title
