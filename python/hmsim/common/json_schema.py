# SPDX-License-Identifier: BSD-3-Clause
"""Schemas of JSON files that hmsim wrote and others may have changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from hmsim._core import InputError
from hmsim.common.unicode import has_surrogate

LARGEST_WHOLE = (1 << 64) - 1
LARGEST_NUMBER = 1e300
SHOWN = 40  # characters of a wrong value


class Schema(Protocol):
    """Constraint on a JSON value."""

    def check(self, value: Any, key: str) -> None:
        """Raise InputError that names the key of the first part that does not fit."""
        ...


@dataclass(frozen=True)
class Leaf:
    """A value without parts.

    Attributes:
        what: description of the expected value, as in "expected a text".
        fits: whether a value matches.
    """

    what: str
    fits: Callable[[Any], bool]

    def check(self, value: Any, key: str) -> None:
        if not self.fits(value):
            _refuse(key, self.what, value)


@dataclass(frozen=True)
class Maybe:
    """A value, or null."""

    schema: Schema

    def check(self, value: Any, key: str) -> None:
        if value is not None:
            self.schema.check(value, key)


@dataclass(frozen=True)
class ListOf:
    """A list of values of one kind."""

    schema: Schema

    def check(self, value: Any, key: str) -> None:
        if not isinstance(value, list):
            _refuse(key, "a list", value)
        for place, item in enumerate(value):
            self.schema.check(item, f"{key}[{place}]")


@dataclass(frozen=True)
class TableOf:
    """An object whose keys are any texts and whose values are of one kind.

    Attributes:
        schema: of the values.
        needed: required keys.
    """

    schema: Schema
    needed: tuple[str, ...] = ()

    def check(self, value: Any, key: str) -> None:
        if not isinstance(value, dict):
            _refuse(key, "an object in braces", value)
        for name, item in value.items():
            TEXT.check(name, f"a key of {key}")
            self.schema.check(item, f"{key}.{name[:SHOWN]}")
        for name in self.needed:
            if name not in value:
                raise InputError(f"{key}.{name}: is missing")


@dataclass(frozen=True)
class Record:
    """An object with known keys, each with its schema. Others are ignored.

    Attributes:
        keys: the schema of each.
        needed: required keys.
    """

    keys: Mapping[str, Schema]
    needed: tuple[str, ...] = ()

    def check(self, value: Any, key: str) -> None:
        if not isinstance(value, dict):
            _refuse(key, "an object in braces", value)
        for name, schema in self.keys.items():
            path = f"{key}.{name}" if key else name
            if name in value:
                schema.check(value[name], path)
            elif name in self.needed:
                raise InputError(f"{path}: is missing")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not has_surrogate(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_WHOLE


def _is_number(value: Any) -> bool:
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return plain and -LARGEST_NUMBER <= value <= LARGEST_NUMBER


TEXT = Leaf("a text in UTF-8", _is_text)
WHOLE = Leaf("a whole number, 0 .. 2^64 - 1", _is_whole)
NUMBER = Leaf("a finite number", _is_number)
FLAG = Leaf("true or false", lambda value: isinstance(value, bool))
SCALAR = Leaf(
    "a text in UTF-8, a finite number, true, false or null",
    lambda value: value is None or isinstance(value, bool) or _is_text(value) or _is_number(value),
)


def _refuse(key: str, what: str, value: Any) -> NoReturn:
    found = json.dumps(value)  # in ASCII
    if len(found) > SHOWN:
        found = f"{found[:SHOWN]}..."
    where = f"{key}: " if key else ""
    raise InputError(f"{where}expected {what}, found {found}")
