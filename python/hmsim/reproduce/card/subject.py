# SPDX-License-Identifier: BSD-3-Clause
"""What a card compares with: all that hmsim ships, one part of it, or a user's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.reproduce.card.method import DRIVES, METHOD, read
from hmsim.reproduce.card.own_file import OwnFile

PARTS = ("machines", "standards", "drives", "prac")
BY_NAME = ("optane", "cmm_h", "cxl", "cxl_card", "over_provisioning")  # "" leaves these out


@dataclass(frozen=True)
class Subject:
    """The anchors of one card.

    Attributes:
        name: as the user gives it; "": all.
        method: as method.yaml has it.
        drives: as drives.yaml has it.
        parts: some of PARTS, or one of BY_NAME.
        file: the user's; "": those of hmsim.
    """

    name: str
    method: Mapping[str, Any]
    drives: Mapping[str, Any]
    parts: tuple[str, ...] = PARTS
    file: str = ""

    def has(self, part: str) -> bool:
        return part in self.parts


def subject(name: str) -> Subject:
    """Return what a name or the path of a YAML file means; "": all. Raises InputError."""
    method, drives = read(METHOD), read(DRIVES)
    machines = {each.split()[0].strip(",").lower(): each for each in method["machines"]}
    if not name:
        return Subject(name, method, drives)
    if name in (*PARTS, *BY_NAME):
        return Subject(name, method, drives, (name,))
    if name in machines:
        only = machines[name]
        method["machines"] = {only: method["machines"][only]}
        return Subject(name, method, drives, ("machines",))
    path = Path(name)
    if not path.is_file():
        known = hint(name, [*PARTS, *BY_NAME, *machines])
        raise InputError(f"{name}: neither a file nor a part of the card; {known}")
    own = OwnFile(path, method, drives)
    given = {"machines": own.method["machines"], "drives": own.drives["drives"]}
    parts = tuple(part for part, found in given.items() if found)
    return Subject(name, own.method, own.drives, parts, name)
