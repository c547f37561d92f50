# SPDX-License-Identifier: BSD-3-Clause
"""Values given in Python as the nodes of YAML, so that both pass the same checks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from hmsim._core import InputError
from hmsim.common.unicode import has_surrogate
from hmsim.config.composer import DEEPEST_NESTING, NULL, TEXT

MAPPING, LIST = "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"


class Place(NamedTuple):
    """Place of a value in Python, in place of the line of a node of YAML."""

    where: str  # such as ``workload: agents[0]``


def at(where: str, key: str) -> str:
    """Return a key with its place: ``file:line: key``, or ``workload: agents[0].key``."""
    return f"{where}.{key}" if where.endswith("]") else f"{where}: {key}"


def mapping(values: Mapping[str, Any], where: str, listed: str) -> yaml.MappingNode:
    """Return a mapping's node.

    Its place is ``where``. An entry of the list ``listed`` and all below it are at
    ``where: listed[N]``.

    Raises InputError for a value that YAML could not hold, or nested too deeply.
    """
    mark: Any = Place(where)
    pairs: list[tuple[yaml.Node, yaml.Node]] = []
    for key, value in values.items():
        name = yaml.ScalarNode(TEXT, _text(str(key), where), mark)
        if key == listed and _is_list(value):
            entries = [
                _node(entry, f"{where}: {listed}[{number}]", "", 2)
                for number, entry in enumerate(value)
            ]
            pairs.append((name, yaml.SequenceNode(LIST, entries, mark)))
        else:
            pairs.append((name, _node(value, where, str(key), 1)))
    return yaml.MappingNode(MAPPING, pairs, mark)


def _node(value: Any, where: str, name: str, depth: int) -> yaml.Node:
    mark: Any = Place(where)
    place = at(where, name) if name else where
    if depth > DEEPEST_NESTING:
        raise InputError(f"{place}: must be nested at most {DEEPEST_NESTING} levels deep")
    if isinstance(value, Mapping):
        prefix = f"{name}." if name else ""
        pairs = [
            (
                yaml.ScalarNode(TEXT, _text(str(key), place), mark),
                _node(each, where, f"{prefix}{key}", depth + 1),
            )
            for key, each in value.items()
        ]
        return yaml.MappingNode(MAPPING, pairs, mark)
    if _is_list(value):
        return yaml.SequenceNode(
            LIST, [_node(each, where, name, depth + 1) for each in value], mark
        )
    if value is None:
        return yaml.ScalarNode(NULL, "", mark)
    return yaml.ScalarNode(TEXT, _text(value, place), mark)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _text(value: Any, where: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, (str, int, float, os.PathLike)):
        raise InputError(
            f"{where}: expected a text, number, boolean, list or dict, found a "
            f"{type(value).__name__}"
        )
    text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    if not isinstance(text, str) or has_surrogate(text):
        raise InputError(f"{where}: {value!a}: must be text in UTF-8")
    return text
