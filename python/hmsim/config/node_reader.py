# SPDX-License-Identifier: BSD-3-Clause
"""Reader of YAML nodes of a known shape; errors name file, line and key."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import yaml

from hmsim._core import InputError
from hmsim.common.hints import hint, other_file
from hmsim.config import settings as yaml_settings


@dataclass(frozen=True)
class Value:
    """A text and its place: ``file:line``."""

    text: str
    where: str


@contextlib.contextmanager
def located(where: str) -> Iterator[None]:
    """Prefix the InputErrors of a block with a place."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}{error}") from error


class NodeReader:
    """Reads the nodes of one file; every method raises InputError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def keys(self, node: yaml.Node, what: str, known: Sequence[str]) -> dict[str, yaml.Node]:
        """Return the values of a mapping that holds known keys only."""
        found = {}
        for name, (key, child) in self.mapping(node, what.rstrip(": ") or "file").items():
            if name not in known:
                unknown = f"unknown key{other_file(name)}"
                self.refuse(key, f"{what}{name}", f"{unknown}; {hint(name, known)}")
            found[name] = child
        return found

    def mapping(self, node: yaml.Node, what: str) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        if not isinstance(node, yaml.MappingNode):
            kind = yaml_settings.kind(node)
            self.refuse(node, what, f"expected 'name: value' pairs, found a {kind}")
        return {name: (key, child) for name, key, child in yaml_settings.items(self.path, node)}

    def sequence(self, node: yaml.Node, what: str) -> list[yaml.Node]:
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            self.refuse(node, what, "expected a list of at least one")
        return node.value

    def values(self, node: yaml.Node, what: str, repeats: bool = False) -> tuple[Value, ...]:
        """Return a list of single values. A value that is not in a list counts as a list of one."""
        if isinstance(node, yaml.ScalarNode):
            return (self.value(node, what),)
        found = tuple(self.value(child, what) for child in self.sequence(node, what))
        texts = [value.text for value in found]
        for index, value in enumerate(found):
            if value.text in texts[:index] and not repeats:
                raise InputError(f"{value.where}: {what}: '{value.text}' occurs twice")
        return found

    def value(self, node: yaml.Node, what: str) -> Value:
        return Value(yaml_settings.scalar(self.path, node, what), self.place(node))

    def number(
        self, node: yaml.Node | None, near: yaml.Node, what: str, most: int, least: int = 1
    ) -> int:
        if node is None:
            self.refuse(near, what, f"is required: a number, {least} .. {most}")
        text = self.value(node, what).text
        if not (text.isascii() and text.isdecimal() and len(text) <= 20):
            self.refuse(node, what, f"must be a number, {least} .. {most}, got '{text[:20]}'")
        if not least <= int(text) <= most:
            self.refuse(node, what, f"must be in {least} .. {most}, got {text}")
        return int(text)

    def choice(
        self, given: yaml.Node | Value | None, near: yaml.Node, what: str, known: Sequence[str]
    ) -> str:
        if given is None:
            self.refuse(near, what, f"is required: {', '.join(known)}")
        value = given if isinstance(given, Value) else self.value(given, what)
        if value.text not in known:
            raise InputError(
                f"{value.where}: {what}: '{value.text}' is not allowed; {hint(value.text, known)}"
            )
        return value.text

    def place(self, node: yaml.Node) -> str:
        return yaml_settings.place(self.path, node)

    def refuse(self, node: yaml.Node, what: str, message: str) -> NoReturn:
        raise InputError(f"{self.place(node)}: {what}: {message}")
