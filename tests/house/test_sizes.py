# SPDX-License-Identifier: BSD-3-Clause
"""Is every class small enough to be read in one sitting, and the house within its limits?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import house, rooms

ROOT = Path(__file__).resolve().parent.parent.parent
MOST_DATA = 25  # data members of a class
MOST_FUNCTIONS = 40  # member functions that a class declares
# Classes that declare more, with the most that they may. Lower a number after taking some out.
LARGE = {
    "Channel": 85,
    "FlashArray": 70,
    "Simulation": 60,
    "HbfFtl": 54,
    "MemorySystem": 53,
    "Nvdimm": 55,
    "HbfDevice": 49,
    "MediaModule": 46,
    "CpuCore": 48,
    "DramBanks": 48,
    "TimingEngine": 47,
    "NvdimmEndpoint": 46,
    "JobAgent": 45,
    "NativeBanks": 43,
    "Accounts": 42,
    "Agent": 41,
}
CLASS = re.compile(r"\b(?:class|struct) ([A-Z]\w*)(?: final)?[^;{}()=]*\{")
# A statement of a class's body ends at a semicolon, or at the body of a function.
END = re.compile(r";|(?<=\{\})(?!\s*[;,)}])")
NO_MEMBER = re.compile(r"(?:using|friend|typedef|static_assert|struct|class|enum)\b")
BEFORE = re.compile(r"(?:\s|(?:public|private|protected)\s*:|template\s*<[^>]*>|\[\[\w+\]\])+")
DATA = re.compile(r"\b\w+_\s*(?:=.*)?(?:\{\})?$", re.DOTALL)
FUNCTION = re.compile(r"[^=(]*?(?:\boperator\s*\S+?|~?\b\w+)\s*\(")


def bodies(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the body of each class; inner braces are empty."""
    text = re.sub(r"//[^\n]*", "", text)
    for match in CLASS.finditer(text):
        depth, own = 1, []
        for letter in text[match.end() :]:
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if depth == 0:
                break
            if depth == 1:
                own.append("{}" if letter == "}" else letter)
        yield match[1], "".join(own)


def members(body: str) -> tuple[int, int]:
    """Return how many data members, whose names end in an underscore, and functions it declares."""
    data = functions = 0
    for statement in END.split(body):
        before = BEFORE.match(statement)
        statement = statement[before.end() if before else 0 :].rstrip()
        if not NO_MEMBER.match(statement):
            is_data = DATA.search(statement) is not None
            data += is_data
            functions += not is_data and FUNCTION.match(statement) is not None
    return data, functions


def classes() -> Iterator[tuple[str, int, int]]:
    """Yield the name and the numbers of members of each C++ class outside tests."""
    for room in (*rooms.LIBRARY, "bindings", "gem5-ext", "benchmarks"):
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in (".h", ".hh", ".cc"):
                for name, body in bodies(path.read_text(encoding="utf-8")):
                    yield (name, *members(body))


def test_members_are_counted() -> None:
    text = """
    class One final : public Base {
     public:
      explicit One(int by) : local_(by) {}
      ~One() override;
      int twice(int by) const { return by * local_; }
      template <typename T> static T of(T value = T());
      bool operator==(const One& other) const;
      friend int other(int);
     private:
      struct Inner { int a_; int b_ = 1; int get() const { return a_; } };
      const int local_;
      std::function<void(int)> then_;
      std::vector<int> many_{};  // not_this;
      int set_ = f(1, 2);
    };
    """
    counts = {name: members(body) for name, body in bodies(text)}
    assert counts == {"One": (4, 5), "Inner": (2, 1)}


def test_no_class_has_too_many_members() -> None:
    large = [
        f"{name} has {data} data members and {functions} functions"
        for name, data, functions in classes()
        if data > MOST_DATA or functions > LARGE.get(name, MOST_FUNCTIONS)
    ]
    assert not large, f"split what a class is made of: {large}"


def test_exceptions_are_needed() -> None:
    large = {name for name, _, functions in classes() if functions > MOST_FUNCTIONS}
    assert set(LARGE) <= large, f"take out of LARGE: {set(LARGE) - large}"


@pytest.mark.parametrize("kind", house.LIMITS)
def test_the_house_is_within_its_limits(kind: str) -> None:
    found = house.lines_by_room()
    assert not house.above({kind: found[kind]}), house.table(found)
