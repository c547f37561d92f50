# SPDX-License-Identifier: BSD-3-Clause
"""Does tools/test run each test in one lane, print what it runs, and reject unknown arguments?"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from messages import naming

from tools import lanes

ROOT = Path(__file__).resolve().parents[2]


def declared() -> list[str]:
    """Return the markers of pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (block,) = re.findall(r"^markers = \[(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    return re.findall(r'^    "(\w+):', block, re.MULTILINE)


def test_every_marker_is_a_lane_and_runs_nowhere_else() -> None:
    assert tuple(declared()) == lanes.MARKERS
    for marker in lanes.MARKERS:
        (expression,) = re.findall("-m '(.*?)'", lanes.LANES[marker].commands[-1])
        assert expression.split(" and ")[0] == marker
        before = lanes.MARKERS[: lanes.MARKERS.index(marker)]
        assert expression.split(" and ")[1:] == [f"not {other}" for other in before]
    (expression,) = re.findall("-m '(.*?)'", lanes.LANES["python"].commands[-1])
    assert expression.split(" and ") == [f"not {marker}" for marker in lanes.MARKERS]


def test_every_lane_is_explained() -> None:
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(lanes.LANES)


def test_the_packages_of_every_lane_are_listed() -> None:
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    for name, lane in lanes.LANES.items():
        (row,) = re.findall(rf"^\| `{name}` \|(.*)", text, re.MULTILINE)
        cell = row.split("|")[2].replace("the same", lanes.LANES["python"].packages)
        listed = set(re.findall(r"[\w-]+", cell))
        assert set(lane.packages.split()) <= listed, name


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["tsna"], ("'tsna'", "'tsan'")),
        (["cc", "--all"], ("lanes", "--all", "--rest")),
    ],
)
def test_unknown_arguments_are_rejected_before_the_run(
    arguments: list[str], parts: tuple[str, ...]
) -> None:
    done = subprocess.run([ROOT / "tools" / "test", *arguments], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert naming("tools/test:", *parts).search(done.stderr.splitlines()[-1]), done.stderr
