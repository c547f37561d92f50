# SPDX-License-Identifier: BSD-3-Clause
"""Are commands imported when they are asked for, and listed as they describe themselves?"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from hmsim.cli.application import app
from hmsim.cli.commands import COMMANDS
from support import REPO, invoke


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_summary_begins_its_help(name: str) -> None:
    group = typer.main.get_command(app)
    found = group.get_command(typer.Context(group), name)
    assert found is not None
    summary = COMMANDS[name].summary.rstrip(".")
    assert (found.help or "").startswith(summary)


# As if Ctrl-C came while the command line is imported.
WHILE_IMPORTED = """\
import sys

class Interrupted:
    def find_spec(self, name, *rest):
        if name == "hmsim.cli.application":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
from hmsim.cli import main
main()
"""


def test_an_interrupt_before_the_command_line_is_loaded_is_quiet() -> None:
    done = subprocess.run([sys.executable, "-c", WHILE_IMPORTED], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "hmsim: interrupted; nothing was written\n")


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("run mascots16_", ["mascots16_2026_11", "mascots16_4ch"]),
        ("run mascots16 --workload dem", ["demo"]),
        ("run mascots16 --policy split", ["split", "split_dram_first"]),
        ("compare mascots16 storage/moneta_s", ["storage/moneta_spin"]),
        ("compare mascots16 --workload xdd/latency_r", ["xdd/latency_read"]),
        ("compare mascots16 --policy hms_p", ["hms_pas"]),
        ("run some/path", []),
    ],
)
def test_shells_complete_shipped_names(line: str, completed: list[str]) -> None:
    script = "from hmsim.cli.application import app\napp(prog_name='hmsim')\n"
    words = {"COMP_WORDS": f"hmsim {line}", "COMP_CWORD": str(len(line.split()))}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **words, "_HMSIM_COMPLETE": "complete_bash"},
        capture_output=True,
        text=True,
    )
    assert (done.stdout.split(), done.stderr) == (completed, "")


def leaves() -> Iterator[tuple[str, Any]]:
    group = typer.main.get_command(app)
    for name in COMMANDS:
        found = group.get_command(typer.Context(group), name)
        assert found is not None
        if hasattr(found, "commands"):
            yield from ((f"{name} {each}", leaf) for each, leaf in found.commands.items())
        else:
            yield name, found


@pytest.mark.parametrize(("name", "command"), list(leaves()))
def test_a_help_ends_with_an_example_that_is_accepted_and_a_page_that_exists(
    name: str, command: Any
) -> None:
    match = re.fullmatch(r"\x08\nExample:  hmsim (.*)\nMore in:  (docs/.*)", command.epilog or "")
    assert match
    words, own = shlex.split(match[1]), name.split()
    assert words[: len(own)] == own
    command.make_context(name, words[len(own) :])  # raises where an option is unknown or missing
    assert (REPO / match[2]).is_file()
    assert len(match[1]) <= 80 - len("  Example:  hmsim ")
    assert invoke(*own, "-h").stdout.endswith(f"{match[2]}\n")
