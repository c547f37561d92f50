#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds wording that CONTRIBUTING.md asks to avoid: ``tools/prose.py [FILE]...``

Reads Markdown, and comments and names of tests of C++ and Python. Prints file, line and advice;
exit status 1 if there is any. Without files, it also checks the subjects of the latest commits.
"""

import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

WIDTH = 100  # columns
COMMITS = 20  # the latest ones
SUBJECT = re.compile(r"[a-z0-9_./-]+: \S")  # one area

ADVICE = (
    (r"(?:^|(?<=[.:;!?] ))(?:Of|What|Whoever|Who|Where)\s(?![^.]*\?)", "start with the thing"),
    (r"\b(?:told|tells|whoever)\b", "use reports, prints, records or states"),
    (r"\b(?:anew|likewise)\b", "use again or the same way"),
    (r"\b(?:right|one|lines?|instructions|comes?|goes) behind\b", "use after for time"),
    (r"\b(?:that|which|what) (?:is|are) (?:none|no [a-z]+)\b", "use invalid, or not"),
    (r"\bso (?:long|many|much|often)\b(?! (?:as|that))", "use the given time or number"),
    (r"^Test: .*\b(?:what|who|nobody|somebody)(?:ever|se|m)?\b", "name the thing"),
    (r"^Test: .*\b(?:tell|stands?|go on|goes on)\b", "use reports, is or continues"),
)
TEST = re.compile(r"\s*def test_(\w+)|TEST\w*\(\w+, (\w+)\)")
WORDS = re.compile("_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)")
GENERATED = re.compile(r"docs/(?:parameters|statistics|results)\.md$|CHANGELOG\.md$")


def markdown(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield numbered lines of prose: no code, tables, headings or pictures."""
    code = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code and not re.match(r"\s*(?:\||#|<|!\[)| {4}", line):
            yield number, re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "", line)


def comments(lines: list[str], mark: str) -> Iterator[tuple[int, str]]:
    """Yield numbered lines of comments that stand alone."""
    for number, line in enumerate(lines, 1):
        found = re.match(rf"\s*{mark} (.*)", line)
        if found and "SPDX" not in line:
            yield number, found[1]


def tests(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield numbered names of tests, each as a sentence after "Test: "."""
    for number, line in enumerate(lines, 1):
        if found := TEST.match(line):
            words = WORDS.sub(" ", found[1] or found[2])
            yield number, f"Test: {words.capitalize()}"


def complaints(name: str, text: str) -> Iterator[str]:
    """Yield the faults of a file, one line each."""
    lines = text.splitlines()
    if name.endswith(".md"):
        prose = markdown(lines)
    else:
        prose = comments(lines, "//" if name.endswith((".cc", ".h", ".c", ".hh")) else "#")
    for number, line in itertools.chain(prose, tests(lines)):
        words = NOT_PROSE.sub("``", line.strip())
        for pattern, advice in ADVICE:
            for found in re.finditer(pattern, words):
                yield f'{name}:{number}: "{found[0].strip()}": {advice}'
        if len(line) > WIDTH and " " in line[:WIDTH] and "](" not in line:
            yield f"{name}:{number}: {len(line)} columns: wrap at {WIDTH}"


def subject_is_good(subject: str) -> bool:
    """Return whether a commit's subject names its area and is short."""
    return len(subject) <= 72 and SUBJECT.match(subject) is not None


def subjects() -> Iterator[str]:
    """Yield the faults of the latest commits' subjects."""
    command = ["git", "log", f"-{COMMITS}", "--no-merges", "--format=%h %s"]
    done = subprocess.run(command, capture_output=True, text=True)
    for line in done.stdout.splitlines():  # none where git has no history
        commit, _, subject = line.partition(" ")
        if not subject_is_good(subject):
            yield f"{commit}: {subject}: use `area: imperative summary` of at most 72 characters"


def main() -> int:
    names = sys.argv[1:]
    found = [] if names else list(subjects())
    if not names:
        listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True)
        names = listed.stdout.splitlines()
    for name in names:
        if name.endswith((".md", ".cc", ".h", ".hh", ".c", ".py")) and not GENERATED.search(name):
            found += complaints(name, Path(name).read_text(encoding="utf-8"))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
