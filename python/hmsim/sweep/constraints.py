# SPDX-License-Identifier: BSD-3-Clause
"""Conditions on a sweep's values, such as ``controller.queue_depth <= 2 * nvdimm.queue``.

The syntax is Python's for comparisons, ``and or not in``, ``+ - * / // %`` and parentheses, over
names of axes, numbers and quoted texts. All else is rejected: an untrusted file cannot run code.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hmsim._core import InputError, nearest_name

LONGEST = 500  # characters
QUANTITY = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?) ?([A-Za-z]*)")
AGENT = re.compile(r"\bagent\.([0-9]+)\.")
UNITS = {
    "": 1.0,
    **{name: 1024.0**power for power, name in enumerate(("B", "KiB", "MiB", "GiB", "TiB"))},
    **{name: 1e3**power for power, name in enumerate(("ps", "ns", "us", "ms", "s"))},
}
ARITHMETIC: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
COMPARISONS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}


def number(text: str) -> float | str:
    """Return a text as a number (sizes in bytes, times in picoseconds), or unchanged."""
    match = QUANTITY.fullmatch(text)
    return float(match[1]) * UNITS[match[2]] if match and match[2] in UNITS else text


class Constraint:
    """Condition on the values of ``names``; `holds` evaluates it."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        """Parse a condition over these names. Raises InputError if it is not valid."""
        self.text = text
        self.names: set[str] = set()
        if len(text) > LONGEST:
            raise InputError(f"longer than {LONGEST} characters")
        try:
            written = AGENT.sub(r"agent._\1.", text)  # no digits after a dot in Python's syntax
            self._root = ast.parse(written, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise InputError(f"must be a condition, got '{text}': {error}") from error
        self._check(self._root, names)

    def holds(self, values: Mapping[str, str]) -> bool:
        """Return whether values, texts by name, meet the condition. Raises InputError."""
        try:
            return bool(self._value(self._root, values))
        except (TypeError, ZeroDivisionError, OverflowError) as error:
            shown = ", ".join(f"{name}={value}" for name, value in values.items())
            raise InputError(f"'{self.text}' has no result for {shown}: {error}") from error

    def _check(self, node: ast.expr, names: Sequence[str]) -> None:
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = _dotted(node)
            if name not in names:
                near = nearest_name(name, list(names))
                hint = f"; did you mean '{near}'?" if near else f"; known: {', '.join(names)}"
                raise InputError(f"'{self.text}': {name} is not an axis of this sweep{hint}")
            self.names.add(name)
        elif not _is_allowed(node):
            raise InputError(f"'{self.text}': '{ast.unparse(node)}' is not allowed in a condition")
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self._check(child, names)

    def _value(self, node: ast.expr, values: Mapping[str, str]) -> Any:
        if isinstance(node, (ast.Name, ast.Attribute)):
            return number(values[_dotted(node)])
        if isinstance(node, ast.Constant):
            return number(node.value) if isinstance(node.value, str) else node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._value(item, values) for item in node.elts]
        if isinstance(node, ast.BoolOp):
            parts = (self._value(part, values) for part in node.values)
            return all(parts) if isinstance(node.op, ast.And) else any(parts)
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, values)
            return not value if isinstance(node.op, ast.Not) else -value
        if isinstance(node, ast.BinOp):
            left, right = self._value(node.left, values), self._value(node.right, values)
            if isinstance(left, str) or isinstance(right, str):
                raise TypeError("texts cannot be added")
            return ARITHMETIC[type(node.op)](left, right)
        assert isinstance(node, ast.Compare)
        left = self._value(node.left, values)
        for comparison, other in zip(node.ops, node.comparators):
            right = self._value(other, values)
            if not COMPARISONS[type(comparison)](left, right):
                return False
            left = right
        return True


def _is_allowed(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return type(node.op) in ARITHMETIC
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.Not, ast.USub))
    if isinstance(node, ast.Compare):
        return all(type(comparison) in COMPARISONS for comparison in node.ops)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, int, float))
    return isinstance(node, (ast.BoolOp, ast.List, ast.Tuple))


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        attribute = re.sub(r"^_(?=[0-9]+$)", "", node.attr)
        return f"{_dotted(node.value)}.{attribute}"
    return node.id if isinstance(node, ast.Name) else "?"
