# SPDX-License-Identifier: BSD-3-Clause
"""Do the pages about Python name what there is, and do their examples run?"""

from __future__ import annotations

import re
from pathlib import Path

import hmsim
import pytest
from support import REPO

PAGES = sorted((REPO / "docs" / "python").glob("*.md"))
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^::: hmsim\.(.+)$", re.MULTILINE)
SLOW = ("runs", "sweeps")  # pages whose examples simulate for seconds
CONSTANTS = {"DRAM", "NVDIMM", "READS", "WRITES", "__version__"}  # strings, which need no page
EXAMPLES = [
    pytest.param(
        example, id=f"{page.stem}-{number}", marks=[pytest.mark.slow] if page.stem in SLOW else []
    )
    for page in PAGES
    for number, example in enumerate(EXAMPLE.findall(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "example", "exec"), {"__name__": "__main__"})


def test_every_public_name_stands_on_one_page() -> None:
    shown = [name for page in PAGES for name in SHOWN.findall(page.read_text(encoding="utf-8"))]
    assert len(shown) == len(set(shown))
    packages = {
        f"{name}.{leaf}" for name in hmsim.PACKAGES for leaf in getattr(hmsim, name).__all__
    }
    assert ({*hmsim.__all__} - CONSTANTS) | packages <= set(shown)
