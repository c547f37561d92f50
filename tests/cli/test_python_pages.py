# SPDX-License-Identifier: BSD-3-Clause
"""Does the page about Python name what there is, and do its examples run?"""

from __future__ import annotations

import re
from pathlib import Path

import hmsim
import pytest
from support import REPO

PAGE = (REPO / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^::: hmsim\.(.+)$", re.MULTILINE)
SLOW = ("Runs and results", "Comparisons and sweeps")  # sections that simulate for seconds
CONSTANTS = {"COPIES", "DRAM", "NVDIMM", "READS", "WRITES", "__version__"}  # need no page
EXAMPLES = [
    pytest.param(example, id=f"{title}-{number}", marks=[pytest.mark.slow] if title in SLOW else [])
    for title, _, text in (part.partition("\n") for part in PAGE.split("\n## "))
    for number, example in enumerate(EXAMPLE.findall(text))
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "example", "exec"), {"__name__": "__main__"})


def test_every_public_name_is_listed_once() -> None:
    shown = SHOWN.findall(PAGE)
    assert len(shown) == len(set(shown))
    packages = {
        f"{name}.{leaf}" for name in hmsim.PACKAGES for leaf in getattr(hmsim, name).__all__
    }
    assert ({*hmsim.__all__} - CONSTANTS) | packages <= set(shown)
