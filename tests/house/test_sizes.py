# SPDX-License-Identifier: BSD-3-Clause
"""Is every class and file short enough to be read in one sitting?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
MOST_MEMBERS = 25
MOST_LINES = 400
HEAD = 15  # lines of a file in which it says why it is one
CODE = (".h", ".cc", ".hh", ".py", ".js")
CLASS = re.compile(r"\b(?:class|struct) ([A-Z]\w*)(?: final)?[^;{}()=]*\{")
MEMBER = re.compile(r"\b\w+_(?:\s*=[^;]*|\{\})?;")


def code() -> Iterator[Path]:
    """Yield the files of the project that hold code."""
    for folder in sorted(ROOT.iterdir()):
        if folder.is_dir() and folder.name != "build" and not folder.name.startswith("."):
            yield from (path for path in sorted(folder.rglob("*")) if path.suffix in CODE)


def data_members(text: str) -> dict[str, int]:
    """Return each class's number of data members, whose names end in an underscore."""
    text = re.sub(r"//[^\n]*", "", text)
    found = {}
    for match in CLASS.finditer(text):
        depth, own = 1, []
        for letter in text[match.end() :]:
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if depth == 0:
                break
            if depth == 1:
                own.append("{}" if letter == "}" else letter)
        found[match[1]] = len(MEMBER.findall("".join(own)))
    return found


def test_members_are_counted() -> None:
    text = """
    class One final : public Base {
     public:
      int twice(int by) const { return by * local_; }
     private:
      struct Inner { int a_; int b_ = 1; };
      const int local_;
      std::vector<int> many_{};  // not_this;
      int set_ = f(1, 2);
    };
    """
    assert data_members(text) == {"One": 3, "Inner": 2}


@pytest.mark.parametrize("folder", ["agents", "check", "clones", "controller", "core", "dram"])
def test_there_are_classes_to_count(folder: str) -> None:
    counts = [data_members(path.read_text()) for path in (ROOT / folder).rglob("*.h")]
    assert max(count for each in counts for count in each.values()) >= 5


def test_no_class_has_too_many_data_members() -> None:
    large = [
        f"{path.relative_to(ROOT)}: {name} has {count}"
        for path in code()
        if path.suffix in (".h", ".cc", ".hh") and "tests" not in path.relative_to(ROOT).parts
        for name, count in data_members(path.read_text(encoding="utf-8")).items()
        if count > MOST_MEMBERS
    ]
    assert not large, f"split what a class is made of: {large}"


def test_a_long_file_says_why_it_is_one() -> None:
    long = []
    for path in code():
        lines = path.read_text(encoding="utf-8").splitlines()
        head = " ".join(line.lstrip("/# ") for line in lines[:HEAD]).lower()
        if len(lines) > MOST_LINES and "one file" not in head:
            long.append(f"{path.relative_to(ROOT)}: {len(lines)} lines")
    assert not long, f"cut them, or say at the head why they are one file: {long}"
