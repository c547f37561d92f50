# SPDX-License-Identifier: BSD-3-Clause
"""Are commands imported when they are asked for, and listed as they describe themselves?"""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer
from hmsim.cli import app
from hmsim.cli.commands import COMMANDS
from support import invoke


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_summary_is_how_its_help_begins(name: str) -> None:
    group = typer.main.get_command(app)
    found = group.get_command(typer.Context(group), name)
    assert found is not None
    summary = COMMANDS[name].summary.rstrip(".")
    assert (found.help or "").startswith(summary)


def test_the_list_of_commands_imports_none_of_them() -> None:
    script = (
        "import sys\nfrom hmsim.cli import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "assert not {'numpy', 'pandas', 'ssl'} & set(sys.modules), sys.modules.keys()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(f"  {name} " in done.stdout for name in COMMANDS)


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    done = invoke("comp")
    assert done.exit_code == 2
    assert "Did you mean 'compare'?" in done.stderr
