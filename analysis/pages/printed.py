# SPDX-License-Identifier: BSD-3-Clause
"""Command output that pages show: the demonstration's table, and the guide's comparison."""

from __future__ import annotations

import io
import os
import re
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from hmsim.cli.application import app

from pages import DOCS, ROOT, Documents

DEMO = re.compile(r"^\.venv/bin/hmsim (.+)$", re.MULTILINE | re.DOTALL)
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
    rows = excerpt(_demo())
    for page in (DOCS / "demonstration.md", ROOT / "README.md"):
        yield page, with_printed(page, "tools/demo: six rows", rows)


def guide(_: Path) -> Documents:
    """Yield the policy guide with the table that its example prints."""
    yield GUIDE, with_printed(GUIDE, "shares.py", _shares())


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


def _shares() -> str:
    """Return the output of the guide's comparison of its arbiter with others."""
    text = GUIDE.read_text(encoding="utf-8")
    files = dict(
        re.findall(r"`([\w.]+)`[^`]*\n\n```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    )
    printed = io.StringIO()
    home = Path.cwd()
    with TemporaryDirectory() as folder, patch.dict(os.environ, XDG_CACHE_HOME=folder):
        Path(folder, "mix.yaml").write_text(files["mix.yaml"], encoding="utf-8")
        os.chdir(folder)
        try:
            with redirect_stdout(printed):
                exec(files["shares.py"], {"__name__": "__main__"})
        finally:
            os.chdir(home)
    return printed.getvalue()


def _demo() -> str:
    """Return the output of tools/demo's command in 100 columns."""
    command = DEMO.search((ROOT / "tools" / "demo").read_text(encoding="utf-8"))
    if command is None:
        raise ValueError("tools/demo: there is no command of hmsim")
    arguments = command[1].replace("\\\n", " ").split()
    printed = io.StringIO()
    with redirect_stdout(printed), patch.dict(os.environ, COLUMNS="100"):
        app(
            [str(ROOT / a) if a.startswith("configs/") else a for a in arguments],
            standalone_mode=False,
        )
    return printed.getvalue()
