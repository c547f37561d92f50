# SPDX-License-Identifier: BSD-3-Clause
"""Are the legends of the docs' figures readable at their size on the page?"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
FIGURES = sorted((DOCS / "figures").glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
COLUMN = 516  # pt of text in a wide window
LEAST = 8.0  # pt


def sizes_in_legends(root: ElementTree.Element) -> list[float]:
    """Return the sizes of the texts in legends, in pt of the figure as it was drawn."""
    found = []
    for group in root.iter(f"{SVG}g"):
        if group.get("id", "").startswith("legend_"):
            for text in group.iter(f"{SVG}text"):
                size = re.search(r"([\d.]+)px", text.get("style", ""))
                assert size is not None
                found.append(float(size[1]))
    return found


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_legends_are_legible_in_the_column(path: Path) -> None:
    root = ElementTree.parse(path).getroot()
    width = float(root.get("width", "").removesuffix("pt"))
    least = min(sizes_in_legends(root), default=LEAST)
    assert least * min(1, COLUMN / width) >= LEAST
    left, _, right, _ = map(float, root.get("viewBox", "").split())
    assert (left, right) == (0, width)
