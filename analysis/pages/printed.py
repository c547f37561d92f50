# SPDX-License-Identifier: BSD-3-Clause
"""Command output that pages show: the demonstration's table, and the guide's comparison."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from pages import DOCS, ROOT, Documents
from tools import page_commands

DEMO = re.compile(r"^\.venv/bin/(hmsim .+)", re.MULTILINE | re.DOTALL)
# The block of a page that follows such a line is replaced.
MARK = "<!-- Output of {}, written by tools/pages. -->\n"
GUIDE = DOCS / "policy-guide.md"
# Rows of the demonstration that pages show.
ROWS = (
    "agent 0, M instructions/s",
    "agent 1, makespan (us)",
    "agent 2, makespan (us)",
    "DRAM read, mean (ns)",
    "flash DIMM request, mean (us)",
    "DRAM latency due to flash DIMM (%)",
)


def demonstration(_: Path) -> Documents:
    """Yield the demonstration and the readme with some rows of the table."""
    command = DEMO.findall((ROOT / "tools" / "demo").read_text(encoding="utf-8"))[0]
    rows = excerpt(printed(command, ""))
    for page in (DOCS / "demonstration.md", ROOT / "README.md"):
        yield page, with_printed(page, "tools/demo: six rows", rows)


def guide(_: Path) -> Documents:
    """Yield the policy guide with the table that its example prints."""
    table = printed("python shares.py", GUIDE.read_text(encoding="utf-8"))
    yield GUIDE, with_printed(GUIDE, "shares.py", table)


def printed(command: str, page: str) -> str:
    """Return the output of a command beside a page's files; ValueError if it fails."""
    with TemporaryDirectory() as folder:
        page_commands.blocks(page, Path(folder))
        done = page_commands.run(command, Path(folder))
    if done is None or done.returncode:
        raise ValueError(f"{command}: {done.stderr if done else 'takes too long'}")
    return done.stdout


def excerpt(table: str) -> str:
    """Return the head of a comparison's table and its ROWS; ValueError without one of these."""
    head, rule, rest = re.split(r"^(-+\n)", table, maxsplit=1, flags=re.MULTILINE)
    rows = [re.search(rf"^  {re.escape(row)} .*\n", rest, re.MULTILINE) for row in ROWS]
    missing = [row for row, found in zip(ROWS, rows) if found is None]
    if missing:
        raise ValueError(f"tools/demo: there is no row {missing[0]!r}")
    return head + rule + "".join(found[0] for found in rows if found)


def with_printed(path: Path, origin: str, printed: str) -> str:
    """Return a page whose block of this origin holds what is printed now."""
    text = path.read_text(encoding="utf-8")
    before, mark, after = text.partition(MARK.format(origin))
    block = re.match(r"```text\n.*?```\n", after, re.DOTALL)
    if not mark or block is None:
        raise ValueError(f"{path.name}: there is no block to write the table to")
    lines = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    return f"{before}{mark}```text\n{lines}```\n{after[block.end() :]}"
