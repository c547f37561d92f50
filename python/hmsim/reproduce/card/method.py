# SPDX-License-Identifier: BSD-3-Clause
"""The method of the card: what configs/anchors fixes before a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.common.paths import data_directory

METHOD, DRIVES = "method.yaml", "drives.yaml"


def anchors() -> Path:
    """Return the folder of measurements and methods."""
    return data_directory() / "configs" / "anchors"


def read(name: str) -> dict[str, Any]:
    """Return a file of the folder, such as ``method.yaml``, and its name as ``file``."""
    content: dict[str, Any] = yaml.safe_load((anchors() / name).read_text(encoding="utf-8"))
    return {**content, "file": name}


def label(family: str) -> str:
    """Return the name of a measured family: one of the folder's, or the path of a user's."""
    return Path(family).name


def machine_of(family: str) -> str:
    """Return the machine of a measured family. Raises InputError."""
    machines = read(METHOD)["machines"]
    by_family = {family: name for name, each in machines.items() for family in each["measured"]}
    if family not in by_family:
        raise InputError(f"'{family}' is not a measured family; {hint(family, by_family)}")
    return by_family[family]


@dataclass(frozen=True)
class Extent:
    """How much of the method a card runs."""

    name: str
    chase_loads: int
    offered: tuple[float, ...] | None  # None: those of the method
    variants: tuple[str, ...] | None  # None: all
    machines: int  # the first ones
    standards: int

    def variants_of(self, every: Mapping[str, Any]) -> list[str]:
        """Return those that it has, at least the first one."""
        found = [name for name in every if self.variants is None or name in self.variants]
        return found or [*every][:1]


FULL = Extent("full", 0, None, None, 99, 99)
SMALL = Extent("small", 150, (-1, 0.3, 0.7), ("queue 64",), 1, 5)
