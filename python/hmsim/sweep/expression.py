# SPDX-License-Identifier: BSD-3-Clause
"""Expressions over dotted names in Python's syntax: arithmetic, comparisons and given functions.

All else is rejected: an untrusted file cannot run code.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from hmsim._core import InputError

LONGEST = 500  # characters
DEEPEST = 50  # nested operations
DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)+")
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
FAILURES = (TypeError, ValueError, ArithmeticError)
Functions = Mapping[str, Callable[..., Any]]


class Expression:
    """A parsed expression over ``names``."""

    def __init__(self, text: str, what: str, functions: Functions | None = None) -> None:
        """Parse a text. ``what``, such as "a condition", is for messages. Raises InputError."""
        self.text = text
        self.names: dict[str, None] = {}  # in the order of the text
        self._what = what
        self._functions = functions or {}
        if len(text) > LONGEST:
            raise InputError(f"longer than {LONGEST} characters")
        try:
            written = DOTTED.sub(_written, text)
            self._root = ast.parse(written, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else error
            raise InputError(f"must be {what}, got '{text}': {reason}") from error
        self._check(self._root, DEEPEST)

    def value(self, of: Callable[[str], Any], text_of: Callable[[str], Any] = str) -> Any:
        """Return the value. Raises FAILURES.

        Args:
            of: returns the value of a name.
            text_of: returns that of a quoted text.
        """
        return _value(self._root, of, text_of, self._functions)

    def _check(self, node: ast.expr, depth: int, is_list: bool = False) -> None:
        """Raise InputError if a part is not allowed. ``is_list``: it may be a list."""
        if isinstance(node, (ast.List, ast.Tuple)) and not is_list:
            raise InputError(f"'{self.text}': a list may only follow 'in' or 'not in'")
        if depth == 0:
            raise InputError(f"'{self.text}': is nested more than {DEEPEST} times")
        if isinstance(node, (ast.Name, ast.Attribute)):
            self.names[_dotted(node)] = None
        elif isinstance(node, ast.Call) and _name(node) in self._functions and not node.keywords:
            for argument in node.args:
                self._check(argument, depth - 1)
        elif not _is_allowed(node):
            known = f"; functions: {', '.join(self._functions)}" if self._functions else ""
            raise InputError(
                f"'{self.text}': '{ast.unparse(node)}' is not allowed in {self._what}{known}"
            )
        else:
            searched = _searched(node)
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self._check(child, depth - 1, child in searched)


def _value(
    node: ast.expr, of: Callable[[str], Any], text_of: Callable[[str], Any], known: Functions
) -> Any:
    def value(child: ast.expr) -> Any:
        return _value(child, of, text_of, known)

    if isinstance(node, (ast.Name, ast.Attribute)):
        return of(_dotted(node))
    if isinstance(node, ast.Constant):
        return text_of(node.value) if isinstance(node.value, str) else node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [value(item) for item in node.elts]
    if isinstance(node, ast.Call):
        return known[_name(node)](*map(value, node.args))
    if isinstance(node, ast.BoolOp):
        parts = map(value, node.values)
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if isinstance(node, ast.UnaryOp):
        operand = value(node.operand)
        return not operand if isinstance(node.op, ast.Not) else -operand
    if isinstance(node, ast.BinOp):
        left, right = value(node.left), value(node.right)
        if not all(isinstance(each, (int, float)) for each in (left, right)):
            raise TypeError("only numbers can be added")  # nor may a list be multiplied
        return ARITHMETIC[type(node.op)](left, right)
    assert isinstance(node, ast.Compare)
    left = value(node.left)
    for comparison, other in zip(node.ops, node.comparators):
        right = value(other)
        if not COMPARISONS[type(comparison)](left, right):
            return False
        left = right
    return True


def _searched(node: ast.expr) -> list[ast.expr]:
    """Return what a comparison looks for something in."""
    if not isinstance(node, ast.Compare):
        return []
    pairs = zip(node.ops, node.comparators)
    return [other for comparison, other in pairs if isinstance(comparison, (ast.In, ast.NotIn))]


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


def _written(match: re.Match[str]) -> str:
    """Return a dotted name as Python can parse it: no part begins with a digit."""
    return re.sub(r"\.(?=[0-9])", "._", match[0])


def _name(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        attribute = re.sub(r"^_(?=[0-9])", "", node.attr)
        return f"{_dotted(node.value)}.{attribute}"
    return node.id if isinstance(node, ast.Name) else "?"
