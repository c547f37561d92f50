# SPDX-License-Identifier: BSD-3-Clause
"""Are the notebooks kept without outputs, and is each on the page of exercises?

tests/report/test_site.py runs them, as pages of the site.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "analysis" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
names = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@names
def test_outputs_are_stripped(path: Path) -> None:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


def test_the_page_has_each_with_its_title_and_picture() -> None:
    page = (FOLDER.parents[1] / "docs" / "exercises.md").read_text(encoding="utf-8")
    card = r"\(gallery/(\w+)\.svg\)\].*?\*\*\[(.*?)\]\(\S*/(\w+)\.ipynb\)\*\*"
    shown = re.findall(card, " ".join(page.split()))
    assert len(shown) == len(NOTEBOOKS) == page.count("![")
    for path in NOTEBOOKS:
        title = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"][0]
        assert (path.stem, title[2:].strip(), path.stem) in shown, path.stem
        assert (FOLDER.parents[1] / "docs" / "gallery" / f"{path.stem}.svg").is_file()
