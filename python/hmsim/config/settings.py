# SPDX-License-Identifier: BSD-3-Clause
"""YAML as a flat list of settings, each with its file and line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hmsim._core import InputError
from hmsim.common.directories import read_regular
from hmsim.common.hints import other_file
from hmsim.common.unicode import has_surrogate
from hmsim.config.composer import NULL, MissingInBraces, compose
from hmsim.config.python_nodes import Place, at

LARGEST_FILE = 4 << 20  # bytes
MOST_CACHED = 32  # contents of files whose nodes are kept: those that the points of a sweep share
MOST_ERRORS = 20  # shown at a time
LISTED = "controller.address_map"  # the parameter that may be a list
ADVICE = {  # for beginners, by the beginning of libyaml's message
    "could not find expected ':'": "; a line before lacks its colon",
    "did not find expected key": "; keys of one section must begin in the same column",
    "mapping values are not": "; check the indentation, or quote a text that contains ': '",
}
PLAIN_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "timestamp")}
PLAIN_SCALAR = re.compile(r"-?[A-Za-z0-9_/][A-Za-z0-9_./+-]*")


class Setting(NamedTuple):
    """A dotted name and the text of its value as the user wrote it, and where: ``file:line``."""

    name: str
    text: str
    where: str

    @property
    def pair(self) -> tuple[str, str]:
        return (self.name, self.text)


def joined(errors: Sequence[str]) -> str:
    """Return errors as one message, a line each, without the end of a long list."""
    shown = list(errors[:MOST_ERRORS])
    if len(errors) > len(shown):
        shown.append(f"... and {len(errors) - len(shown)} more errors")
    return "\n".join(shown)


def read_text_file(path: Path) -> bytes:
    """Return the content of a small file. Raises InputError."""
    return read_regular(path, LARGEST_FILE)


composed = lru_cache(maxsize=MOST_CACHED)(compose)


def read_mapping(path: Path) -> yaml.MappingNode:
    """Return the root of a YAML file, a mapping. Raises InputError that names file and line.

    Nodes are cached by the file's content and shared, so callers must not modify them.
    """
    try:
        root = composed(read_text_file(path))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark else ""
        problem = error.problem or error.context or ""
        advice = next((text for start, text in ADVICE.items() if problem.startswith(start)), "")
        raise InputError(f"{path}{line}: {problem}{advice}") from error
    except yaml.reader.ReaderError as error:
        raise InputError(f"{path}: is not text: {error.reason}") from error
    if root is None:
        raise InputError(f"{path}: empty")
    if not isinstance(root, yaml.MappingNode):
        raise InputError(f"{place(path, root)}: expected 'name: value' pairs, found a {kind(root)}")
    return root


def kind(node: yaml.Node) -> str:
    """Return the name of a node's kind for messages."""
    if isinstance(node, yaml.ScalarNode):
        return "single value"
    return "list" if isinstance(node, yaml.SequenceNode) else "mapping"


def place(path: str | os.PathLike[str], node: yaml.Node) -> str:
    """Return ``file:line`` of a node, or the place of a value in Python."""
    mark: Any = node.start_mark
    return mark.where if isinstance(mark, Place) else f"{os.fspath(path)}:{mark.line + 1}"


def scalar(path: Path, node: yaml.Node, name: str) -> str:
    """Return the text of a single value as written. Raises InputError."""
    if not isinstance(node, yaml.ScalarNode):
        where, other = at(place(path, node), name), other_file(name)
        raise InputError(f"{where}: expected a value, found a {kind(node)}{other}")
    if node.tag == NULL:
        in_braces = isinstance(node, MissingInBraces)
        quotes = "; within { } a value with commas needs quotes" if in_braces else ""
        raise InputError(f"{at(place(path, node), name)}: has no value{quotes}")
    if node.tag not in PLAIN_TAGS:
        raise InputError(f"{place(path, node)}: {name}: the tag {node.tag} is not allowed")
    return str(node.value)


def items(path: Path, node: yaml.MappingNode) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    """Yield (key, key's node, value's node) of a mapping. Raises InputError at a repeated key."""
    places: dict[str, str] = {}
    for key_node, value_node in node.value:
        key = scalar(path, key_node, "key")
        where = place(path, key_node)
        if not key:
            raise InputError(f"{where}: an empty name")
        if key in places:
            raise InputError(f"{at(where, key)}: already set{_in_line(places[key])}")
        places[key] = where
        yield key, key_node, value_node


def flatten(path: Path, node: yaml.MappingNode, prefix: str = "") -> list[Setting]:
    """Return the values below a mapping by dotted name, in order. Raises InputError."""
    found: list[Setting] = []
    for key, key_node, value_node in items(path, node):
        name = prefix + key
        if isinstance(value_node, yaml.MappingNode):
            found += flatten(path, value_node, name + ".")
        elif name == LISTED and isinstance(value_node, yaml.SequenceNode):
            text = ", ".join(scalar(path, each, name) for each in value_node.value)
            found.append(Setting(name, text, place(path, key_node)))
        else:
            found.append(Setting(name, scalar(path, value_node, name), place(path, key_node)))
    if not prefix:
        _refuse_repeated(found)
    return found


def _refuse_repeated(settings: Iterable[Setting]) -> None:
    seen: dict[str, Setting] = {}
    for setting in settings:
        before = seen.setdefault(setting.name, setting)
        if before is not setting:
            where = at(setting.where, setting.name)
            raise InputError(f"{where}: already set{_in_line(before.where)}")


def _in_line(where: str) -> str:
    line = where.rpartition(":")[2]
    return f" in line {line}" if line.isdigit() else ""


def from_mapping(values: Mapping[str, Any], where: str) -> list[Setting]:
    """Return settings given in Python: texts, numbers or booleans by dotted name.

    Raises InputError for a value of another type.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"{where}: expected a dict of parameters, found a {type(values).__name__}")
    settings = []
    for name, value in values.items():
        if isinstance(value, bool):
            text = "true" if value else "false"
        elif isinstance(value, (str, int, float)):
            text = str(value)
        elif name == LISTED and isinstance(value, (list, tuple)):
            text = ", ".join(map(str, value))
        else:
            raise InputError(
                f"{where}: {name}: expected a text, number or boolean, found a "
                f"{type(value).__name__}"
            )
        if has_surrogate(text) or has_surrogate(str(name)):
            raise InputError(f"{where}: {ascii(name)[1:-1]}: must be text in UTF-8")
        settings.append(Setting(str(name), text, where))
    return settings


def merge(*layers: Iterable[Setting]) -> list[Setting]:
    """Return the settings of all layers; a later one replaces an earlier one of the same name."""
    merged: dict[str, Setting] = {}
    for layer in layers:
        for setting in layer:
            merged[setting.name] = setting
    return list(merged.values())


def nested(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return dotted names as nested dictionaries, in order.

    Raises ValueError when a name is also the beginning of another one.
    """
    root: dict[str, Any] = {}
    for name, value in pairs:
        *sections, last = name.split(".")
        level = root
        for section in sections:
            level = level.setdefault(section, {})
            if not isinstance(level, dict):
                raise ValueError(f"{name}: '{section}' is already a value")
        if last in level:
            raise ValueError(f"{name}: there already")
        level[last] = value
    return root


def to_yaml(pairs: Iterable[tuple[str, str]], docs: Mapping[str, str] | None = None) -> str:
    """Return YAML that `flatten` reads back as ``pairs``; ``docs`` become trailing comments."""
    lines: list[str] = []

    def write(level: Mapping[str, Any], prefix: str, indent: str) -> None:
        for key, value in level.items():
            name = prefix + key
            if isinstance(value, dict):
                lines.append(f"{indent}{_quoted(key)}:")
                write(value, name + ".", indent + "  ")
            else:
                doc = " ".join((docs or {}).get(name, "").split())
                comment = f"  # {doc}" if doc else ""
                lines.append(f"{indent}{_quoted(key)}: {_quoted(value)}{comment}")

    write(nested(pairs), "", "")
    return "".join(line + "\n" for line in lines)


def _quoted(text: str) -> str:
    if PLAIN_SCALAR.fullmatch(text) and text.lower() != "null":
        return text
    if text.isascii() and text.isprintable():
        return json.dumps(text)  # as yaml.dump does, in less time
    quoted: str = yaml.dump(text, default_style='"', width=float("inf"), allow_unicode=False)
    return quoted.removesuffix("\n")
