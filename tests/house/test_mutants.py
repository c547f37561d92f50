# SPDX-License-Identifier: BSD-3-Clause
"""Are mutants found wherever a line can be wrong, and does each act only when it is chosen?"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.mutants import summary
from tools.mutants.rewriting import Mutant, header, rewrite
from tools.mutants.runner import Verdict


def changes(tmp_path: Path, text: str) -> list[str]:
    """Return the mutants found in a source of the room controller, without their context."""
    pytest.importorskip("clang.cindex", reason="libclang is not installed")
    from tools.mutants.finder import find

    (tmp_path / "controller").mkdir()
    (tmp_path / "controller" / "a.cc").write_text(text)
    found = sorted(find(tmp_path, "controller/a.cc", ("controller",), set()))
    assert all(mutant.file == "controller/a.cc" for mutant in found)
    return [mutant.shown(text) for mutant in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a < b;", ["a < b  ->  <="]),
        ("return a == b;", ["a == b  ->  !="]),
        ("return a - /* not + */ b;", ["a - /* not + */ b  ->  +"]),
        ("if (a == b) return a; return b;", ["a == b  ->  !="]),
        ("while (f(a)) break; return b;", ["f(a)  ->  its opposite", "break  ->  nothing"]),
        ("f(a); return b;", ["f(a)  ->  nothing"]),
        ("while (int c = f(a)) f(c); return b;", ["f(c)  ->  nothing"]),
        ("a += b; ++a; return a;", ["a += b  ->  nothing", "++a  ->  nothing"]),
        ("return a && b;", ["a  ->  true", "b  ->  true"]),
        ("return a || b;", ["a  ->  false", "b  ->  false"]),
        ("return 3;", ["3  ->  one more"]),
        ("bool yes = true; return yes;", ["true  ->  its opposite"]),
    ],
)
def test_each_kind_of_mutant_is_found(tmp_path: Path, body: str, expected: list[str]) -> None:
    assert changes(tmp_path, f"int f(int);\nint g(int a, int b) {{ {body} }}\n") == expected


@pytest.mark.parametrize(
    "text",
    [
        "constexpr int f(int a) { return a + 1; }",
        "static_assert(1 + 1 == 2);",
        "int f(int a = 1 + 1);",
        "const int kAtTheStart = 1;",
        "template <int N> int f(); int g() { return f<1 + 1>(); }",
        "void ensure(bool); void f(int a) { ensure(a < 3); }",
        "void g(int); void declare_all() { g(3); }",
        "int f(int a) { switch (a) { case 1 + 1: return a; default: return a; } }",
    ],
)
def test_lines_without_effect_or_execution_are_not_mutated(tmp_path: Path, text: str) -> None:
    assert changes(tmp_path, f"{text}\n") == []


PROGRAM = """\
#include <cstdio>
int twice(int a) { return a + a; }
int g(int a, int b) {
  int sum = 0;
  if (a < b && b != 7) sum = twice(a); else sum -= 5;
  return sum;
}
int main() { std::printf("%d %d %d", g(1, 2), g(2, 2), g(3, 7)); }
"""
# By hand, of g(1, 2), g(2, 2) and g(3, 7): 2 -5 -5 without a mutant.
CHANGED = {
    "a + a  ->  -": "0 -5 -5",
    "0  ->  one more": "2 -4 -4",
    "a < b && b != 7  ->  its opposite": "-5 4 6",
    "a < b  ->  true": "2 4 -5",
    "a < b  ->  <=": "2 4 -5",
    "b != 7  ->  true": "2 -5 6",
    "b != 7  ->  ==": "-5 -5 6",
    "sum = twice(a)  ->  nothing": "0 -5 -5",
    "sum -= 5  ->  nothing": "2 0 0",
    "5  ->  one more": "2 -6 -6",
}


def test_a_mutant_acts_when_it_is_chosen_and_only_then(tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not installed")
    places = [  # kind, what is changed, its operator
        *(("+", "a + a", "+"), ("one more", "0", ""), ("negated", "a < b && b != 7", "")),
        *(("always", "a < b", ""), ("<", "a < b", "<"), ("always", "b != 7", "")),
        *(("!=", "b != 7", "!="), ("deleted", "sum = twice(a)", ""), ("deleted", "sum -= 5", "")),
        ("one more", "5", ""),
    ]
    mutants = {}
    for number, (kind, quoted, operator) in enumerate(places, 1):
        start = PROGRAM.index(quoted)
        place = start + quoted.index(operator) if operator else None
        mutants[number] = Mutant("a.cc", start, start + len(quoted), kind, 1, place)
    assert [mutant.shown(PROGRAM) for mutant in mutants.values()] == list(CHANGED)
    (tmp_path / "mutant.h").write_text(header(len(mutants)))
    source = tmp_path / "a.cc"
    source.write_text('#include "mutant.h" \n' + rewrite(PROGRAM, mutants))
    subprocess.run([compiler, "-std=c++17", "-w", source, "-o", tmp_path / "a"], check=True)

    def printed(number: int) -> str:
        environment = {**os.environ, "HMSIM_MUTANT": str(number)}
        return subprocess.run(
            [tmp_path / "a"], env=environment, check=True, capture_output=True, text=True
        ).stdout

    assert printed(0) == "2 -5 -5"
    assert [printed(number) for number in mutants] == list(CHANGED.values())
    reached = tmp_path / "reached"
    environment = {**os.environ, "HMSIM_MUTANTS_REACHED": str(reached)}
    subprocess.run([tmp_path / "a"], env=environment, check=True, capture_output=True)
    assert reached.read_text().split() == [str(number) for number in mutants]


def test_scores_have_wilsons_interval() -> None:
    # For 81 successes in 263: 0.2553 to 0.3662 (Newcombe 1998, table I, method 3).
    low, high = summary.interval(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    mutants = {n: Mutant("nvdimm/a.cc", n, n + 1, "deleted", 1) for n in range(1, 5)}
    verdicts = {n: Verdict(n, "failed" if n < 2 else "unreached", "", 0) for n in (1, 2)}
    rows = list(summary.table({"nvdimm": 9, "policies": 5}, mutants, verdicts))
    assert rows[2].startswith("| nvdimm | 9 | 2 | 1 | 0 | 1 | 50.0 % |")
    assert rows[3].startswith("| all | 14 | 2 | 1 | 0 | 1 | 50.0 % |")
