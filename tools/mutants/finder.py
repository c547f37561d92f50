# SPDX-License-Identifier: BSD-3-Clause
"""Finds what can be mutated in C++ files, by libclang (extra `dev`).

Left out is what runs when the program is compiled (constexpr, static_assert, labels of cases,
arguments of templates), what namespaces begin with, default arguments, texts, ``ensure`` (a check
of an invariant: a test cannot see that one which always holds is gone), and functions that only
describe: ``declare...`` (parameters) and ``report...`` (statistics).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from clang.cindex import Cursor, CursorKind, Index, TranslationUnit, TypeKind

from tools.mutants.rewriting import ARITHMETIC, OPERATORS, Mutant

K = CursorKind
FLAGS = [
    "-x",
    "c++",
    "-std=c++17",
    "-DNDEBUG",
    '-DHMSIM_VERSION="0"',
    '-DHMSIM_POLICY_INTERFACE="0"',
]
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DESCRIBES = re.compile(r"declare|report")
UNSEEN = {"ensure", "require", "require_page"}  # the latter two hand on to the first
FUNCTIONS = {
    *(K.FUNCTION_DECL, K.FUNCTION_TEMPLATE, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR),
    K.CONVERSION_FUNCTION,
}
PLACES = {K.NAMESPACE, K.CLASS_DECL, K.STRUCT_DECL, K.CLASS_TEMPLATE, K.LINKAGE_SPEC}
PLACES.add(K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION)
SKIPPED = {
    *(K.STATIC_ASSERT, K.PARM_DECL, K.ENUM_DECL, K.TYPE_REF, K.TEMPLATE_REF, K.DECL_REF_EXPR),
    *(K.TYPE_ALIAS_DECL, K.TYPEDEF_DECL, K.USING_DECLARATION, K.CXX_UNARY_EXPR),
}
JUMPS = {K.BREAK_STMT, K.CONTINUE_STMT}
ACTS = {
    *(K.CALL_EXPR, K.UNARY_OPERATOR, K.CXX_THROW_EXPR, K.CXX_DELETE_EXPR),
    K.COMPOUND_ASSIGNMENT_OPERATOR,
}
TRANSPARENT = {K.UNEXPOSED_EXPR, K.PAREN_EXPR}
BRANCHES = {K.IF_STMT, K.WHILE_STMT, K.DO_STMT, K.FOR_STMT, K.CXX_FOR_RANGE_STMT}


class File:
    """The mutants of one file."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.found: list[Mutant] = []

    def walk(self, cursor: Cursor) -> None:
        """Take what a cursor and those below it can be changed to."""
        kind = cursor.kind
        if kind in SKIPPED:
            return
        if kind in FUNCTIONS:
            self._function(cursor)
        elif kind in PLACES:
            for child in cursor.get_children():
                self.outside(child)
        elif kind in (K.VAR_DECL, K.FIELD_DECL):
            self._variable(cursor)
        elif kind in BRANCHES:
            self._branch(cursor)
        else:
            self._other(cursor)

    def outside(self, cursor: Cursor) -> None:
        """Take what stands outside of functions; of what variables begin with, functions only."""
        if cursor.kind == K.VAR_DECL:
            self._lambdas(cursor)
        else:
            self.walk(cursor)

    # --- declarations

    def _function(self, cursor: Cursor) -> None:
        children = list(cursor.get_children())
        body = next((child for child in children if child.kind == K.COMPOUND_STMT), None)
        if body is None or DESCRIBES.match(cursor.spelling):
            return
        head = self.text[cursor.extent.start.offset : body.extent.start.offset]
        if not re.search(r"\b(constexpr|consteval)\b", head):
            for child in children:
                if child.kind.is_expression() or child.kind == K.COMPOUND_STMT:
                    self.walk(child)

    def _lambdas(self, cursor: Cursor) -> None:
        for child in cursor.get_children():
            if child.kind == K.LAMBDA_EXPR:
                self.walk(child)
            else:
                self._lambdas(child)

    def _variable(self, cursor: Cursor) -> None:
        start = cursor.location.offset + len(cursor.spelling)
        text = self.text[cursor.extent.start.offset : start]
        children = [
            child
            for child in cursor.get_children()
            if child.kind.is_expression() and child.extent.start.offset >= start
        ]
        if not children or re.search(r"\bconstexpr\b", text):
            return
        between = self.text[start : children[-1].extent.start.offset].strip()
        if between not in ("=", "", "{", "("):  # an array's bound, the width of a bit field
            return
        self._literal(children[-1])
        self.walk(children[-1])

    # --- statements

    def _branch(self, cursor: Cursor) -> None:
        children = list(cursor.get_children())
        kind = cursor.kind
        tokens = self.text[cursor.extent.start.offset :][:40]
        constant = re.match(r"if\s+constexpr\b", tokens) is not None
        condition = None
        if kind == K.IF_STMT:
            first = 1 if children[0].kind == K.DECL_STMT else 0
            condition = children[first]
            self._statements(children[first + 1 :])
            if first:
                self.walk(children[0])
        elif kind == K.DO_STMT:
            condition = children[-1]
            self._statements(children[:-1])
        elif kind == K.WHILE_STMT:
            if len(children) == 2:
                condition = children[0]
            else:  # it declares what it asks
                self.walk(children[0])
            self._statements(children[-1:])
        else:
            for child in children[:-1]:
                self.walk(child)
            self._statements(children[-1:])
        if condition is not None and not constant:
            self._negate(condition)
            self.walk(condition)

    def _statements(self, statements: list[Cursor]) -> None:
        for each in statements:
            self._delete(each)
            self.walk(each)

    def _delete(self, cursor: Cursor) -> None:
        kind = cursor.kind
        inner = _inside(cursor)
        jumps = kind in JUMPS or (kind == K.RETURN_STMT and not list(cursor.get_children()))
        acts = inner.kind in ACTS or (
            inner.kind == K.BINARY_OPERATOR and self._operator(inner, ("=",)) is not None
        )
        if jumps or (acts and inner.spelling not in UNSEEN):
            self._add(cursor, "deleted")

    # --- expressions

    def _other(self, cursor: Cursor) -> None:
        kind = cursor.kind
        children = list(cursor.get_children())
        if kind == K.CALL_EXPR and cursor.spelling in UNSEEN:
            return
        if kind == K.COMPOUND_STMT:
            self._statements(children)
            return
        if kind in (K.CASE_STMT, K.DEFAULT_STMT):
            self._statements(children[-1:])
            return
        if kind == K.LAMBDA_EXPR:
            for child in children:
                if child.kind == K.COMPOUND_STMT:
                    self.walk(child)
            return
        if kind == K.MEMBER_REF_EXPR:
            children = children[:1]  # behind it arguments of templates
        if kind == K.RETURN_STMT and children:
            self._literal(children[0])
        if kind == K.CONDITIONAL_OPERATOR and len(children) == 3:
            self._negate(children[0])
            self._literal(children[1])
            self._literal(children[2])
        if kind == K.COMPOUND_ASSIGNMENT_OPERATOR and len(children) == 2:
            self._literal(children[1])
        if kind in (K.BINARY_OPERATOR, K.CALL_EXPR):
            self._binary(cursor)
        for child in children:
            self.walk(child)

    def _binary(self, cursor: Cursor) -> None:
        found = self._operator(cursor, (*OPERATORS, "&&", "||", "="))
        if found is None:
            return
        operator, place, left, right = found
        if operator in OPERATORS:
            types = [each.type.get_canonical() for each in (cursor, left, right)]
            both_point = all(each.kind == TypeKind.POINTER for each in types[1:])
            if operator in ARITHMETIC and (
                both_point or any(re.search("string|iterator", each.spelling) for each in types)
            ):
                return  # these have no other operator
            self._add(cursor, operator, place)
        elif operator == "=":
            self._literal(right)
        else:
            for operand in (left, right):
                self._add(operand, "always" if operator == "&&" else "never")

    def _operator(
        self, cursor: Cursor, operators: tuple[str, ...]
    ) -> tuple[str, int, Cursor, Cursor] | None:
        """Return the operator between two operands, its place and these."""
        operands = list(cursor.get_children())
        if cursor.kind == K.CALL_EXPR:
            if not cursor.spelling.startswith("operator"):
                return None
            operands = [each for each in cursor.get_arguments() if each is not None]
        if len(operands) != 2:
            return None
        left, right = operands
        start = left.extent.end.offset
        between = self.text[start : right.extent.start.offset]
        blank = COMMENT.sub(lambda match: " " * len(match[0]), between)
        operator = blank.strip()
        if operator not in operators:
            return None
        return operator, start + blank.index(operator), left, right

    def _negate(self, condition: Cursor) -> None:
        if not condition.kind.is_expression():
            return
        found = self._operator(_inside(condition), ("==", "!="))  # these have their own
        if found is None:
            self._add(condition, "negated")

    def _literal(self, cursor: Cursor) -> None:
        inner = cursor
        while inner.kind in TRANSPARENT or inner.kind == K.INIT_LIST_EXPR:
            children = list(inner.get_children())
            if len(children) != 1:
                return
            inner = children[0]
        first = self.text[inner.extent.start.offset]
        if inner.kind == K.INTEGER_LITERAL and first.isdigit():
            self._add(inner, "one more")
        elif inner.kind == K.CXX_BOOL_LITERAL_EXPR and first in "tf":
            self._add(inner, "flipped")

    def _add(self, cursor: Cursor, kind: str, operator: int | None = None) -> None:
        start, end = cursor.extent.start, cursor.extent.end
        if start.file and start.file.name == end.file.name and end.offset > start.offset:
            self.found.append(
                Mutant(self.name, start.offset, end.offset, kind, start.line, operator)
            )


def _inside(cursor: Cursor) -> Cursor:
    """Return the expression inside brackets and implicit conversions."""
    while cursor.kind in TRANSPARENT:
        children = list(cursor.get_children())
        if len(children) != 1:
            break
        cursor = children[0]
    return cursor


def include_flags() -> list[str]:
    """Return the flags for the compiler's own headers, which libclang's package lacks."""
    folders = sorted(Path("/usr/lib/gcc").glob("*/*/include"))
    return [f"-isystem{folder}" for folder in folders[-1:]]


def find(root: Path, source: str, rooms: tuple[str, ...], done: set[str]) -> Iterator[Mutant]:
    """Yield the mutants of a source and of its headers in these rooms, but not of files done."""
    options = TranslationUnit.PARSE_NONE
    arguments = [*FLAGS, *include_flags(), f"-I{root}"]
    unit = Index.create().parse(str(root / source), arguments, options=options)
    errors = [str(each) for each in unit.diagnostics if each.severity >= 3]
    if errors:
        raise ValueError(f"{source}: {errors[0]}")
    files: dict[str, File | None] = {}
    for cursor in unit.cursor.get_children():
        if cursor.location.file is None:
            continue
        path = cursor.location.file.name
        if path not in files:
            inside = path.startswith(f"{root}/")
            name = path[len(f"{root}/") :] if inside else ""
            wanted = name.partition("/")[0] in rooms and name not in done
            text = Path(path).read_text(encoding="latin-1") if wanted else ""
            files[path] = File(name, text) if wanted else None
        file = files[path]
        if file is not None:
            file.outside(cursor)
    for each in files.values():
        if each is not None:
            done.add(each.name)
            yield from each.found
