# SPDX-License-Identifier: BSD-3-Clause
"""Changes of mutants, and the text of a file that holds all of its mutants.

Only operators are removed from a file's text, which become commas, and no line is added. Therefore
a mutant within another composes with it, and line numbers stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

# For each operator: the function of HEADER that evaluates it, and the operator of the mutant.
RELATIONS = {
    "<": ("less", "<="),
    "<=": ("less_equal", "<"),
    ">": ("greater", ">="),
    ">=": ("greater_equal", ">"),
    "==": ("equal", "!="),
    "!=": ("not_equal", "=="),
}
ARITHMETIC = {"+": ("plus", "-"), "-": ("minus", "+")}
OPERATORS = {**RELATIONS, **ARITHMETIC}


@dataclass(frozen=True)
class Kind:
    """Text before and after a mutated expression; ``{id}`` is the mutant's number."""

    before: str
    behind: str
    becomes: str  # for readers


KINDS = {
    **{
        operator: Kind(f"mutant::{function}({{id}}, ", ")", other)
        for operator, (function, other) in OPERATORS.items()
    },
    "negated": Kind("(static_cast<bool>(", ") != mutant::on({id}))", "its opposite"),
    "always": Kind("(mutant::on({id}) || (", "))", "true"),
    "never": Kind("(!mutant::on({id}) && (", "))", "false"),
    "one more": Kind("(", " + mutant::on({id}))", "one more"),
    "flipped": Kind("(", " != mutant::on({id}))", "its opposite"),
    "deleted": Kind("if (mutant::on({id})) {{}} else ", "", "nothing"),
}

# Mutants are numbered from 1. The variables exist in mutated copies only: HMSIM_MUTANT names the
# mutant that is on, HMSIM_MUTANTS_REACHED the file that gets the numbers of those reached.
HEADER = """\
#pragma once
#include <cstdio>
#include <cstdlib>
%(ignored)s
namespace mutant {
inline unsigned char reached[%(count)d + 1];
struct Choice {
  Choice() {
    const char* text = std::getenv("HMSIM_MUTANT");
    id = text != nullptr ? std::atoi(text) : 0;
  }
  ~Choice() {
    const char* name = std::getenv("HMSIM_MUTANTS_REACHED");
    std::FILE* file = name != nullptr ? std::fopen(name, "w") : nullptr;
    if (file == nullptr) return;
    for (int each = 1; each <= %(count)d; ++each) {
      if (reached[each] != 0) std::fprintf(file, "%%d\\n", each);
    }
    std::fclose(file);
  }
  int id;
};
inline Choice choice;
inline bool on(int id) {
  reached[id] = 1;
  return choice.id == id;
}
%(functions)s
}  // namespace mutant
"""
# Warnings that mutants cause, and that this tree treats as errors.
WARNINGS = """
narrowing conversion float-conversion parentheses dangling-else unused-value shadow pedantic
sign-compare bool-compare bool-operation logical-op int-in-bool-context type-limits
maybe-uninitialized uninitialized array-bounds unused-variable unused-but-set-variable
implicit-fallthrough return-type extra stringop-overflow stringop-overread restrict
free-nonheap-object unused-result arith-conversion empty-body enum-compare
misleading-indentation overflow tautological-compare infinite-recursion dangling-pointer all
float-equal duplicated-branches unused-parameter aggressive-loop-optimizations nonnull
"""
FUNCTION = (
    "template <class A, class B> auto {name}(int id, const A& a, const B& b) "
    "{{ return on(id) ? a {other} b : a {operator} b; }}"
)


@dataclass(frozen=True, order=True)
class Mutant:
    """One change at one place of a file. Offsets are in bytes; ``end`` is exclusive."""

    file: str  # relative to the root of the tree
    start: int
    end: int
    kind: str
    line: int
    operator: Optional[int] = None  # where an operator of two operands stands

    @property
    def room(self) -> str:
        return self.file.partition("/")[0]

    def shown(self, text: str) -> str:
        """Return the change in readable form. ``text``: content of the whole file."""
        quoted = " ".join(text[self.start : self.end].split())
        quoted = quoted if len(quoted) <= 70 else quoted[:67] + "..."
        if self.operator is not None:
            before = " ".join(text[self.start : self.operator].split())[-30:]
            after = text[self.operator + len(self.kind) : self.end]
            quoted = f"{before} {self.kind} {' '.join(after.split())[:30]}"
        return f"{quoted}  ->  {KINDS[self.kind].becomes}"


def header(count: int) -> str:
    """Return the header of a copy with ``count`` mutants."""
    functions = [
        FUNCTION.format(name=name, operator=operator, other=other)
        for operator, (name, other) in OPERATORS.items()
    ]
    ignored = [f'#pragma GCC diagnostic ignored "-W{name}"' for name in WARNINGS.split()]
    parts = {"functions": "\n".join(functions), "ignored": "\n".join(ignored)}
    return HEADER % {"count": count, **parts}


def rewrite(text: str, mutants: Mapping[int, Mutant]) -> str:
    """Return a file's text with its mutants, given by number; all are off until one is chosen.

    At the same place, ends precede begins. Mutants that begin or end together nest by extent; with
    the same extent, an operator is innermost and a deletion outermost.
    """
    pieces: list[tuple[tuple[int, int, int, int, int], int, str]] = []
    for number, mutant in mutants.items():
        kind = KINDS[mutant.kind]
        start, end = mutant.start, mutant.end
        depth = 2 if mutant.operator is not None else 0 if mutant.kind == "deleted" else 1
        pieces.append(((start, 2, -end, depth, number), start, kind.before.format(id=number)))
        pieces.append(((end, 0, -start, -depth, -number), end, kind.behind.format(id=number)))
        if mutant.operator is not None:
            place = (mutant.operator, 1, 0, 0, 0)
            pieces.append((place, mutant.operator + len(mutant.kind), ","))
    result, done = [], 0
    for (place, *_), after, piece in sorted(pieces):
        result += [text[done:place], piece]
        done = after
    return "".join(result) + text[done:]
